/** The object store as an HTTP server on loopback. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { headersOf, Store, type StoreOptions, tokenOf } from "./store.ts";

/** A store that answers on a port. */
export interface StoreServer {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** The store behind the server: its buckets, users, tokens, faults and calls. */
  readonly store: Store;
  /** Ends the server and all its connections. */
  close(): Promise<void>;
}

/** Starts a store on loopback. Without a port the system chooses one. */
export async function startStore({ port = 0, ...options }: StoreOptions & { readonly port?: number } = {}): Promise<StoreServer> {
  const store = new Store(options);
  const server = createServer((request, response) => {
    serve(store, request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", resolve);
  await listening;
  const close = async (): Promise<void> => {
    const { promise: closed, resolve: end } = Promise.withResolvers<void>();
    server.close(() => end());
    server.closeAllConnections();
    await closed;
  };
  const { port: chosen } = server.address() as AddressInfo; // It listens on a port.
  return { url: `http://127.0.0.1:${chosen}`, store, close };
}

async function serve(store: Store, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // No encoding is set.
  const answer = store.answer({
    method: request.method ?? "GET",
    path: request.url ?? "/",
    token: tokenOf(request.headers.authorization),
    body: Buffer.concat(chunks).toString("utf8"),
  });
  if (answer.type === "hang") return;
  if (answer.type === "broken") return void request.socket.destroy();
  response.writeHead(answer.status, headersOf(answer));
  response.end(answer.body);
}
