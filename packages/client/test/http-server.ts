import http from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** Connections opened so far. */
  readonly connections: () => number;
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves when no connection is open. */
  readonly idle: () => Promise<void>;
  /** From now on new connections get these keys. */
  readonly setKeys: (keys: https.ServerOptions) => void;
}

/** A server on a free port of the loopback, closed when the test ends. */
export async function startServer(listener: http.RequestListener, keys?: https.ServerOptions): Promise<TestServer> {
  const server = keys === undefined ? http.createServer(listener) : https.createServer(keys, listener);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `${keys === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    sockets,
    idle: async () => {
      await Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    },
    setKeys: (next) => (server as https.Server).setSecureContext(next),
  };
}
