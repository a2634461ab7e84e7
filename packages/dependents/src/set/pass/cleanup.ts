/** The phase `cleanup` of a set: removes its objects in their order, unless instances of its kinds guard them. */
import type { Wait } from "@treadle/reconcile";
import { truncate } from "@treadle/reconcile/unstable/engine";
import { shownEntries } from "../../core/entries.ts";
import { release } from "../../core/release.ts";
import { LOOK_AGAIN_MS } from "../../retry-later.ts";
import { countObjects } from "./count-objects.ts";
import { recordRemoval } from "./changes.ts";
import { alsoGuardsOf, type SetDefinition } from "../definition.ts";
import { fillStatus } from "./fill-status.ts";
import { type Blocker, blockerByKinds, blockerOf, GUARD_AGAIN_MS } from "./guard.ts";
import { isHeld, withoutFinalizer } from "./definitions.ts";
import { leftoverPolicy } from "../plan/core-policy.ts";
import { definesKinds } from "../plan/own-kinds.ts";
import { leftoversOf, listedLeftovers, type LooseObject, policiesOfLive } from "./leftovers.ts";
import { isOrphaned, type Removal, removeObjects } from "./removal.ts";
import { joined } from "./report.ts";
import { type Run, runOf, type SetCleanupReq } from "./run.ts";

/** The finalizer that the server sets when an object is deleted with `--cascade=orphan`. */
const ORPHAN_FINALIZER = "orphan";

/** Runs the phase. @throws the errors of the server */
export async function cleanUpSet(definition: SetDefinition, req: SetCleanupReq): Promise<Wait | undefined> {
  return await removeAll(runOf(definition, req));
}

/** Removes all objects of a set at the place of the run, as far as it goes in this pass. Returns the wait for those that are left. */
export async function removeAll(run: Run<SetCleanupReq>): Promise<Wait | undefined> {
  run.memory.endUnfinished();
  const { definition } = run;
  const objects = await objectsOf(run);
  if (isToOrphan(run)) {
    for (const { kind, isWatched, object } of objects) {
      const { update } = policiesOfLive(run, kind, object);
      await release(run.context, leftoverPolicy(kind, { isWatched, update }), object);
    }
    countObjects(run, []);
    return undefined;
  }
  const blocker = await blockerFor(run, objects);
  if (blocker !== undefined) return reportDeletion(run, "DeletionBlocked", blocker).wait(GUARD_AGAIN_MS);
  if (objects.length === 0) {
    countObjects(run, []);
    return undefined;
  }
  const removal = await removeObjects(run, objects, { cause: "owner" });
  recordRemoval(run, removal);
  countObjects(run, removal.left);
  run.pass.found.entries.set(definition.name, shownEntries(removal.left));
  const wait = reportRemoval(run, removal, { isPolled: objects.some(({ isWatched }) => !isWatched) });
  const errors = removal.failed.map(({ error }) => error);
  if (errors.length > 0) throw joined(definition.name, errors);
  return wait;
}

/** Sets the condition. Returns the wait for what is left; `undefined`: nothing is. */
function reportRemoval(
  run: Run<SetCleanupReq>,
  { left, blocker }: Removal,
  { isPolled }: { readonly isPolled: boolean },
): Wait | undefined {
  if (blocker !== undefined) return reportDeletion(run, "DeletionBlocked", blocker).wait(GUARD_AGAIN_MS);
  const [first] = left;
  if (first === undefined) return undefined;
  const message = left.length === 1 ? first.message : `${left.length} objects are being deleted: ${first.message}`;
  return reportDeletion(run, "Deleting", message).wait(isPolled ? undefined : LOOK_AGAIN_MS);
}

/** The objects of the set: those on the server when the deletion began, and those that appeared since. */
async function objectsOf(run: Run): Promise<readonly LooseObject[]> {
  const { memory } = run;
  // Later passes see watched objects in the cache.
  const listed = await listedLeftovers(run, { of: memory.isListed ? "hidden" : "all" });
  memory.isListed = true;
  const byUid = new Map(listed.map((each) => [each.object.metadata.uid, each]));
  for (const each of leftoversOf(run)) byUid.set(each.object.metadata.uid, each);
  return [...byUid.values()];
}

/** With this finalizer the objects of the owner stay. The garbage collector may remove it before the last cleanup. */
function isToOrphan({ context: { owner, memory } }: Run): boolean {
  if (owner.metadata.finalizers?.includes(ORPHAN_FINALIZER) === true) memory.isOrphaning = true;
  return memory.isOrphaning;
}

/** Why the removal must not begin. A removal that began goes on. */
async function blockerFor(run: Run, objects: readonly LooseObject[]): Promise<Blocker | undefined> {
  const isAllOrphaned = objects.every((each) => isOrphaned(policiesOfLive(run, each.kind, each.object), "owner"));
  if (run.memory.isGuardPassed || (objects.length > 0 && isAllOrphaned)) return undefined;
  for (const each of objects) {
    const { kind, object } = each;
    const blocker =
      definesKinds(kind) && !isOrphaned(policiesOfLive(run, each.kind, each.object), "owner") ? await blockerOf(run, object) : undefined;
    if (blocker !== undefined) return blocker;
  }
  const blocker = await blockerByKinds(run, alsoGuardsOf(run.definition, run.context.owner));
  if (blocker === undefined) run.memory.isGuardPassed = true;
  return blocker;
}

function reportDeletion(
  run: Run<SetCleanupReq>,
  reason: "Deleting" | "DeletionBlocked",
  message: string,
): { wait(afterMs?: number): Wait } {
  const leaving = run.pass.found.entries.get(run.definition.name);
  run.definition.hooks.onFound?.({
    reason,
    message,
    plan: undefined,
    outcomes: [],
    wave: 0,
    leaving: leaving === undefined || leaving === "keep" ? [] : leaving,
  });
  fillStatus(run, reason);
  return run.req.conditions.unknown(run.definition.condition as never, reason, truncate(message, 1_000));
}

/**
 * Removes our finalizer from the CRDs and APIServices of the set, when the operator is removed and their owner stays: no later pass would
 * do it. Safe to repeat. @throws the error of the server
 */
export async function releaseSet(definition: SetDefinition, req: SetCleanupReq): Promise<undefined> {
  await releaseDefinitions(runOf(definition, req));
  return undefined;
}

/** Does it at the place of the run. @throws the error of the server */
export async function releaseDefinitions(run: Run<SetCleanupReq>): Promise<void> {
  for (const { kind, object } of await listedLeftovers(run, { of: "all" }))
    if (definesKinds(kind) && isHeld(run, object)) await withoutFinalizer(run, kind, object);
}
