/** The page of results: tables of medians and ratios, and what they were measured on. */
import { cpus, loadavg, release, totalmem } from "node:os";
import type { Setup } from "./measures.ts";
import { median } from "./statistics.ts";

/** What a run has found so far. */
export interface Findings {
  /** By operator and measure, one value for each round. */
  readonly measured: Record<string, Record<string, number[]>>;
  /** By operator, of the first round. */
  readonly requests: Record<string, Record<string, number>>;
  readonly dumbLoopMs: number[];
  /** What could not be measured, and why. */
  readonly failures: string[];
}

/** Everything that one run found; what is written as JSON. */
export interface Results extends Findings {
  readonly machine: Record<string, string | number>;
  readonly minutes: number;
  readonly sizes: Pick<Setup, "widgets" | "blobs" | "seconds" | "perSecond" | "concurrency">;
}

export const noFindings = (): Findings => ({ measured: {}, requests: {}, dumbLoopMs: [], failures: [] });

export interface Row {
  readonly name: string;
  readonly about: string;
  /** Of the ratio. */
  readonly goal?: number;
  /** Of our number itself. */
  readonly limit?: number;
}

const RECONCILING: readonly Row[] = [
  { name: "convergeMs", about: "Widgets from nothing to Ready, ms", goal: 1 },
  { name: "convergeCpuMs", about: "the same, processor time, ms" },
  { name: "requestsPerWidget", about: "requests for each Widget", goal: 1 },
  { name: "latencyP50Ms", about: "change to status, p50, ms" },
  { name: "latencyP99Ms", about: "change to status, p99, ms", goal: 1 },
  { name: "changesCpuMs", about: "all changes, processor time, ms" },
  { name: "reconcilePeakMb", about: "highest resident memory until then, MB" },
];
const WHOLE: readonly Row[] = [
  { name: "cache.firstPassesMs", about: "Blobs, whole: from the start to a pass for each, ms", goal: 1 },
  { name: "cache.syncCpuMs", about: "Blobs, whole: processor time, ms" },
  { name: "cache.syncPeakMb", about: "Blobs, whole: highest resident memory, MB" },
  { name: "cache.rssPerObjectKb", about: "Blobs, whole: resident memory at rest for each, KB" },
];
const METADATA: readonly Row[] = [
  { name: "metadata.firstPassesMs", about: "Blobs, metadata only: from the start to a pass for each, ms", goal: 1 },
  { name: "metadata.syncCpuMs", about: "Blobs, metadata only: processor time, ms" },
  { name: "metadata.syncPeakMb", about: "Blobs, metadata only: highest resident memory, MB" },
  { name: "metadata.heapPerObjectKb", about: "Blobs, metadata only: live heap for each, KB", goal: 1 },
  { name: "metadata.rssPerObjectKb", about: "Blobs, metadata only: resident memory at rest for each, KB" },
];
const PROCESS: readonly Row[] = [
  { name: "coldStartMs", about: "start of the process to the first status, ms", limit: 500 },
  { name: "coldStartCpuMs", about: "the same, processor time, ms" },
  { name: "idleRssMb", about: "resident memory at rest, one Widget, MB", limit: 110 },
  { name: "longestSliceMs", about: "Blobs, whole: longest own slice, ms of processor", limit: 10 },
  { name: "longestCollectionMs", about: "Blobs, whole: longest garbage collection, ms" },
  { name: "longestTurnMs", about: "Blobs, whole: longest block, with collections and waits for a processor, ms" },
];
const heapOfEach = (goal: number): Row => ({ name: "cache.heapPerObjectKb", about: "Blobs, whole: live heap for each, KB", goal });
const DEFAULTS = [...RECONCILING, ...WHOLE, heapOfEach(0.5), ...PROCESS];
const TUNED = [...RECONCILING, ...WHOLE, heapOfEach(1), ...METADATA, ...PROCESS];

export function machine(): Results["machine"] {
  const [cpu] = cpus();
  return {
    processor: cpu?.model ?? "unknown",
    processors: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    linux: release(),
    node: process.version,
    loadAtStart: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

/** The generated part of the page. */
export function report(results: Results): string {
  const { machine, sizes, requests, dumbLoopMs, failures } = results;
  const { widgets, blobs, seconds, perSecond, concurrency } = sizes;
  const facts = Object.entries(machine).map(([name, value]) => `${name} ${value}`);
  return [
    `${widgets} Widgets, ${blobs} Blobs of 5 KB, ${perSecond} changes a second for ${seconds} s, ${concurrency} passes at once, in turns:`,
    `medians, in parentheses the least and the most. ${results.minutes} minutes. Machine: ${facts.join(", ")}.`,
    ...failures.map((failure) => `\nNot measured: ${failure}.`),
    "\n## With defaults\n",
    ...versus(results, DEFAULTS, ["treadle", ["controller-runtime"]]),
    "\n## Tuned\n",
    ...versus(results, TUNED, ["treadle-built", ["controller-runtime-tuned", "controller-runtime"]]),
    ...others(results),
    "",
    `The same three requests for each Widget in a loop without a watch, a cache or a queue: ${spread(dumbLoopMs)} ms.`,
    "",
    ...Object.entries(requests).map(([name, counts]) => `Requests of ${name} for ${widgets} Widgets: ${list(counts)}.`),
  ].join("\n");
}

/** Ours beside theirs; where the first of theirs has not been measured, the next one counts. */
export function versus(
  { measured }: Pick<Findings, "measured">,
  rows: readonly Row[],
  [us, them]: readonly [string, readonly string[]],
): string[] {
  const lines = rows.map(({ name, about, goal, limit }) => {
    const ours = measured[us]?.[name] ?? [];
    const theirs = them.map((each) => measured[each]?.[name]).find((values) => values !== undefined) ?? [];
    const ratio = median(ours) / median(theirs);
    const verdict = limit === undefined ? verdictOf(goal, ratio, `${goal}x`) : verdictOf(limit, median(ours), String(limit));
    return `| ${about} | ${spread(ours)} | ${spread(theirs)} | ${Number.isNaN(ratio) ? "" : ratio.toFixed(2)} | ${verdict} |`;
  });
  return [`| | ${us} | ${them[0]} | ratio | goal |`, "|---|---|---|---|---|", ...lines];
}

function verdictOf(goal: number | undefined, value: number, text: string): string {
  if (goal === undefined) return "";
  return `${text}: ${Number.isNaN(value) ? "not measured" : value <= goal ? "reached" : "missed"}`;
}

const SHOWN = new Set(["treadle", "treadle-built", "controller-runtime", "controller-runtime-tuned"]);

function others({ measured }: Results): string[] {
  const names = Object.keys(measured).filter((name) => !SHOWN.has(name));
  if (names.length === 0) return [];
  const rows = [...TUNED].filter(({ name }) => names.some((other) => measured[other]?.[name] !== undefined));
  const columns = ["treadle", "controller-runtime", ...names];
  return [
    "\n## Beside others\n",
    `| | ${columns.join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...rows.map(({ name, about }) => `| ${about} | ${columns.map((column) => spread(measured[column]?.[name])).join(" | ")} |`),
  ];
}

function spread(values: readonly number[] = []): string {
  if (values.length === 0) return "";
  const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2));
  return `${short(median(values))} (${short(Math.min(...values))} to ${short(Math.max(...values))})`;
}

/** Counts in one line, the largest first. */
export function list(counts: Record<string, number>): string {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, count]) => `${what} ${count}`)
    .join(", ");
}
