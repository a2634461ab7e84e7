/** The part of the page about sets: what was measured, and what the Go original needs by its documentation. */
import { factsOf, type Results } from "./findings.ts";
import { list, versus } from "./report.ts";
import { type Row, VARIANTS } from "./rows.ts";
import { OBJECTS, type SetRequests, type SetSizes } from "./sets.ts";
import { median } from "./statistics.ts";

export interface SetResults extends Pick<Results, "machine" | "minutes" | "measured" | "failures"> {
  readonly sizes: SetSizes;
  /** By operator, of the first round. */
  readonly requests: Record<string, SetRequests>;
}

const ROWS: readonly Row[] = [
  { name: "sets.installMs", about: "Stacks from nothing to Ready, ms", goal: 1 },
  { name: "sets.installCpuMs", about: "the same, processor time, ms" },
  { name: "sets.installRequests", about: "the same, requests for each Stack", goal: 1 },
  { name: "sets.hourPasses", about: "steady state: passes for each Stack in an hour of requeues" },
  { name: "sets.hourRequests", about: "steady state: requests for each Stack in that hour", limit: 0 },
  { name: "sets.hourCpuMs", about: "steady state: processor time in that hour, ms" },
  { name: "sets.restRssMb", about: "steady state: resident memory, MB" },
  { name: "sets.deletedMs", about: "a deleted object exists again, p50, ms", limit: 1_000 },
  { name: "sets.deletedMostMs", about: "a deleted object exists again, slowest, ms", limit: 1_000 },
  { name: "sets.changedMs", about: "a changed object is reverted, p50, ms", limit: 1_000 },
  { name: "sets.changedMostMs", about: "a changed object is reverted, slowest, ms", limit: 1_000 },
  { name: "sets.removalMs", about: "all Stacks deleted, ms" },
  { name: "sets.removalRequests", about: "the same, requests for each Stack", goal: 1 },
];

/**
 * The requests of component-operator-runtime v0.3.158 for one component of `objects` objects, from a study of its code, with its defaults.
 * Without events, references, discovery, jitter, and polling of objects that are not ready, so a run has more of them. The Go
 * module proxy does not serve the module, so no run of it is on the page.
 */
const ORIGINAL = {
  /** Four passes with a read of the component and a status each, the finalizer, two reads and one write of each object. */
  install: (objects: number): number => 4 + 4 + 1 + 3 * objects,
  /** Every 10 minutes: the component, each object, the status. Once an hour: each object is written. */
  hour: (objects: number): number => 6 * (1 + objects + 1) + objects,
} as const;

/** The generated part of the page. */
export function setsReport(results: SetResults): string {
  const { machine, sizes, requests, failures, measured } = results;
  return [
    `${sizes.stacks} Stacks with ${OBJECTS} objects each (8 ConfigMaps, a Service, a ServiceAccount), ${sizes.concurrency} passes at once, in turns:`,
    `medians, in parentheses the quartiles. Steady state: ${sizes.factor} times faster than in reality, so 6 requeues of 10 minutes`,
    `take ${3_600 / sizes.factor} s. Drift: ${sizes.drifts} deleted and ${sizes.drifts} changed objects. ${results.minutes} minutes. Machine: ${factsOf(machine)}.`,
    ...failures.map((failure) => `\nNot measured: ${failure}.`),
    "",
    ...versus({ measured }, ROWS, ["treadle", ["controller-runtime"]]),
    "",
    ...(measured[VARIANTS.built.us] === undefined ? [] : [...versus({ measured }, ROWS, [VARIANTS.built.us, ["controller-runtime"]]), ""]),
    "component-operator-runtime (Go) is not measured: the Go module proxy that this page was made with does not serve it. Its requests are",
    "calculated from a study of the code of v0.3.158: every 10 minutes a read of the component and of each object and a status, every hour a write of",
    "each object. Events, discovery and polling are not in it.",
    "",
    ...originals(measured["treadle"] ?? {}),
    "",
    ...Object.entries(requests).flatMap(([name, { install, hour, removal }]) => [
      `Requests of ${name}, install: ${list(install)}. Steady state: ${list(hour) || "none"}. Removal: ${list(removal)}.`,
    ]),
  ].join("\n");
}

/** Measured numbers beside calculated ones: no ratio of times can be said. */
function originals(ours: Record<string, readonly number[]>): string[] {
  const line = (about: string, name: string, theirs: number): string => {
    const value = median(ours[name] ?? []);
    const verdict = Number.isNaN(value) ? "not measured" : value * 10 <= theirs ? "reached" : "missed";
    return `| ${about} | ${value.toFixed(2)} | ${theirs} | ${(value / theirs).toFixed(2)} | ${name === "sets.hourRequests" ? `0.1x: ${verdict}` : ""} |`;
  };
  return [
    "| requests for each Stack | treadle, measured | component-operator-runtime, calculated | ratio | goal |",
    "|---|---|---|---|---|",
    line("an hour of steady state", "sets.hourRequests", ORIGINAL.hour(OBJECTS)),
    line("install", "sets.installRequests", ORIGINAL.install(OBJECTS)),
  ];
}
