/**
 * A proxy on the loopback interface in front of any API server, the real one too, whose requests meet faults: for operators
 * in another process or another language, and for what only a socket shows.
 *
 * It carries JSON and YAML: what asks for protobuf is answered in JSON, and connections that are upgraded (exec,
 * port-forward) are refused.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type ApiRequest, type ApiResponse, type Clock, systemClock, type Transport } from "@treadle/apimachinery";
import { httpTransport, type HttpTransportOptions } from "@treadle/client";
import { failure } from "./answers.ts";
import { type Faults, FaultSet } from "./faults.ts";
import { type Exchange, reset, startFront } from "./front.ts";
import { faultyTransport } from "./transport.ts";

export interface FaultProxyOptions {
  /** Where the requests go: a base URL, or what `loadConfig()` of `@treadle/client` gives, with credentials. */
  readonly target: string | HttpTransportOptions;
  /** @defaultValue 0: a free port */
  readonly port?: number;
  /** For delays. @defaultValue the machine's time */
  readonly clock?: Clock;
  /** Serves HTTPS with this certificate, by HTTP/2 to those who can (PEM). @defaultValue HTTP/1.1 without TLS */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface FaultProxy extends AsyncDisposable {
  /** Where it listens, on 127.0.0.1. */
  readonly url: string;
  /**
   * What a request has to bring as a bearer token: whoever reaches the proxy acts with the credentials of its target.
   * Absent where the target has none.
   */
  readonly token: string | undefined;
  readonly faults: Faults;
  /** A connection for a client in this process that brings the token: a client sends no credentials over plain HTTP by itself. */
  connect(): Transport;
  /**
   * Asks clients to leave their connections, as a server does that will end: by GOAWAY in HTTP/2, by `Connection: close` with
   * the next answer in HTTP/1.1. What is in progress goes on.
   */
  goAway(): void;
  /** Ends all connections and stops listening. Idempotent. */
  close(): Promise<void>;
}

/** Starts a proxy. @throws TypeError for a target that is no URL, Error when the port cannot be had */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { port = 0, clock = systemClock } = options;
  const target = typeof options.target === "string" ? { server: options.target } : options.target;
  const token = target.credentials === undefined ? undefined : randomUUID();
  const faults = new FaultSet(clock);
  const transport = faultyTransport(httpTransport(target), faults);
  const front = await startFront({ port, tls: options.tls }, (exchange) => {
    // Whatever fails inside, the caller sees a connection that breaks.
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
  response.on("close", () => gone.abort(new Error("the caller has gone")));
  const headers = headersFor(request, token);
  if (headers === undefined)
    return await write(response, failure(401, "Unauthorized", "the proxy wants the bearer token of `proxy.token`"));
  const body = await read(request);
  const path = request.url ?? "/";
  const answer = await transport.request({
    method: (request.method ?? "GET") as ApiRequest["method"], // an API server answers others with 405
    path,
    headers,
    ...(body === "" ? {} : { body }),
    ...(/[?&](watch|follow)=(true|1)(&|$)/.test(path) ? { stream: true } : {}),
    signal: gone.signal,
  });
  await write(response, answer);
}

/** What the target is told; undefined for somebody who may not ask. */
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

/** Of this connection, not of the request; and encodings that would have to be undone. */
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
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks).toString("utf8");
}

async function write(response: ServerResponse, answer: ApiResponse): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) if (!HOP_BY_HOP.has(name)) response.setHeader(name, value);
  response.writeHead(answer.status);
  if (answer.stream === undefined) {
    response.end(answer.body);
    return;
  }
  // The caller is to know that the watch is open before the first event.
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
