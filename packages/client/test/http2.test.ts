/** HTTP/2, and how many connections calls take, over TLS. */
import http2 from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { kind } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { expect, onTestFinished, test } from "vitest";
import { createClient, type HttpTransportOptions, httpTransport } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const ref = { name: "a", namespace: "ns" };
const line = (name: string): string => `${JSON.stringify({ type: "ADDED", object: { metadata: { name } } })}\n`;

function clientOf(options: HttpTransportOptions) {
  const client = createClient({ transport: httpTransport(options) });
  onTestFinished(() => client.close());
  return client;
}

/** A server of HTTP/2 alone. `sessions` are its connections, in the order in which they came. */
async function startHttp2(onStream: (stream: http2.ServerHttp2Stream, path: string) => void) {
  const keys = await selfSigned("one");
  const server = http2.createSecureServer(keys);
  const sessions: http2.ServerHttp2Session[] = [];
  const sockets = new Set<Socket>();
  server.on("session", (session) => {
    sessions.push(session);
    session.on("error", () => {});
  });
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200, "content-type": "application/json" });
    onStream(stream, String(headers[":path"]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { sessions, client: clientOf({ server: `https://127.0.0.1:${port}`, credentials: { ca: keys.cert }, http2: true }) };
}

test("1,000 calls one after another take at most two TLS connections", async () => {
  const server = createApiServer();
  const front = await serveHttps(server);
  const client = clientOf({ server: front.url, credentials: { ca: front.caPem } });
  onTestFinished(async () => {
    await front.close();
    await server.close();
  });
  await client.create(ConfigMap, { metadata: { name: "a", namespace: "default" } });
  const ports = new Set<number | undefined>();
  const { subscribe, unsubscribe } = await import("node:diagnostics_channel");
  // Every connection that undici opens in this process.
  const note = (message: unknown): void => void ports.add((message as { readonly socket: Socket }).socket.localPort);
  subscribe("undici:client:connected", note);
  for (let i = 0; i < 1_000; i++) await client.get(ConfigMap, { name: "a", namespace: "default" });
  unsubscribe("undici:client:connected", note);
  expect([1, 2]).toContain(ports.size);
});

test("over HTTP/2, 1,000 calls and 50 watches take one connection for calls and one for watches", async () => {
  const { client, sessions } = await startHttp2((stream, path) => {
    if (path.includes("watch=true")) stream.write(line("a"));
    else stream.end('{"kind":"Widget","metadata":{"name":"a"}}');
  });
  for (let i = 0; i < 1_000; i++) await client.get(Widget, ref);
  expect(sessions).toHaveLength(1);
  const controller = new AbortController();
  const watches = await Promise.all(Array.from({ length: 50 }, () => client.watch(Widget, { signal: controller.signal })));
  for (const events of watches) expect((await events[Symbol.asyncIterator]().next()).done).toBe(false);
  expect(sessions).toHaveLength(2);
  // Calls still pass while watches are open.
  expect(await client.get(Widget, ref)).toMatchObject({ metadata: { name: "a" } });
  expect(sessions).toHaveLength(2);
  controller.abort();
});

test("a GOAWAY ends calls in progress, and no later call fails", async () => {
  let calls = 0;
  const { client, sessions } = await startHttp2((stream, path) => {
    if (path.includes("watch=true")) stream.write(line("a"));
    else {
      stream.end('{"kind":"Widget","metadata":{"name":"a"}}');
      // As a load balancer that drains: it takes no new streams on this connection.
      if (++calls % 25 === 0) stream.session?.goaway();
    }
  });
  for (let i = 0; i < 100; i++) expect(await client.get(Widget, ref)).toMatchObject({ metadata: { name: "a" } });
  expect(sessions.length).toBeGreaterThan(2);
  const events = (await client.watch(Widget))[Symbol.asyncIterator]();
  expect((await events.next()).done).toBe(false);
  const ended = events.next().then(
    ({ done }) => (done === true ? "ended" : "an event"),
    (error: { readonly name: string }) => error.name,
  );
  const session = sessions.at(-1);
  session?.goaway();
  session?.destroy();
  expect(["ended", "ConnectionError"]).toContain(await ended);
  expect((await (await client.watch(Widget))[Symbol.asyncIterator]().next()).done).toBe(false);
});
