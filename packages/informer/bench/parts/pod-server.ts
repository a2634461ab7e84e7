/** A worker that serves pods over HTTP: `GET .../pods` by pages, and as a stream of initial events. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { pod } from "./pod.ts";

const { count, refusesStreams } = workerData as { readonly count: number; readonly refusesStreams: boolean };
const VERSION = "9000000";
const items = Array.from({ length: count }, (_, i) => JSON.stringify(pod(i)));

const server = createServer((request, response) => {
  const query = new URL(request.url ?? "/", "http://localhost").searchParams;
  response.setHeader("content-type", "application/json");
  if (!query.has("watch")) page(query, response);
  else if (query.get("sendInitialEvents") !== "true") response.flushHeaders();
  else if (refusesStreams) response.writeHead(422).end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code: 422 }));
  else void stream(response);
});

function page(query: URLSearchParams, response: ServerResponse): void {
  const from = Number(query.get("continue") ?? 0);
  const to = Math.min(count, from + Number(query.get("limit") ?? count));
  const more = to < count ? `,"continue":"${to}","remainingItemCount":${count - to}` : "";
  response.end(
    `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${VERSION}"${more}},"items":[${items.slice(from, to).join(",")}]}`,
  );
}

async function stream(response: ServerResponse): Promise<void> {
  for (const item of items)
    if (!response.write(`{"type":"ADDED","object":${item}}\n`)) await new Promise((resolve) => response.once("drain", resolve));
  const annotations = { "k8s.io/initial-events-end": "true" };
  response.write(`${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: VERSION, annotations } } })}\n`);
}

server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
