/** Counts the objects of a set for the gauge `treadle_dependents`. */
import { OBJECTS, sets } from "../extension.ts";
import type { Run } from "./run.ts";

/** The states that objects have. A custom one counts as Unknown. */
const TYPES = ["Ready", "Pending", "Failed", "Unknown"] as const;

interface Counted {
  readonly type: string;
}

/** Notes how many objects the set has in each state. */
export function countObjects({ definition, req, memory }: Run, states: readonly Counted[]): void {
  memory.isCounted = true;
  const counts = new Map<string, number>(TYPES.map((type) => [type, 0]));
  for (const { type } of states) {
    const known = counts.has(type) ? type : "Unknown";
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  for (const [type, count] of counts) sets.of(req).objectGauge(OBJECTS.name, { step: definition.name, type }, count);
}

/**
 * Notes the objects that an earlier process has reported, in a pass that looks at none. Of more than 100 objects the status has only those
 * that are not ready.
 */
export function countStoredObjects(run: Run): void {
  if (!run.memory.isCounted) countObjects(run, run.stored.list);
}
