/**
 * Measures for how long an initial sync keeps the event loop: 20,000 pods of 5 KB over HTTP, by pages and by a stream. A slice
 * is a turn of the event loop. Its length is the processor time of the main thread, so that a busy machine does not count,
 * without the pauses of the garbage collector, which are reported separately. Goal: 10 ms.
 * Run in this folder: `node --conditions=@treadle/source bench/slices.ts [objects] [page size]`
 */
import { PerformanceObserver } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import { kind, systemClock, systemRandom } from "@treadle/apimachinery";
import { createClient, httpTransport } from "@treadle/client";
import { createInformer } from "../src/index.ts";

const COUNT = Number(process.argv[2] ?? 20_000);
const PAGE = Number(process.argv[3] ?? 250);
const Pod = kind({ group: "", version: "v1", kind: "Pod" });

interface Turn {
  readonly from: number;
  readonly to: number;
  readonly cpuMs: number;
}

/** Records every turn of the event loop until the returned function is called. */
function recordTurns(): () => readonly Turn[] {
  const turns: Turn[] = [];
  let isOver = false;
  let from = performance.now();
  let usage = process.threadCpuUsage();
  const turn = (): void => {
    const to = performance.now();
    const { user, system } = process.threadCpuUsage(usage);
    turns.push({ from, to, cpuMs: (user + system) / 1000 });
    from = to;
    usage = process.threadCpuUsage();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns;
  };
}

const pauses: { readonly from: number; readonly ms: number }[] = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) pauses.push({ from: startTime, ms: duration });
}).observe({ entryTypes: ["gc"] });

async function measure(how: "pages" | "stream"): Promise<void> {
  const server = new Worker(new URL("./parts/pod-server.ts", import.meta.url), {
    workerData: { count: COUNT, refusesStreams: how === "pages" },
  });
  const port = await new Promise<number>((resolve) => server.once("message", resolve));
  const transport = httpTransport({ server: `http://127.0.0.1:${port}` });
  const client = createClient({ transport });
  const informer = createInformer({
    client,
    kind: Pod,
    clock: systemClock,
    random: systemRandom,
    pageSize: PAGE,
    onWarning: () => undefined,
  });
  await client.list(Pod, { limit: 1 }); // The first request loads the HTTP library.
  pauses.length = 0;
  const stop = recordTurns();
  const startedAt = performance.now();
  informer.start();
  await informer.synced();
  const tookMs = performance.now() - startedAt;
  const turns = stop();
  await new Promise((resolve) => setTimeout(resolve, 50)); // The observer is called a little later.
  report(how, { turns, tookMs, objects: informer.progress().objects });
  await informer.stop();
  await transport.close();
  await server.terminate();
}

function report(how: string, run: { readonly turns: readonly Turn[]; readonly tookMs: number; readonly objects: number }): void {
  const pausesIn = ({ from, to }: Turn): number =>
    pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(to, pause.from + pause.ms) - Math.max(from, pause.from)), 0);
  const own = run.turns.map((turn) => Math.max(0, turn.cpuMs - pausesIn(turn))).sort((a, b) => b - a);
  const began = run.turns[0]?.from ?? 0;
  const over = run.turns.filter((turn) => turn.cpuMs - pausesIn(turn) > 10).map(({ from }) => Math.round(from - began));
  const longest = (values: readonly number[]): number => Number(values.reduce((a, b) => Math.max(a, b), 0).toFixed(1));
  const row = {
    "list by": how,
    objects: run.objects,
    "sync ms": Math.round(run.tookMs),
    "own slice ms, longest": longest(own),
    "own slice ms, 99th percentile": Number((own[Math.floor(own.length / 100)] ?? 0).toFixed(1)),
    "own slices over 10 ms, when": over,
    "slice with garbage collection ms, longest": longest(run.turns.map(({ cpuMs }) => cpuMs)),
    "garbage collection ms, longest": longest(pauses.map(({ ms }) => ms)),
    "garbage collection ms, all": Math.round(pauses.reduce((sum, { ms }) => sum + ms, 0)),
  };
  console.log(JSON.stringify(row, null, 2));
}

// The first run of each includes compilation, as in an operator.
for (const how of ["pages", "pages", "stream", "stream"] as const) await measure(how);
