/** The removal of the objects of a step: those that are no longer desired, and all when the owner is deleted. */
import type { Wait } from "@treadle/reconcile";
import { waitBecause } from "@treadle/reconcile/unstable/engine";
import type { NewEntry } from "./core/entries.ts";
import { type Kept, NONE, remove } from "./core/remove.ts";
import { LOOK_AGAIN_MS, retryLater } from "./retry-later.ts";
import { removalOf, report, type Unit } from "./unit.ts";

/** Removes objects with an earlier name. Without a watch it does so only after the name has changed. */
export async function pruneOthers(unit: Unit, keep: Kept): Promise<readonly NewEntry[]> {
  const { dependent, context } = unit;
  if (dependent.policy.isWatched) return (await remove(context, removalOf(unit, keep, false))).left;
  const memory = context.memory.unit(context.unit);
  if (memory.prunedFor === keep.id) return [];
  const { left } = await remove(context, removalOf(unit, keep, true));
  if (left.length === 0) memory.prunedFor = keep.id;
  return left;
}

/** An owner that is not being deleted does not wait for an unchecked dependent that cannot be removed. */
export async function cleanedUp(unit: Unit): Promise<Wait | undefined> {
  try {
    return await cleanup(unit);
  } catch (error) {
    if (unit.dependent.isChecked || unit.pass.isDeleting) throw error;
    retryLater(unit, error);
    return undefined;
  }
}

async function cleanup(unit: Unit): Promise<Wait | undefined> {
  const { dependent, context, pass } = unit;
  const { isWatched } = dependent.policy;
  if (pass.isDeleting && isToOrphan(unit)) return undefined;
  const { left } = await remove(context, removalOf(unit, NONE, pass.isDeleting || !isWatched));
  if (dependent.isChecked) report(unit, left);
  const [first] = left;
  if (first === undefined) context.memory.unit(context.unit).prunedFor = NONE.id;
  if (first === undefined || (!pass.isDeleting && !dependent.isChecked)) return undefined;
  const text = left.length === 1 ? first.message : `${left.length} objects are being deleted: ${first.message}`;
  return waitBecause(text, { code: first.reason, afterMs: isWatched ? LOOK_AGAIN_MS : undefined });
}

/** The finalizer that the server sets when an object is deleted with `--cascade=orphan`. */
const ORPHAN_FINALIZER = "orphan";

/**
 * With this finalizer the objects of the owner must stay. The garbage collector removes it together with the references,
 * possibly before the last cleanup has run. So the memory keeps it.
 */
function isToOrphan({ context: { owner, memory } }: Unit): boolean {
  if (owner.metadata.finalizers?.includes(ORPHAN_FINALIZER) === true) memory.isOrphaning = true;
  return memory.isOrphaning;
}
