/** Fills a server with objects and prints their memory. A separate program, so that nothing else is in its heap. Needs --expose-gc. */
import { createApiServer } from "../../src/index.ts";
import { configMaps, createOf, WIDGETS, widgets } from "./workload.ts";

const [name = "", count = "1000"] = process.argv.slice(2);
const workload = name === widgets.name ? widgets : configMaps;
const server = createApiServer({ resources: [WIDGETS] });
await create(0);
const before = used();
let jsonBytes = 0;
for (let i = 1; i <= Number(count); i++) jsonBytes += await create(i);
const after = used();
process.stdout.write(JSON.stringify({ jsonBytes, heapBytes: after.heapUsed - before.heapUsed, rssBytes: after.rss - before.rss }));
await server.close();

/** Creates an object and resolves with its stored size. */
async function create(i: number): Promise<number> {
  const { method, path, contentType = "", body = "" } = createOf(workload, i);
  const answer = await server.handle({ method, path, headers: { "content-type": contentType, "user-agent": "bench/1" }, body });
  if (answer.status !== 201 || answer.stream !== undefined) throw new Error(`a create was answered with ${answer.status}`);
  return Buffer.byteLength(answer.body);
}

function used(): NodeJS.MemoryUsage {
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  return process.memoryUsage();
}
