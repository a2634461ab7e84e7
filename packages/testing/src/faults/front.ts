/** The server of a fault proxy: HTTP/1.1, or TLS with HTTP/2 for clients that support it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { constants, createSecureServer, type Http2ServerResponse, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Server } from "node:net";

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface Front {
  readonly port: number;
  /** Asks clients to reconnect. */
  goAway(): void;
  /** Ends all connections and stops listening. */
  close(): Promise<void>;
}

/** Starts the server. @throws Error when the port is not available */
export async function startFront(
  { port, tls }: { readonly port: number; readonly tls: { readonly cert: string; readonly key: string } | undefined },
  handle: (exchange: Exchange) => void,
): Promise<Front> {
  /** Connections whose next answer asks the client to reconnect. */
  const leaving = new Set<ServerResponse["socket"]>();
  const sockets = new Set<NonNullable<ServerResponse["socket"]>>();
  const sessions = new Set<ServerHttp2Session>();
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (leaving.delete(response.socket)) response.setHeader("connection", "close");
    handle({ request, response });
  };
  // The compatibility API of HTTP/2 has every member that is used here.
  const server: Server =
    tls === undefined
      ? createServer({ requestTimeout: 0 }, onRequest) // A watch may be silent for long, and a half-open request has no answer.
      : createSecureServer({ ...tls, allowHTTP1: true }, (request, response) =>
          onRequest(request as unknown as IncomingMessage, response as unknown as ServerResponse),
        ).on("session", (session) => sessions.add(session.once("close", () => sessions.delete(session))));
  server.on("upgrade", (_, socket: NonNullable<ServerResponse["socket"]>) => socket.destroy());
  server.on("connection", (socket) => sockets.add(socket.once("close", () => (sockets.delete(socket), leaving.delete(socket)))));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // It listens on TCP.
    goAway() {
      for (const session of sessions) session.goaway(constants.NGHTTP2_NO_ERROR);
      if (tls === undefined) for (const socket of sockets) leaving.add(socket);
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Breaks the connection of a response. */
export function reset(response: ServerResponse): void {
  const { stream } = response as ServerResponse & Partial<Http2ServerResponse>; // Only HTTP/2 has it.
  if (stream === undefined) response.socket?.resetAndDestroy();
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}
