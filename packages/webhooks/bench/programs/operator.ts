/** The operator of the benchmarks, in a process of its own. It sends the address of its webhooks, and then reports when it is asked. */
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { webhookServer } from "../../src/index.ts";
import { site } from "./kinds.ts";

/** What the operator reports of the time since the last report. */
export interface Report {
  /** The longest turn of the event loop, in milliseconds of the processor: other programs of a busy machine do not count. */
  readonly longestMs: number;
  readonly residentBytes: number;
}

const api = createApiServer();
const [certFile, keyFile] = process.argv.slice(2) as [string, string];
const server = webhookServer([site], {
  service: { name: "bench", namespace: "default" },
  host: "127.0.0.1",
  port: 0,
  tls: { certFile, keyFile },
});
const manager = createManager({
  client: (wish) => createClient({ ...wish, transport: api.transport() }),
  probes: false,
  metrics: false,
  logLevel: "error",
});
manager.add(server);
await manager.start();
let longestUs = 0;
let before = process.threadCpuUsage();
process.on("message", () => {
  const report: Report = { longestMs: longestUs / 1_000, residentBytes: process.memoryUsage.rss() };
  longestUs = 0;
  process.send?.(report);
});
if (process.argv[4] === "turns") turn();
process.send?.(server.address?.port);

/** Measures each turn. It keeps the loop turning, so it is off where latencies are measured. */
function turn(): void {
  const now = process.threadCpuUsage();
  longestUs = Math.max(longestUs, now.user + now.system - before.user - before.system);
  before = now;
  setImmediate(turn);
}
