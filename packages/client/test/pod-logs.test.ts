/** Logs come from a kubelet through the API server; here a server of our own stands for both. */
import type { RequestListener } from "node:http";
import { isApiError, isNotFound } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { createClient, type Exchange, httpTransport, podLogs } from "../src/index.ts";
import { MAX_LOG_LINE } from "../src/pod-logs.ts";
import { startServer } from "./http-server.ts";

const pod = { name: "web", namespace: "ns" };

async function setUp(listener: RequestListener) {
  const server = await startServer(listener);
  const exchanges: Exchange[] = [];
  const transport = httpTransport({ server: server.url });
  const client = createClient({ transport, retry: false, onExchange: (exchange) => exchanges.push(exchange) });
  onTestFinished(() => client.close());
  return { client, server, exchanges };
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const seen: string[] = [];
  for await (const line of lines) seen.push(line);
  return seen;
}

test("the lines of a log have no line ends, and blank and unfinished lines are included", async () => {
  const text = Buffer.from("one\r\n\nümläut 🧵\nlast");
  const { client } = await setUp((_, response) => {
    response.socket?.setNoDelay(true);
    const rest = [...text];
    const next = (): void => {
      const byte = rest.shift();
      if (byte === undefined) return void response.end();
      response.write(Buffer.from([byte]));
      setImmediate(next);
    };
    next();
  });
  expect(await all(podLogs(client, pod))).toEqual(["one", "", "ümläut 🧵", "last"]);
});

test("the options of a log are sent as query parameters", async () => {
  const urls: (string | undefined)[] = [];
  const { client, exchanges } = await setUp((request, response) => {
    urls.push(request.url);
    response.end();
  });
  const since = new Date("2026-01-02T03:04:05.678Z");
  await all(podLogs(client, pod, { container: "app", follow: true, tailLines: 0, since, previous: true, timestamps: true, limitBytes: 9 }));
  await all(podLogs(client, pod, { since: { seconds: 60 } }));
  expect(urls).toEqual([
    "/api/v1/namespaces/ns/pods/web/log?container=app&follow=true&previous=true&timestamps=true&tailLines=0&limitBytes=9&sinceTime=2026-01-02T03%3A04%3A05.678Z",
    "/api/v1/namespaces/ns/pods/web/log?sinceSeconds=60",
  ]);
  expect(exchanges[0]).toMatchObject({ verb: "get", resource: "pods", subresource: "log", status: 200 });
});

test("a followed log gives lines as they are written, and leaving the loop closes the connection", async () => {
  const closed = Promise.withResolvers<void>();
  let write: ((text: string) => void) | undefined;
  const { client } = await setUp((request, response) => {
    request.socket.once("close", () => closed.resolve());
    write = (text) => void response.write(text);
    write("one\n");
  });
  const seen: string[] = [];
  for await (const line of podLogs(client, pod, { follow: true })) {
    seen.push(line);
    if (line === "two") break;
    write?.("two\n");
  }
  expect(seen).toEqual(["one", "two"]);
  await closed.promise;
});

test("an abort ends a log with the signal's reason, also while it is silent", async () => {
  const closed = Promise.withResolvers<void>();
  const { client } = await setUp((request, response) => {
    request.socket.once("close", () => closed.resolve());
    response.write("one\n");
  });
  const controller = new AbortController();
  const lines = podLogs(client, pod, { follow: true, signal: controller.signal });
  expect(await lines.next()).toEqual({ done: false, value: "one" });
  const silent = lines.next();
  const reason = new Error("boom");
  controller.abort(reason);
  await expect(silent).rejects.toBe(reason);
  await closed.promise;
});

test("a slow reader of a log slows the server down and does not fill the memory", async () => {
  const line = `${"x".repeat(65_535)}\n`;
  const total = 2_000;
  let written = 0;
  const stalled = Promise.withResolvers<void>();
  const { client } = await setUp((_, response) => {
    const next = (): void => {
      while (written < total) {
        written++;
        if (response.write(line)) continue;
        if (written > 50) stalled.resolve();
        return void response.once("drain", next);
      }
      response.end();
    };
    next();
  });
  const lines = podLogs(client, pod)[Symbol.asyncIterator]();
  await lines.next();
  await stalled.promise;
  // 128 MB are to be sent; what sockets and streams hold is a small part of that.
  expect(written).toBeLessThan(total / 2);
  let count = 1;
  while ((await lines.next()).done !== true) count++;
  expect(count).toBe(total);
});

test("a log line without an end is split", async () => {
  const { client } = await setUp((_, response) => response.end("x".repeat(2 * MAX_LOG_LINE + 3)));
  expect((await all(podLogs(client, pod))).map(({ length }) => length)).toEqual([MAX_LOG_LINE, MAX_LOG_LINE, 3]);
});

test("the errors of a log name the pod", async () => {
  const { client, server } = await setUp((request, response) => {
    const [, name] = /pods\/(\w+)\/log/.exec(request.url ?? "") ?? [];
    const status = (code: number, message: string, details: object): void =>
      void response
        .writeHead(code, { "content-type": "application/json" })
        .end(JSON.stringify({ kind: "Status", status: "Failure", code, message, details }));
    if (name === "none") status(404, 'pods "none" not found', { name: "none", kind: "pods" });
    if (name === "starting") status(400, 'container "app" in pod "starting" is waiting to start', { name });
    if (name === "lost") {
      response.write("one\n");
      setImmediate(() => request.socket.destroy());
    }
  });
  const failure = (name: string): Promise<unknown> => all(podLogs(client, { ...pod, name })).catch((cause: unknown) => cause);
  expect(await failure("none")).toSatisfy(isNotFound);
  expect(await failure("starting")).toSatisfy(isApiError);
  expect(String(await failure("starting"))).toContain(
    'cannot get log of Pod ns/starting: container "app" in pod "starting" is waiting to start',
  );
  expect(await failure("lost")).toMatchObject({ code: "ERR_CONNECTION_LOST", server: server.url });
  await expect(all(podLogs(client, { name: "", namespace: "ns" }))).rejects.toThrow(TypeError);
  await expect(all(podLogs(client, pod, { since: new Date("never") }))).rejects.toThrow(TypeError);
});
