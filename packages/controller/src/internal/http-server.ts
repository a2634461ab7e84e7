/** A small HTTP server for probes and metrics. It answers GET and HEAD, and nothing that a handler throws ends it. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ManagerError } from "../manager-error.ts";
import { messageOf } from "./error-text.ts";

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`, with a host that a client on this machine can reach. */
  readonly url: string;
  close(): Promise<void>;
}

export interface HttpServerOptions {
  /** For messages, and the option that changes it: `probes`. */
  readonly name: string;
  readonly host: string | undefined;
  readonly port: number;
  readonly handle: (url: URL) => Answer | undefined | Promise<Answer | undefined>;
}

/** Begins to listen. @throws ManagerError ERR_LISTEN */
export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  const { name, host, port } = options;
  // Limits of controller-runtime's servers (internal/httpserver).
  const server = createServer({ headersTimeout: 32_000, keepAliveTimeout: 90_000, maxHeaderSize: 2 ** 20 }, (request, response) => {
    void respond(options.handle, request, response); // It never rejects.
  });
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const where = `${host ?? "*"}:${port}`;
      const why = error.code === "EADDRINUSE" ? "the port is in use" : error.message;
      const message = `cannot serve ${name} on ${where}: ${why}; choose another with ${name}: { port }, or switch them off with ${name}: false`;
      reject(new ManagerError("ERR_LISTEN", message, { cause: error }));
    };
    server.once("error", onError);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off("error", onError);
      resolve();
    });
  });
  // A server that listens on a port has such an address.
  const address = server.address() as AddressInfo;
  const reachable = address.address === "::" || address.address === "0.0.0.0" ? "127.0.0.1" : address.address;
  return {
    host: address.address,
    port: address.port,
    url: `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${address.port}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(handle: HttpServerOptions["handle"], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, contentType, body } = await answerOf(handle, request);
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function answerOf(handle: HttpServerOptions["handle"], request: IncomingMessage): Promise<Answer> {
  if (request.method !== "GET" && request.method !== "HEAD") return text(405, "method not allowed");
  // A base is needed to parse a path; only path and query are looked at.
  const url = URL.parse(request.url ?? "/", "http://localhost");
  if (url === null) return text(400, "bad request");
  try {
    return (await handle(url)) ?? text(404, "not found");
  } catch (error) {
    return text(500, `failed: ${messageOf(error)}`);
  }
}

export function text(status: number, body: string): Answer {
  return { status, contentType: "text/plain; charset=utf-8", body: `${body}\n` };
}
