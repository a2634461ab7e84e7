/**
 * Sends requests over raw keep-alive connections with one request in flight on each, because an HTTP client would cost more
 * than the server. Supports answers with a Content-Length or in chunks. A status of 400 or more ends the load with an error.
 */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { RawRequest } from "./workload.ts";

export interface Target {
  /** URL with http or https. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates in PEM, for https. */
  readonly tls?: { readonly ca: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
}

export interface LoadOptions {
  readonly count: number;
  readonly connections: number;
  readonly requestOf: (i: number) => RawRequest;
}

/** Resolves with the milliseconds of all requests. */
export async function load(target: Target, { count, connections, requestOf }: LoadOptions): Promise<number> {
  let next = 0;
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(target)));
  const startedAt = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      while (next < count) await exchange(socket, target, requestOf(next++));
    }),
  );
  const ms = performance.now() - startedAt;
  for (const socket of sockets) socket.destroy();
  return ms;
}

/** Sends one request on its own connection and resolves with the body of the answer. */
export async function once(target: Target, request: RawRequest): Promise<string> {
  const socket = await open(target);
  try {
    return await exchange(socket, target, request);
  } finally {
    socket.destroy();
  }
}

export function open({ url, tls }: Target): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = tls === undefined ? connect(Number(port), hostname) : connectTls({ host: hostname, port: Number(port), ...tls });
  socket.setNoDelay(true);
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once(tls === undefined ? "connect" : "secureConnect", () => resolve(socket));
  });
}

/** Returns the text of a request without a body, or with one in ASCII. */
export function textOf({ headers = {} }: Target, { method, path, contentType, body = "" }: RawRequest): string {
  const given = Object.entries({ host: "bench", "user-agent": "bench/1", accept: "application/json", ...headers });
  if (contentType !== undefined) given.push(["content-type", contentType], ["content-length", String(body.length)]);
  return `${method} ${path} HTTP/1.1\r\n${given.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}

function exchange(socket: Socket, target: Target, request: RawRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    let head = -1;
    const finish = (error?: Error): void => {
      socket.off("data", read);
      socket.off("close", gone);
      if (error === undefined) resolve(text.slice(head + 4));
      else reject(error);
    };
    const read = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      if (head < 0) head = text.indexOf("\r\n\r\n");
      if (head < 0 || !isWhole(text, head)) return;
      const status = Number(text.slice(9, 12));
      finish(status < 400 ? undefined : new Error(`${request.method} ${request.path} was answered with ${text.slice(0, 600)}`));
    };
    const gone = (): void => finish(new Error("the server closed the connection"));
    socket.on("data", read);
    socket.on("close", gone);
    socket.write(textOf(target, request));
  });
}

function isWhole(text: string, head: number): boolean {
  const length = /content-length: (\d+)/i.exec(text.slice(0, head));
  return length === null ? text.endsWith("\r\n0\r\n\r\n") : text.length >= head + 4 + Number(length[1]);
}
