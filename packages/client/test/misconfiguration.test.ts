/** What is wrong on our side is said to be wrong on our side, at once and without secrets. */
import { createServer, type Socket } from "node:net";
import { kind } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { createClient, type Exchange, type HttpTransportOptions, httpTransport } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startServer } from "./http-server.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const widget = { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name: "a", namespace: "ns" } };

function setUp(options: HttpTransportOptions) {
  const exchanges: Exchange[] = [];
  const client = createClient({ transport: httpTransport(options), onExchange: (exchange) => exchanges.push(exchange) });
  onTestFinished(() => client.close());
  return { client, exchanges };
}

test("a key that does not belong to the certificate is a TLS error, and the write was certainly not executed", async () => {
  const [ours, other] = [await selfSigned("one"), await selfSigned("two")];
  const server = await startServer((_, response) => void response.end("{}"), ours);
  const { client, exchanges } = setUp({ server: server.url, credentials: { ca: ours.cert, cert: ours.cert, key: other.key } });
  const error = await client.create(Widget, widget).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "ERR_TLS", isOutcomeUnknown: false });
  expect(exchanges).toHaveLength(1);
});

test.for([
  { name: "a token with a line break", headers: { authorization: "Bearer hunter2\nx" } },
  { name: "a group that is not Latin-1", headers: { "impersonate-group": ["ok", "hunter2→"] } },
])("$name is a credentials error that does not show it", async ({ headers }) => {
  const keys = await selfSigned("one");
  const server = await startServer((_, response) => void response.end("{}"), keys);
  const { client, exchanges } = setUp({ server: server.url, credentials: { ca: keys.cert, headers } });
  const error = await client.list(Widget).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "ERR_CREDENTIALS", isOutcomeUnknown: false });
  expect(String(error)).toContain(`the ${Object.keys(headers)[0]} header holds a character`);
  expect(String(error)).not.toContain("hunter2");
  expect([exchanges.length, server.connections()]).toEqual([1, 0]);
});

test("a header that HTTP cannot carry is not a lost connection", async () => {
  const server = await startServer((_, response) => void response.end("{}"));
  const { client, exchanges } = setUp({ server: server.url });
  const error = await client.raw({ method: "GET", path: "/version", headers: { "x-text": "a\nb" } }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "ERR_INVALID_REQUEST", isOutcomeUnknown: false });
  expect(exchanges).toHaveLength(1);
});

test("a proxy that accepts the connection and stays silent is an error after the connect timeout", async () => {
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const { port } = proxy.address() as { readonly port: number }; // it listens on TCP
  const transport = httpTransport({ server: "https://api.invalid", proxyUrl: `http://127.0.0.1:${port}`, connectTimeoutMs: 200 });
  const client = createClient({ transport, retry: false });
  onTestFinished(() => client.close());
  await expect(client.list(Widget)).rejects.toMatchObject({ name: "ConnectionError", code: "ERR_TIMEOUT" });
});
