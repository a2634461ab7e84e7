/**
 * Removes objects of a set: those that it does not render any more, and all when the owner is deleted. An object follows the policies
 * of its last apply, which are in its annotation.
 */
import { groupKindOf, type KubernetesObject, keyOf } from "@treadle/apimachinery";
import { statusMessage, truncate } from "@treadle/reconcile/unstable/engine";
import type { NewEntry } from "../../core/entries.ts";
import { identityOf } from "../../core/marks.ts";
import { release } from "../../core/release.ts";
import { deleteObject } from "../../core/remove.ts";
import { readLive } from "../../core/take-over.ts";
import { definesKinds } from "../plan/own-kinds.ts";
import { removalOrder } from "../plan/order.ts";
import type { Plan } from "../plan/plan.ts";
import type { Policies } from "../policies/policies.ts";
import { freeDefinition } from "./definitions.ts";
import { MAX_MESSAGE } from "./entries.ts";
import { lastBlockerOf } from "./guard.ts";
import { type Leftover, leftoversIn, leftoversOf, type LooseObject, withoutCopies } from "./leftovers.ts";
import type { Run } from "./run.ts";

/** What a removal did. */
export interface Removal {
  /** Objects that still exist, with the reason. */
  readonly left: readonly NewEntry[];
  /** Why a CRD or APIService stays. */
  readonly blocker: string | undefined;
  readonly deleted: readonly Leftover[];
  readonly released: readonly Leftover[];
  readonly failed: readonly { readonly leftover: Leftover; readonly error: unknown }[];
}

/** The reason of a removal. */
export type Cause = "dropped" | "owner";

/** Returns the entries of objects that the set does not render any more, and that are removed when all others are ready. */
export function laterRemovals(run: Run, plan: Plan): readonly NewEntry[] {
  const later = leftoversIn(run, leftoversOf(run, plan), plan);
  return later.map((each) => entryOf(each, "WaitingForRemoval", "is removed when all other objects are ready"));
}

/** Whether an object stays when it is removed for this cause. */
export function isOrphaned({ onRemoval }: Policies, cause: Cause): boolean {
  return onRemoval === "orphan" || onRemoval === (cause === "dropped" ? "orphan-on-apply" : "orphan-on-delete");
}

/**
 * Removes objects in their order, as far as it goes in this pass. Errors of single objects are in the result.
 * @throws the error of the server, when it does not say who has written an object
 */
export async function removeObjects(
  run: Run,
  objects: readonly LooseObject[],
  { cause, plan }: { readonly cause: Cause; readonly plan?: Plan },
): Promise<Removal> {
  const all = await withoutCopies(run, leftoversIn(run, objects, plan));
  const done: Done = { left: [], blocker: undefined, deleted: [], released: [], failed: [] };
  for (const leftover of all.filter(({ policies }) => isOrphaned(policies, cause)))
    await attempt(done, leftover, async () => {
      if ((await release(run.context, leftover.policy, leftover.object)) !== undefined) done.released.push(leftover);
    });
  const groups = removalOrder(all.filter(({ policies }) => !isOrphaned(policies, cause)));
  for (const [i, group] of groups.entries()) {
    let waits = false;
    for (const leftover of group) waits = (await removeOne(run, leftover, { done, cause, plan })) || waits;
    if (!waits) continue;
    for (const later of groups.slice(i + 1).flat()) done.left.push(entryOf(later, "WaitingForRemoval", "is removed later"));
    break;
  }
  return done;
}

interface Done extends Removal {
  readonly left: NewEntry[];
  blocker: string | undefined;
  readonly deleted: Leftover[];
  readonly released: Leftover[];
  readonly failed: { readonly leftover: Leftover; readonly error: unknown }[];
}

/** Removes one object. Returns whether later objects must wait for it. */
async function removeOne(
  run: Run,
  leftover: Leftover,
  { done, cause, plan }: { readonly done: Done; readonly cause: Cause; readonly plan: Plan | undefined },
): Promise<boolean> {
  const { kind, object, policy } = leftover;
  let waits = true;
  const inside = groupKindOf(kind) === "Namespace" ? plan?.members.find(({ ref }) => ref.namespace === leftover.ref.name) : undefined;
  if (inside !== undefined) {
    done.left.push(entryOf(leftover, "NamespaceInUse", `is not deleted: ${inside.key} of the set is in it`));
    return false;
  }
  await attempt(done, leftover, async () => {
    const isNew = object.metadata.deletionTimestamp === undefined;
    // Before the deletion of the owner all definitions are asked together. Since then the instances of the set took their time.
    const blocker = isNew && definesKinds(kind) ? await lastBlockerOf(run, object) : undefined;
    if (blocker !== undefined) {
      done.blocker ??= `${kind.kind} ${leftover.ref.name} is not deleted: ${blocker}`;
      done.left.push(entryOf(leftover, "DeletionBlocked", `is not deleted: ${blocker}`));
      // What serves the instances is removed after them.
      waits = cause === "owner";
      return;
    }
    if (isNew) {
      await deleteObject(run.context, policy, object);
      done.deleted.push(leftover);
    }
    const after = await liveAfter(run, leftover);
    if (after !== undefined) await freeDefinition(run, leftover, after);
    waits = after !== undefined && (await liveAfter(run, leftover)) !== undefined;
    if (waits) done.left.push(entryOf(leftover, "Deleting", "is being deleted"));
  });
  return waits;
}

async function attempt(done: Done, leftover: Leftover, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    done.failed.push({ leftover, error });
    done.left.push({ ...entryOf(leftover, "DeleteError", ""), type: "Failed", message: truncate(statusMessage(error), MAX_MESSAGE) });
  }
}

/** The object after its deletion was sent; `undefined`: it no longer exists. The cache knows the answer of the server. */
async function liveAfter({ context }: Run, { kind, ref, object, policy }: Leftover): Promise<KubernetesObject | undefined> {
  const isVisible = policy.isWatched && context.cache.covers(kind, ref.namespace ?? "*") && definesKinds(kind) === false;
  const after = isVisible ? (context.cache.get(kind, ref) as KubernetesObject | undefined) : await readLive(context, policy, ref);
  return after?.metadata.uid === object.metadata.uid ? after : undefined;
}

function entryOf({ kind, ref, policies }: Leftover, reason: string, is: string): NewEntry {
  const message = `${kind.kind} ${keyOf(ref)} ${is}`;
  const attributes = [
    { name: "phase", value: "Deleting" },
    { name: "wave", value: String(policies.apply) },
  ];
  return { ...identityOf(kind, ref), type: "Pending", reason, message: truncate(message, MAX_MESSAGE), attributes };
}
