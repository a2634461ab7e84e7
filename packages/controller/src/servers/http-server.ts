/** HTTP servers: for probes, metrics and debug with answers to GET and HEAD that survive every error; and for custom listeners. */
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Clock, sleep } from "@treadle/apimachinery";
import { ManagerError } from "../manager-error.ts";
import type { CertifiedKey } from "../certificate-source.ts";
import { messageOf } from "../internal/error-text.ts";
import { within } from "../internal/promises.ts";
import { OpenConnections } from "./open-connections.ts";

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  /** The text, or a stream that is sent as it is read. */
  readonly body: string | Readable;
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** `http://host:port`, with a host that a client on this machine can reach. */
  readonly url: string;
  /** Stops without cutting off a request, if it ends in time. */
  close(options: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  readonly clock: Clock;
  /** How long it still takes requests, in milliseconds. */
  readonly graceMs: number;
  /** Maximum time of the close with the grace, in milliseconds. Then the requests in progress are cut off. */
  readonly maxMs: number;
}

/** A certificate that may change while it is served. */
export interface ServedCertificate {
  /** Calls `onChange` with each valid certificate that replaces the returned one. @throws ManagerError ERR_CERTIFICATE */
  start(onChange: (current: CertifiedKey) => void): CertifiedKey | Promise<CertifiedKey>;
  stop(): void;
}

export interface HttpServerOptions {
  /** The name in messages. */
  readonly name: string;
  /** The fix in the message when the port cannot be used. @defaultValue the option of that name */
  readonly mend?: string;
  readonly host: string | undefined;
  readonly port: number;
  /** Serves HTTPS with this certificate. */
  readonly certificate?: ServedCertificate | undefined;
  /** Refuses connections without a certificate of this authority, in PEM. */
  readonly clientCa?: string | undefined;
  readonly listener: RequestListener;
}

/** Answers a request by its URL; undefined: there is no such page. */
export type Handle = (url: URL, headers: IncomingHttpHeaders) => Answer | undefined | Promise<Answer | undefined>;

/**
 * The limits of controller-runtime's servers (internal/httpserver). A request that does not arrive within `requestTimeout` is cut off: the
 * longest timeout of an API server is 30 s.
 */
const LIMITS = { headersTimeout: 32_000, requestTimeout: 35_000, keepAliveTimeout: 90_000, maxHeaderSize: 2 ** 20 } as const;

/** Starts to listen. @throws ManagerError ERR_LISTEN or ERR_CERTIFICATE */
export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  const { name, host, port, certificate } = options;
  const server = await made(options);
  const connections = new OpenConnections(server);
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const where = `${host ?? "*"}:${port}`;
      const why = error.code === "EADDRINUSE" ? "the port is in use" : error.message;
      certificate?.stop();
      const message = `cannot serve ${name} on ${where}: ${why}; ${options.mend ?? `choose another with ${name}: { port } or TREADLE_${name.toUpperCase()}_PORT, or switch it off with ${name}: false`}`;
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
    url: `${certificate === undefined ? "http" : "https"}://${reachable.includes(":") ? `[${reachable}]` : reachable}:${address.port}`,
    async close({ clock, graceMs, maxMs }) {
      const endsMs = clock.now() + maxMs;
      connections.leave();
      if (graceMs > 0) await sleep(clock, Math.min(graceMs, maxMs));
      certificate?.stop();
      const ended = connections.end();
      if (!(await within(clock, Math.max(0, endsMs - clock.now()), ended))) connections.destroy();
      await ended;
    },
  };
}

/** Makes a listener that answers GET and HEAD by `handle`. */
export function answering(handle: Handle): RequestListener {
  return (request, response) => void respond(handle, request, response); // It never rejects.
}

async function made({ certificate, clientCa, listener }: HttpServerOptions): Promise<Server | TlsServer> {
  // An import of node:http would also load node's fetch, a tenth of the time until the first status.
  if (certificate === undefined) return process.getBuiltinModule("node:http").createServer(LIMITS, listener);
  const client = clientCa === undefined ? undefined : { ca: clientCa };
  const server = process
    .getBuiltinModule("node:https")
    .createServer({ ...LIMITS, ...(client && { requestCert: true, rejectUnauthorized: true }) }, listener);
  server.setSecureContext({ ...(await certificate.start((renewed) => server.setSecureContext({ ...renewed, ...client }))), ...client });
  return server;
}

async function respond(handle: Handle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, contentType, body } = await answerOf(handle, request);
  response.writeHead(status, {
    "content-type": contentType,
    ...(body instanceof Readable ? {} : { "content-length": Buffer.byteLength(body) }),
    "x-content-type-options": "nosniff",
    ...(status === 405 ? { allow: "GET, HEAD" } : {}),
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
  });
  if (!(body instanceof Readable)) response.end(request.method === "HEAD" ? undefined : body);
  else if (request.method === "HEAD") {
    body.destroy();
    response.end();
  } else await pipeline(body, response).catch(() => response.destroy()); // The client has closed the connection, or sees that it breaks.
}

async function answerOf(handle: Handle, request: IncomingMessage): Promise<Answer> {
  if (request.method !== "GET" && request.method !== "HEAD") return text(405, "method not allowed");
  // A base is needed to parse a path; only path and query are looked at.
  const url = URL.parse(request.url ?? "/", "http://localhost");
  if (url === null) return text(400, "bad request");
  try {
    return (await handle(url, request.headers)) ?? text(404, "not found");
  } catch (error) {
    return text(500, `failed: ${messageOf(error)}`);
  }
}

export function json(value: unknown): Answer {
  return { status: 200, contentType: "application/json", body: `${JSON.stringify(value, undefined, 2)}\n` };
}

export function text(status: number, body: string): Answer {
  return { status, contentType: "text/plain; charset=utf-8", body: `${body}\n` };
}
