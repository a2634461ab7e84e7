/** The rows of the comparison, with the goals of both variants of Treadle. */
import { CHANGES_OF_ROW } from "./measures.ts";

/** The two ways in which a user runs Treadle: its packages as they are, and one built program. */
export type Variant = "defaults" | "built";

/** The operators of a variant: ours, and those beside it, of which the first one that was measured counts. */
export const VARIANTS: Readonly<Record<Variant, { readonly us: string; readonly them: readonly [string, ...string[]] }>> = {
  defaults: { us: "treadle", them: ["controller-runtime"] },
  built: { us: "treadle-built", them: ["controller-runtime-tuned", "controller-runtime"] },
};

export interface Row {
  readonly name: string;
  readonly about: string;
  /** Of the ratio. */
  readonly goal?: number;
  /** Of our number itself. */
  readonly limit?: number;
}

interface GoalRow extends Omit<Row, "goal" | "limit"> {
  readonly goal?: Readonly<Record<Variant, number>>;
  readonly limit?: Readonly<Record<Variant, number>>;
}

const both = (goal: number): Readonly<Record<Variant, number>> => ({ defaults: goal, built: goal });

const ROWS: readonly GoalRow[] = [
  { name: "convergeMs", about: "Widgets from nothing to Ready, ms", goal: { defaults: 1, built: 0.85 } },
  { name: "convergeCpuMs", about: "the same, processor time, ms", goal: { defaults: 1.3, built: 1.1 } },
  { name: "convergePeakMb", about: "the same, highest resident memory, MB", limit: { defaults: 200, built: 150 } },
  { name: "requestsPerWidget", about: "requests for each Widget", goal: both(1) },
  { name: "carriedPerSecond", about: "changes a second that saturate the machine" },
  { name: "latencyP50Ms", about: "change to status, p50, ms", goal: both(1) },
  { name: "latencyP99Ms", about: "change to status, p99, ms", goal: both(1) },
  { name: "changesCpuMs", about: `${CHANGES_OF_ROW} changes after the warm-up, processor time, ms`, goal: { defaults: 1.3, built: 1.2 } },
  { name: "metadata.firstPassesMs", about: "Blobs, metadata only: from the start to a pass for each, ms", goal: both(1) },
  { name: "metadata.syncCpuMs", about: "Blobs, metadata only: processor time, ms" },
  { name: "metadata.syncPeakMb", about: "Blobs, metadata only: highest resident memory, MB" },
  { name: "metadata.heapPerObjectKb", about: "Blobs, metadata only: live heap for each, KB", goal: both(1) },
  { name: "metadata.rssPerObjectKb", about: "Blobs, metadata only: resident memory at rest for each, KB" },
  { name: "cache.firstPassesMs", about: "Blobs, whole: from the start to a pass for each, ms", goal: both(1) },
  { name: "cache.syncCpuMs", about: "Blobs, whole: processor time, ms" },
  { name: "cache.syncPeakMb", about: "Blobs, whole: highest resident memory, MB" },
  { name: "cache.heapPerObjectKb", about: "Blobs, whole: live heap for each, KB", goal: { defaults: 0.5, built: 1 } },
  { name: "cache.rssPerObjectKb", about: "Blobs, whole: resident memory at rest for each, KB" },
  { name: "coldStartMs", about: "start of the process to the first status, ms", limit: { defaults: 450, built: 250 } },
  { name: "coldStartCpuMs", about: "the same, processor time, ms" },
  { name: "idleRssMb", about: "resident memory at rest, one Widget, MB", limit: { defaults: 100, built: 80 } },
  { name: "longestSliceMs", about: "Blobs, whole: longest own slice, ms of processor", limit: both(10) },
  { name: "longestCollectionMs", about: "Blobs, whole: longest garbage collection, ms" },
  { name: "longestTurnMs", about: "Blobs, whole: longest block, with collections and waits for a processor, ms" },
];

/** The rows with the goals of a variant. */
export function rowsOf(variant: Variant): Row[] {
  return ROWS.map(({ goal, limit, ...row }) => ({
    ...row,
    ...(goal === undefined ? {} : { goal: goal[variant] }),
    ...(limit === undefined ? {} : { limit: limit[variant] }),
  }));
}
