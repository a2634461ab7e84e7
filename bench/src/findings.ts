/** What a run finds, and where. */
import { cpus, loadavg, release, totalmem } from "node:os";
import type { Setup } from "./measures.ts";

/** What a run has found so far. */
export interface Findings {
  /** By operator and measure, one value for each round. */
  readonly measured: Record<string, Record<string, number[]>>;
  /** By operator, of the first round. */
  readonly requests: Record<string, Record<string, number>>;
  readonly dumbLoopMs: number[];
  /** The steady rate of changes. Absent until it is found. */
  perSecond?: number;
  /** What could not be measured, and why. */
  readonly failures: string[];
}

/** Everything that one run found; what is written as JSON. */
export interface Results extends Findings {
  readonly machine: Record<string, string | number>;
  readonly minutes: number;
  readonly sizes: Pick<Setup, "widgets" | "blobs" | "changes" | "changesSeconds" | "warmUpSeconds" | "concurrency">;
}

export const noFindings = (): Findings => ({ measured: {}, requests: {}, dumbLoopMs: [], failures: [] });

/** The machine, and its load now. */
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

export function factsOf(machine: Results["machine"]): string {
  return Object.entries(machine)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
