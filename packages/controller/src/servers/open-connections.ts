/**
 * The connections of an HTTP server, so that a stop cuts off no request. Node's `close()` does: it destroys a connection whose answer
 * is complete but not yet sent, so a client gets a part of a large answer.
 */
import type { Server } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";

export class OpenConnections {
  readonly #server: Server | TlsServer;
  /** The number of requests in progress, by connection. */
  readonly #requests = new Map<Socket, number>();
  /** The connections whose TLS handshake has not ended, by the address of the client. */
  readonly #handshakes = new Map<string, Socket>();
  #state: "open" | "leaving" | "ending" = "open";

  constructor(server: Server | TlsServer) {
    this.#server = server;
    if (isOverTls(server)) {
      server.on("connection", (socket) => this.#shakesHands(socket as Socket)); // It listens on TCP.
      server.on("secureConnection", (socket) => {
        this.#handshakes.delete(addressOf(socket));
        this.#opened(socket);
      });
    } else server.on("connection", (socket) => this.#opened(socket));
    // Before the listener of the author, which may send the answer at once.
    server.prependListener("request", ({ socket }, response) => {
      this.#requests.set(socket, (this.#requests.get(socket) ?? 0) + 1);
      if (this.#state !== "open") response.setHeader("connection", "close");
      response.once("close", () => this.#answered(socket));
    });
  }

  /** Asks every client that sends a request to close its connection after the answer. */
  leave(): void {
    this.#state = "leaving";
  }

  /** Takes no new connections, and closes each connection without a request. Resolves when there are no connections. */
  async end(): Promise<void> {
    this.#state = "ending";
    // Called by close().
    this.#server.closeIdleConnections = () => this.#closeIdle();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Closes all connections, whatever happens on them. */
  destroy(): void {
    for (const socket of [...this.#requests.keys(), ...this.#handshakes.values()]) socket.destroy();
  }

  #opened(socket: Socket): void {
    this.#requests.set(socket, 0);
    socket.once("close", () => this.#requests.delete(socket));
  }

  #shakesHands(socket: Socket): void {
    const address = addressOf(socket);
    this.#handshakes.set(address, socket);
    socket.once("close", () => {
      if (this.#handshakes.get(address) === socket) this.#handshakes.delete(address);
    });
  }

  #answered(socket: Socket): void {
    const left = (this.#requests.get(socket) ?? 1) - 1;
    if (this.#requests.has(socket)) this.#requests.set(socket, left);
    if (this.#state === "ending" && left === 0) socket.destroySoon();
  }

  #closeIdle(): void {
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroy();
    for (const socket of this.#handshakes.values()) socket.destroy();
  }
}

/** Without an import of node:https, which would load more than servers. */
function isOverTls(server: Server | TlsServer): server is TlsServer {
  return server instanceof process.getBuiltinModule("node:https").Server;
}

/** The same for a TCP connection and the TLS connection on it. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
