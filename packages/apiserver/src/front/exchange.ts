/** One request on a socket, over HTTP/1.1 or HTTP/2, and its answer from {@link ApiServer.handle}. A watch ends when its client disconnects. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import type { ApiServer } from "../api-server.ts";
import type { Identity } from "../authorization/identity.ts";
import { MAX_BODY_BYTES, textEncodingOf } from "../request/content.ts";
import { entityTooLarge, type StatusError, unauthorized } from "../errors/status-errors.ts";
import { readInto } from "../storage/event-queue.ts";
import { finished, frontHeaders } from "./finish.ts";
import { chunkWriter, type Frames } from "./frames.ts";

/** Returns the sender of a request, or `undefined` when the request is not authenticated. */
export type Authenticate = (request: IncomingMessage) => Identity | undefined;

/** A request, its answer, and how its sender is found. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly authenticate: Authenticate;
  /** Of the front. */
  readonly frames: Frames;
}

/** Answers a request. Rejects if the client disconnects before the end of its body. */
export async function exchange(server: ApiServer, { request, response, authenticate, frames }: Exchange): Promise<void> {
  response.on("error", () => response.destroy());
  const sender = authenticate(request);
  if (sender === undefined) return sendProblem(request, response, unauthorized());
  const body = await readBody(request);
  if (body === undefined) return sendProblem(request, response, entityTooLarge(`limit is ${MAX_BODY_BYTES}`));
  const signal = endOf(response, request);
  const answer = await server.handle(apiRequest(request, { body, signal }), sender);
  if (request.method === "HEAD" && answer.stream !== undefined) {
    // A HEAD request for a watch gets only the headers. Closing the response ends the watch.
    response.writeHead(answer.status, frontHeaders(request, answer)).end();
    return;
  }
  if (answer.stream === undefined) return send(request, response, answer);
  await follow(request, response, { answer, stream: answer.stream, frames });
}

/** Makes the request for the server. */
export function apiRequest(
  request: IncomingMessage,
  { body = "", signal }: { readonly body?: string; readonly signal: AbortSignal | undefined },
): ApiRequest {
  return {
    method: request.method as ApiRequest["method"], // or another one, which the server answers as such
    path: request.url ?? "/",
    headers: headersOf(request),
    ...(body === "" ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
    stream: true,
  };
}

/** Sends an answer without a stream. */
export async function send(request: IncomingMessage, response: ServerResponse, answer: ApiResponse): Promise<void> {
  const { status, headers, body, encoding } = await finished(request, answer);
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body, encoding) });
  response.end(body, encoding);
}

interface Following {
  readonly answer: ApiResponse;
  readonly stream: AsyncIterable<string>;
  readonly frames: Frames;
}

/** Follows a stream until one of both sides ends it. */
async function follow(request: IncomingMessage, response: ServerResponse, { answer, stream, frames }: Following): Promise<void> {
  response.writeHead(answer.status, frontHeaders(request, answer));
  // The client must learn that the watch is open before the first event.
  response.flushHeaders();
  const write = chunkWriter(response, textEncodingOf(answer.headers["content-type"]), frames);
  await readInto(stream, write);
  response.end();
}

/** Returns a signal that aborts when the client disconnects. Only requests that may be watches get one; the others are answered at once. */
function endOf(response: ServerResponse, { method, url = "" }: IncomingMessage): AbortSignal | undefined {
  // A percent sign can be part of an encoded `watch`.
  if ((method !== "GET" && method !== "HEAD") || !/watch|%/.test(url)) return undefined;
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  if (response.destroyed) controller.abort();
  return controller.signal;
}

/** Sends a refusal that is known before the body is read. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, { status }: StatusError): void {
  const answer: ApiResponse = { status: status.code, headers: { "content-type": "application/json" }, body: "" };
  // The rest of the body is not read, so the connection cannot be used for another request. A stream of HTTP/2 is one request.
  const close = request.complete || request.httpVersionMajor >= 2 ? {} : { connection: "close" };
  response.writeHead(status.code, { ...frontHeaders(request, answer), ...close });
  response.end(`${JSON.stringify(status)}\n`);
}

/**
 * Reads the body as text, or returns `undefined` when it is too big. Uses events, because an async iterator costs as much as
 * the rest of the request.
 */
function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) {
        request.pause();
        resolve(undefined);
      } else chunks.push(chunk);
    });
    const encoding = textEncodingOf(request.headers["content-type"]);
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]?.toString(encoding) : Buffer.concat(chunks).toString(encoding)));
    request.on("error", reject);
    request.on("close", () => {
      // `close` also follows a complete body. An Error is only made for an incomplete one, because its stack trace is expensive.
      if (!request.complete) reject(new Error("the client disconnected before the end of its request"));
    });
  });
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name in request.headers) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}
