/** The removal of the objects of a step: those that are no longer desired, and all when the owner is deleted. */
import type { Ref } from "@treadle/apimachinery";
import type { Wait } from "@treadle/reconcile";
import { waitBecause } from "@treadle/reconcile/unstable/engine";
import type { NewEntry } from "./core/entries.ts";
import { type Kept, NONE, releaseAll, remove } from "./core/remove.ts";
import { UNCHANGED } from "./core/work.ts";
import { LOOK_AGAIN_MS, retryLater } from "./retry-later.ts";
import { removalOf, report, type Unit } from "./unit.ts";
import { supervisorOf } from "./supervision.ts";
import { isReleased } from "./verdict.ts";

/** Removes objects with an earlier name. Without a watch it does so only after the name has changed. */
export async function pruneOthers(unit: Unit, keep: Kept): Promise<readonly NewEntry[]> {
  const { dependent, context } = unit;
  if (dependent.policy.isWatched) {
    const { left, deleted } = await remove(context, removalOf(unit, keep, false));
    noteRemoved(unit, { deleted, released: [] });
    return leavingEntries(unit, left);
  }
  const memory = context.memory.unit(context.unit);
  if (memory.prunedFor === keep.id) return [];
  const { left, deleted } = await remove(context, removalOf(unit, keep, true));
  noteRemoved(unit, { deleted, released: [] });
  if (left.length === 0) memory.prunedFor = keep.id;
  return leavingEntries(unit, left);
}

/** Notes for the supervisor of the step which objects were deleted and released. */
function noteRemoved(
  { dependent, pass }: Unit,
  { deleted, released }: { readonly deleted: readonly Ref[]; readonly released: readonly Ref[] },
): void {
  if (deleted.length + released.length === 0 || supervisorOf(pass.handler, dependent.name) === undefined) return;
  const before = pass.found.removed.get(dependent.name);
  pass.found.removed.set(dependent.name, {
    deleted: [...(before?.deleted ?? []), ...deleted],
    released: [...(before?.released ?? []), ...released],
  });
}

/** The entries of objects that are being deleted, in the words of the supervisor of the step. */
function leavingEntries({ dependent, pass }: Unit, left: readonly NewEntry[]): readonly NewEntry[] {
  const { name, policy } = dependent;
  const supervisor = supervisorOf(pass.handler, name);
  if (supervisor === undefined) return left;
  const given = { cause: "leaving", isReady: false, kind: policy.kind, live: undefined, operation: UNCHANGED } as const;
  const course = pass.found.courses.get(name);
  const more = { isJudgedByAuthor: false, previous: () => undefined, course: course?.type === "run" ? course : undefined };
  return left.map((entry) => ({ ...entry, ...supervisor.word(name, { ...given, ...more, state: entry }) }));
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
  const { dependent, pass } = unit;
  const { isWatched } = dependent.policy;
  const left = await removedAll(unit, pass.isDeleting || !isWatched);
  if (left.length === 0 || (!pass.isDeleting && !dependent.isChecked)) return undefined;
  return waitFor(left, isWatched ? LOOK_AGAIN_MS : undefined);
}

/** Returns the wait for objects that are being deleted. */
export function waitFor(left: readonly NewEntry[], afterMs: number | undefined): Wait {
  const [first] = left as readonly [NewEntry]; // Callers have looked.
  const text = left.length === 1 ? first.message : `${left.length} objects are being deleted: ${first.message}`;
  return waitBecause(text, { code: first.reason, afterMs });
}

/** Removes all objects of the step, or releases them. Returns the entries of those that still exist. @throws the error of the server */
export async function removedAll(unit: Unit, isLive: boolean): Promise<readonly NewEntry[]> {
  const { dependent, context, pass } = unit;
  if (pass.isDeleting && isToOrphan(unit)) return [];
  const removal = removalOf(unit, NONE, isLive);
  if (isReleased(dependent, context.owner)) {
    noteRemoved(unit, { deleted: [], released: await releaseAll(context, removal) });
    if (dependent.isChecked) report(unit, []);
    context.memory.unit(context.unit).prunedFor = NONE.id;
    return [];
  }
  const { left, deleted } = await remove(context, removal);
  noteRemoved(unit, { deleted, released: [] });
  if (dependent.isChecked) report(unit, leavingEntries(unit, left));
  if (left.length === 0) context.memory.unit(context.unit).prunedFor = NONE.id;
  return left;
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
