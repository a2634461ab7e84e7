/** Judges two sides by pairs of measurements: each pair was taken in one round, one side after the other. */
import type { Measured } from "../measures.ts";
import { median, ratios, spread } from "../statistics.ts";

/** The two commits of a comparison. */
export const SIDES = ["old", "new"] as const;
export type Side = (typeof SIDES)[number];

/** What was measured of both, one entry for each round. */
export type Pairs = Readonly<Record<Side, readonly Measured[]>>;

/** The rows of the result: the name of a measure and what it is about. */
const ROWS: Readonly<Record<string, string>> = {
  widgetCpuMs: "processor time for each Widget, ms",
  passUs: "a pass that changes nothing, us of the processor",
  dependentUs: "a settled dependent, us of the processor",
  coldStartMs: "start of the process to the first status, ms",
  coldStartCpuMs: "the same, processor time, ms",
  idleRssMb: "resident memory at rest, one Widget, MB",
  convergeMs: "Widgets from nothing to Ready, ms",
  convergeCpuMs: "the same, processor time, ms",
  convergePeakMb: "the same, highest resident memory, MB",
  carriedPerSecond: "changes a second that saturate the machine (more is better)",
  latencyP50Ms: "change to status, p50, ms",
  latencyP99Ms: "change to status, p99, ms",
  changesCpuMs: "10000 changes after the warm-up, processor time, ms",
};

/** The ratios new / old of one measure, one for each pair in which both sides have it. */
export function ratiosOf(pairs: Pairs, name: string): number[] {
  const [old, fresh] = SIDES.map((side) => pairs[side].map((each) => each[name] ?? Number.NaN));
  return ratios(fresh ?? [], old ?? []).filter((ratio) => !Number.isNaN(ratio));
}

/** A table with the spread of each side and the spread of the ratios, for the measures that both have. */
export function table(pairs: Pairs): string[] {
  const lines = Object.entries(ROWS).flatMap(([name, about]) => {
    const found = ratiosOf(pairs, name);
    if (found.length === 0) return [];
    const [old, fresh] = SIDES.map((side) => spread(pairs[side].flatMap((each) => each[name] ?? [])));
    return [`| ${about} | ${old} | ${fresh} | ${shown(found)} |`];
  });
  return ["| median (quartiles) | old | new | new / old, of pairs |", "|---|---|---|---|", ...lines];
}

function shown(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(3)} (${least.toFixed(3)} to ${most.toFixed(3)})`;
}

/**
 * Tells whether the median of the ratios is above the limit. The second set of pairs is asked for only then, and alone decides: a
 * disturbance of one set does not fail.
 * @throws when there is no ratio to judge
 */
export async function isAbove(limit: number, first: readonly number[], again: () => Promise<readonly number[]>): Promise<boolean> {
  if (!exceeds(first, limit)) return false;
  return exceeds(await again(), limit);
}

function exceeds(found: readonly number[], limit: number): boolean {
  if (found.length === 0) throw new Error("no pair was measured on both sides");
  return median(found) > limit;
}
