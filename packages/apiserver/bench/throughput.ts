/**
 * Rough figures of the server on this machine: `node --conditions=@treadle/source bench/throughput.ts`.
 * Not a test: numbers depend on the machine and on what else it does.
 */
import { connect } from "node:net";
import { parentPort, Worker, workerData } from "node:worker_threads";
import type { ApiRequest } from "@treadle/apimachinery";
import { type ApiServer, createApiServer, serveHttp } from "../src/index.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

if (parentPort === null) await main();
else parentPort.postMessage(await load(workerData));

async function main(): Promise<void> {
  const begun = performance.now();
  const first = createApiServer();
  await first.handle({ method: "GET", path: "/readyz", headers: {} });
  report("ready in process", `${(performance.now() - begun).toFixed(1)} ms`);
  await first.close();

  await inProcess(20_000);
  await overHttp(20_000, 32);
  await fanOut(1000, 1000);
  await listing(20_000);
}

async function inProcess(count: number): Promise<void> {
  const server = createApiServer();
  const ms = await timed(async () => {
    for (let i = 0; i < count; i++) await server.handle(creation(i));
  });
  report("creates of 1 KB, in process", perSecond(count, ms));
  await server.close();
}

/** The client runs in a thread of its own, so that the figure is the server's. */
async function overHttp(count: number, connections: number): Promise<void> {
  const server = createApiServer();
  const front = await serveHttp(server);
  const client = new Worker(new URL(import.meta.url), { workerData: { url: front.url + CONFIG_MAPS, count, connections } });
  const ms = await new Promise<number>((resolve, reject) => {
    client.on("message", resolve);
    client.on("error", reject);
  });
  report(`creates of 1 KB over HTTP, ${connections} connections`, perSecond(count, ms));
  await front.close();
  await server.close();
}

/** Sends the creates over raw keep-alive connections; an HTTP client would cost more than the server. */
async function load({
  url,
  count,
  connections,
}: {
  readonly url: string;
  readonly count: number;
  readonly connections: number;
}): Promise<number> {
  const { port, pathname } = new URL(url);
  let next = 0;
  const worker = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.setNoDelay(true);
      const send = (): void => {
        const i = next++;
        if (i >= count) {
          socket.end();
          resolve();
          return;
        }
        const body = creation(i).body ?? "";
        socket.write(
          `POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      };
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
        const head = text.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
        if (head < 0 || text.length < head + 4 + length) return;
        if (!text.startsWith("HTTP/1.1 201")) reject(new Error(text.slice(0, 300)));
        text = "";
        send();
      });
      socket.on("connect", send);
      socket.on("error", reject);
    });
  return timed(async () => {
    await Promise.all(Array.from({ length: connections }, worker));
  });
}

async function fanOut(watchers: number, changes: number): Promise<void> {
  const server = createApiServer({ watchBuffer: changes + 1 });
  let delivered = 0;
  const readers = Array.from({ length: watchers }, async () => {
    const { stream } = await server.handle({ method: "GET", path: `${CONFIG_MAPS}?watch=true`, headers: {}, stream: true });
    for await (const chunk of stream ?? []) if (chunk !== "") delivered++;
  });
  const ms = await timed(async () => {
    for (let i = 0; i < changes; i++) {
      await server.handle(creation(i));
      if (i % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
    }
    await server.close();
    await Promise.all(readers);
  });
  report(`events to ${watchers} watchers`, perSecond(delivered, ms));
}

async function listing(count: number): Promise<void> {
  const server: ApiServer = createApiServer();
  for (let i = 0; i < count; i++) await server.handle(creation(i));
  const whole = await timed(async () => {
    await server.handle({ method: "GET", path: CONFIG_MAPS, headers: {} });
  });
  report(`list of ${count} objects of 1 KB, first`, `${whole.toFixed(0)} ms`);
  const again = await timed(async () => {
    await server.handle({ method: "GET", path: CONFIG_MAPS, headers: {} });
  });
  report(`list of ${count} objects of 1 KB, again`, `${again.toFixed(0)} ms`);
  await server.close();
}

function creation(i: number): ApiRequest {
  const data = { text: "x".repeat(800), n: String(i) };
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `cm-${i}`, labels: { app: "bench" } }, data });
  return { method: "POST", path: CONFIG_MAPS, headers: { "user-agent": "bench/1" }, body };
}

async function timed(run: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function perSecond(count: number, ms: number): string {
  return `${Math.round((count / ms) * 1000).toLocaleString("en")} a second`;
}

function report(what: string, figure: string): void {
  process.stdout.write(`${what}: ${figure}\n`);
}
