/**
 * A fault proxy: a proxy on the loopback interface, in front of any API server, that applies faults to requests. For operators
 * in another process or another language, and for faults that only a socket shows.
 *
 * It carries JSON and YAML. A request for protobuf is answered in JSON, and an upgrade (exec, port-forward) is refused.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ApiRequest, type ApiResponse, type Clock, systemClock, type Transport } from "@treadle/apimachinery";
import { httpTransport, type HttpTransportOptions } from "@treadle/client";
import { failure } from "./answers.ts";
import { type Faults, FaultSet } from "./faults.ts";
import { type Exchange, reset, startFront } from "./front.ts";
import { faultyTransport } from "./transport.ts";

/** Options of {@link startFaultProxy}. */
export interface FaultProxyOptions {
  /** The API server: a base URL, or the result of `loadConfig()` of `@treadle/client`, with credentials. */
  readonly target: string | HttpTransportOptions;
  /** The port to listen on. @defaultValue 0: a free port */
  readonly port?: number;
  /** The clock of delays. @defaultValue the time of the machine */
  readonly clock?: Clock;
  /** Certificate and key in PEM, for HTTPS with HTTP/2. @defaultValue HTTP/1.1 without TLS */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A running fault proxy. */
export interface FaultProxy extends AsyncDisposable {
  /** The base URL of the proxy, on 127.0.0.1. */
  readonly url: string;
  /**
   * The bearer token that every request needs, because the proxy sends it on with the credentials of the target. Undefined for
   * a target without credentials.
   */
  readonly token: string | undefined;
  /** The faults of the requests. */
  readonly faults: Faults;
  /** Creates a transport with the token for a client in this process; clients send no credentials over plain HTTP. */
  connect(): Transport;
  /**
   * Asks clients to reconnect, as a server does before it ends: by GOAWAY in HTTP/2, by `Connection: close` in the next answer
   * in HTTP/1.1. Requests in progress go on.
   */
  goAway(): void;
  /** Ends all connections and stops listening. Idempotent. */
  close(): Promise<void>;
}

/** Starts a fault proxy. @throws TypeError for a target that is not a URL, Error when the port is not available */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { port = 0, clock = systemClock } = options;
  const target = typeof options.target === "string" ? { server: options.target } : options.target;
  const token = target.credentials === undefined ? undefined : randomUUID();
  const faults = new FaultSet(clock);
  const transport = faultyTransport(httpTransport(target), faults);
  const front = await startFront({ port, tls: options.tls }, (exchange) => {
    // For the caller every failure of the proxy is a broken connection.
    void relay(transport, token, exchange).catch(() => reset(exchange.response));
  });
  const close = once(async () => {
    await front.close();
    await transport.close();
  });
  const url = `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${front.port}`;
  const connect = (): Transport => connection(url, token, options.tls?.cert);
  return { url, token, faults, connect, goAway: front.goAway, close, [Symbol.asyncDispose]: close };
}

function connection(server: string, token: string | undefined, ca: string | undefined): Transport {
  const transport = httpTransport({ server, ...(ca === undefined ? {} : { credentials: { ca } }) });
  const secret = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    request: (request) => transport.request({ ...request, headers: { ...request.headers, ...secret } }),
    close: () => transport.close(),
  };
}

async function relay(transport: Transport, token: string | undefined, { request, response }: Exchange): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort(new Error("the caller closed the connection")));
  const headers = headersFor(request, token);
  if (headers === undefined)
    return await write(response, failure(401, "Unauthorized", "the proxy needs `proxy.token` as the bearer token"));
  const body = await read(request);
  const path = request.url ?? "/";
  const answer = await transport.request({
    method: (request.method ?? "GET") as ApiRequest["method"], // An API server answers other methods with 405.
    path,
    headers,
    ...(body === "" ? {} : { body }),
    ...(/[?&](watch|follow)=(true|1)(&|$)/.test(path) ? { stream: true } : {}),
    signal: gone.signal,
  });
  await write(response, answer);
}

/** The headers for the target; undefined for a request without the token. */
function headersFor(request: IncomingMessage, token: string | undefined): Readonly<Record<string, string>> | undefined {
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) return undefined;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (HOP_BY_HOP.has(name) || name.startsWith(":") || (name === "authorization" && token !== undefined)) continue;
    headers[name] = Array.isArray(value) ? value.join(", ") : (value ?? "");
  }
  const accepted = (headers["accept"] ?? "").split(",").filter((type) => !/protobuf|cbor/.test(type));
  return { ...headers, accept: accepted.join(",") || "application/json" };
}

/** Headers of this connection only, and the accepted encodings, which the proxy would have to decode. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // Without an encoding the stream has Buffers.
  return Buffer.concat(chunks).toString("utf8");
}

async function write(response: ServerResponse, answer: ApiResponse): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) if (!HOP_BY_HOP.has(name)) response.setHeader(name, value);
  response.writeHead(answer.status);
  if (answer.stream === undefined) {
    response.end(answer.body);
    return;
  }
  // The caller must learn that the watch is open before the first event.
  response.flushHeaders();
  for await (const chunk of answer.stream) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
  }
  response.end();
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
