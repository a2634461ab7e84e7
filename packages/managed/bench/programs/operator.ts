/** The operator of the benchmark, in a process of its own: the parent asks it for numbers. */
import { connect, type Exchange } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { Bucket, bucketsOf, Outside } from "./kinds.ts";

/** What an operator reports of the time since the last report. */
export interface Report {
  /** The number of Ready objects. */
  readonly ready: number;
  readonly requests: number;
  /** The times of the calls of the provider, in milliseconds. */
  readonly calls: readonly number[];
  /** Processor time, in microseconds. */
  readonly cpuUs: number;
  readonly residentBytes: number;
}

interface Settings {
  readonly server: string;
  readonly rate: { readonly perSecond: number; readonly burst: number };
  readonly pollMs: number;
  /** The number of resources that exist already. */
  readonly existing: number;
}

const { server, rate, pollMs, existing } = JSON.parse(process.argv[2] ?? "{}") as Settings;
const outside = new Outside();
for (let i = 0; i < existing; i++) outside.sizes.set(`many-b${i}`, 1);
let requests = 0;
let cpu = process.cpuUsage();
const manager = createManager({
  client: (wish) =>
    connect({
      config: { source: "bench", server, credentials: async () => ({}) },
      ...wish,
      onExchange: (exchange: Exchange) => {
        requests++;
        wish.onExchange(exchange);
      },
    }),
  probes: false,
  metrics: false,
  logLevel: "error",
});
await manager.add(bucketsOf(outside, { rate, pollMs }), { concurrency: 20 }).start();

const isReady = ({
  status,
}: {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}) => status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;

process.on("message", () => {
  const { user, system } = process.cpuUsage(cpu);
  const report: Report = {
    ready: (manager.informers?.get(Bucket)?.list() ?? []).filter(isReady).length,
    requests,
    calls: outside.calls.splice(0),
    cpuUs: user + system,
    residentBytes: process.memoryUsage().rss,
  };
  requests = 0;
  cpu = process.cpuUsage();
  process.send?.(report);
});
process.send?.("started");
process.on("disconnect", () => process.exit());
