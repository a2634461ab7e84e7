/** The page of results: a table of medians and ratios, and what they were measured on. */
import { cpus, loadavg, release, totalmem } from "node:os";
import type { Measured, Setup } from "./measures.ts";
import { median } from "./statistics.ts";

/** Everything that one run found; what is written as JSON. */
export interface Results {
  readonly machine: Record<string, string | number>;
  readonly sizes: Pick<Setup, "widgets" | "blobs" | "seconds" | "perSecond" | "concurrency"> & { readonly rounds: number };
  /** By operator, one for each round. */
  readonly rounds: Record<string, Measured[]>;
  /** By operator, of the first round. */
  readonly requests: Record<string, Record<string, number>>;
  readonly dumbLoopMs: readonly number[];
}

/** What a row of the table says; a goal is of the ratio, unless it is of the number itself. */
const ROWS: readonly { readonly name: string; readonly about: string; readonly goal?: number; readonly isAbsolute?: boolean }[] = [
  { name: "convergeMs", about: "Widgets from nothing to Ready, ms", goal: 1 },
  { name: "convergeCpuMs", about: "the same, processor time, ms" },
  { name: "requestsPerWidget", about: "requests for each Widget", goal: 1 },
  { name: "latencyP50Ms", about: "change to status, p50, ms" },
  { name: "latencyP99Ms", about: "change to status, p99, ms", goal: 1 },
  { name: "changesCpuMs", about: "all changes, processor time, ms" },
  { name: "longestBlockMs", about: "longest block of the event loop, ms" },
  { name: "cache.firstPassesMs", about: "Blobs, whole: from the start to a pass for each, ms", goal: 1 },
  { name: "cache.syncCpuMs", about: "Blobs, whole: processor time, ms" },
  { name: "cache.syncPeakMb", about: "Blobs, whole: highest resident memory, MB" },
  { name: "cache.heapPerObjectKb", about: "Blobs, whole: live heap for each, KB", goal: 0.5 },
  { name: "cache.rssPerObjectKb", about: "Blobs, whole: resident memory for each, KB" },
  { name: "cache.syncLongestBlockMs", about: "Blobs, whole: longest block of the event loop, ms" },
  { name: "metadata.firstPassesMs", about: "Blobs, metadata only: from the start to a pass for each, ms" },
  { name: "metadata.syncPeakMb", about: "Blobs, metadata only: highest resident memory, MB" },
  { name: "metadata.heapPerObjectKb", about: "Blobs, metadata only: live heap for each, KB", goal: 1 },
  { name: "metadata.rssPerObjectKb", about: "Blobs, metadata only: resident memory for each, KB" },
  { name: "coldStartMs", about: "start of the process to the first status, ms", goal: 500, isAbsolute: true },
  { name: "idleRssMb", about: "resident memory at rest, MB", goal: 110, isAbsolute: true },
];

export function machine(): Results["machine"] {
  const [cpu] = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  const load = Number((loadavg()[0] ?? 0).toFixed(1));
  return {
    processor: cpu?.model ?? "unknown",
    processors: cpus().length,
    memoryGb,
    linux: release(),
    node: process.version,
    loadAtStart: load,
  };
}

/** The generated part of the page. */
export function report({ machine, sizes, rounds, requests, dumbLoopMs }: Results): string {
  const [ours, theirs] = [rounds["treadle"] ?? [], rounds["controller-runtime"] ?? []];
  const rows = ROWS.map(({ name, about, goal, isAbsolute }) => {
    const [a, b] = [ours, theirs].map((all) => all.flatMap((each) => each[name] ?? []));
    const ratio = median(a ?? []) / median(b ?? []);
    const judged = isAbsolute ? median(a ?? []) : ratio;
    const verdict = goal === undefined ? "" : `${goal}${isAbsolute ? "" : "x"}: ${judged <= goal ? "reached" : "missed"}`;
    return `| ${about} | ${spread(a)} | ${spread(b)} | ${Number.isNaN(ratio) ? "" : ratio.toFixed(2)} | ${verdict} |`;
  });
  const facts = Object.entries(machine).map(([name, value]) => `${name} ${value}`);
  const { widgets, blobs, seconds, perSecond, concurrency } = sizes;
  return [
    `${widgets} Widgets, ${blobs} Blobs of 5 KB, ${perSecond} changes a second for ${seconds} s, ${concurrency} passes at once, in turns,`,
    `${sizes.rounds} rounds: medians, in parentheses the least and the most. Machine: ${facts.join(", ")}.`,
    "",
    "| | Treadle | controller-runtime | ratio | goal |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    `The same three requests for each Widget in a loop without a watch, a cache or a queue: ${spread(dumbLoopMs)} ms.`,
    "",
    ...Object.entries(requests).map(([name, counts]) => `Requests of ${name} for ${widgets} Widgets: ${list(counts)}.`),
  ].join("\n");
}

function spread(values: readonly number[] = []): string {
  if (values.length === 0) return "";
  const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2));
  return `${short(median(values))} (${short(Math.min(...values))} to ${short(Math.max(...values))})`;
}

function list(counts: Record<string, number>): string {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, count]) => `${what} ${count}`)
    .join(", ");
}
