/**
 * Removes objects of a set: those that it does not render any more, and all when the owner is deleted. An object follows the policies
 * of its last apply, which are in its annotation.
 */
import { groupKindOf, type Kind, type KubernetesObject, keyOf, parseApiVersion, type Ref } from "@treadle/apimachinery";
import { statusMessage, truncate } from "@treadle/reconcile/unstable/engine";
import { type DependentIdentity, type NewEntry, storedEntries } from "../core/entries.ts";
import { identityOf, refTo } from "../core/marks.ts";
import type { Policy } from "../core/plan.ts";
import { release } from "../core/release.ts";
import { isMadeByUs, isWrittenByUs } from "../core/ownership.ts";
import { deleteObject, type Kept, objectsLeft, objectsListed } from "../core/remove.ts";
import { readLive } from "../core/take-over.ts";
import { policiesIn } from "./policies-note.ts";
import { alsoGuardsOf } from "./definition.ts";
import { isGuarded } from "./guarded-kinds.ts";
import { freeDefinition } from "./definitions.ts";
import { MAX_MESSAGE, storedEntriesOf, storedNotes } from "./entries.ts";
import { lastBlockerOf } from "./guard.ts";
import { declaredState, storedKinds } from "./kind-table.ts";
import { memberKey, POLICIES_SUFFIX } from "./member.ts";
import { removalOrder } from "./order.ts";
import { definedKinds } from "./own-kinds.ts";
import { definesKinds, leftoverPolicy } from "./make-plan.ts";
import type { Plan } from "./plan.ts";
import type { Policies } from "./policies.ts";
import type { Run } from "./run.ts";

/** An object of the set that is to be removed. */
export interface Leftover {
  readonly kind: Kind;
  readonly ref: Ref;
  readonly object: KubernetesObject;
  readonly policy: Policy;
  readonly policies: Policies;
  /** The order of its removal. */
  readonly remove: number;
  /** Whether a CRD or APIService of the set defines its kind. */
  readonly isInstance: boolean;
  readonly index: number;
}

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

/** Returns the objects in the cache that the plan does not have. Without a plan it is all of them. */
export function leftoversOf(run: Run, plan?: Plan): readonly LooseObject[] {
  const { context } = run;
  return kindsOf(run, plan, { isAll: false, isCached: true }).flatMap(({ kind, isWatched }) => {
    if (!isWatched) return [];
    const removal = removalOf(run, { kind, isWatched, plan });
    return ours(
      run,
      objectsLeft(context, removal).map((object) => ({ kind, isWatched, object })),
    );
  });
}

/** An object of the set, and how the operator sees its kind. */
export interface LooseObject {
  readonly kind: Kind;
  readonly isWatched: boolean;
  readonly object: KubernetesObject;
}

/** As {@link leftoversOf}, from the server: one list for each kind and namespace. @throws the error of the server */
export async function listedLeftovers(run: Run, given: { readonly plan?: Plan; readonly of: Sought }): Promise<readonly LooseObject[]> {
  const { plan, of } = given;
  const found: LooseObject[] = [];
  for (const { kind, isWatched, namespaces } of kindsOf(run, plan, { isAll: of !== "unwatched", isCached: false })) {
    if (of !== "all" && isWatched && namespaces.length === 0) continue;
    const removal = { ...removalOf(run, { kind, isWatched, plan }), isLive: true };
    for (const object of await objectsListed(run.context, removal)) found.push({ kind, isWatched, object });
  }
  return ours(run, found);
}

/** Leaves out copies of our objects. They have its labels, but only a replaced object has no fields that we applied. */
function ours(run: Run, objects: readonly LooseObject[]): readonly LooseObject[] {
  return objects.filter(({ kind, isWatched, object }) => {
    const { update } = policiesOfLive(run, kind, object);
    return update === "replace" || isMadeByUs(run.context, leftoverPolicy(kind, { isWatched, update }), object);
  });
}

/** Returns the policies with which an object was applied last. A user may have removed the annotation: the entry says the same. */
export function policiesOfLive(run: Run, kind: Kind, { metadata }: KubernetesObject): Policies {
  const { annotations = {} } = metadata;
  const note = run.context.handlerNames.map((name) => annotations[name + POLICIES_SUFFIX]).find((each) => each !== undefined);
  return policiesIn(note ?? storedNotes(run).get(memberKey(kind, metadata))).policies;
}

/**
 * Which kinds are listed. `unwatched`: those that the operator can list and does not watch. `hidden`: also those that the server does not
 * serve, or whose watch it refuses. `all`: also those that are watched.
 */
export type Sought = "unwatched" | "hidden" | "all";

interface SetKind {
  readonly kind: Kind;
  readonly isWatched: boolean;
  /** Namespaces with objects that the operator does not watch. */
  readonly namespaces: readonly string[];
}

interface KindChoice {
  /** Also kinds that cannot be looked at now. */
  readonly isAll: boolean;
  /** Also kinds that the set lists and the state does not know: the cache costs no request, and a user may have removed the state. */
  readonly isCached: boolean;
}

/** The kinds of which objects may exist: those that can be looked at now, or all. */
function kindsOf(run: Run, plan: Plan | undefined, { isAll, isCached }: KindChoice): readonly SetKind[] {
  const kinds = new Map<string, SetKind>();
  const listed = isCached ? [...(run.definition.kinds?.values() ?? [])].map((each) => declaredState(run, each)) : [];
  for (const state of [...storedKinds(run), ...(plan?.kinds.values() ?? []), ...listed]) {
    if (state.type === "unlisted" || (!isAll && state.type !== "watched" && state.type !== "unwatched")) continue;
    const key = groupKindOf(state.kind);
    const namespaces = run.state.kinds[key]?.namespaces ?? [];
    if (!kinds.has(key)) kinds.set(key, { kind: state.kind, isWatched: state.type === "watched", namespaces });
  }
  return [...kinds.values()];
}

function removalOf(
  run: Run,
  { kind, isWatched, plan }: { readonly kind: Kind; readonly isWatched: boolean; readonly plan: Plan | undefined },
) {
  const { context, state } = run;
  const keep: Kept = { has: (ref) => plan?.byKey.has(memberKey(kind, ref)) === true, id: plan?.digest ?? "" };
  const near = context.owner.metadata.namespace;
  return {
    // It also finds objects that were replaced.
    policy: leftoverPolicy(kind, { isWatched, update: "replace" }),
    keep,
    known: () => entryRefs(run, kind),
    namespaces: () => {
      if (context.cache.covers(isWatched ? kind : context.ownerKind, "*")) return ["*"];
      return [...(near === undefined ? [] : [near]), ...(state.kinds[groupKindOf(kind)]?.namespaces ?? [])];
    },
  };
}

/** The objects of a kind that the status of the owner names. */
function entryRefs(run: Run, kind: Kind): readonly Ref[] {
  if (storedEntries(run.pass.object).length === 0) return [];
  const isOfKind = ({ apiVersion, kind: name }: DependentIdentity): boolean =>
    name === kind.kind && parseApiVersion(apiVersion).group === kind.group;
  return storedEntriesOf(run)
    .filter(isOfKind)
    .map(({ name, namespace }) => (namespace === undefined ? { name } : { name, namespace }));
}

/** Reads the policies of the objects. */
function leftoversIn(run: Run, objects: readonly LooseObject[], plan: Plan | undefined): readonly Leftover[] {
  const own = definedKinds(objects.map(({ object }) => object));
  const guarded = alsoGuardsOf(run.definition, run.context.owner);
  return objects.map(({ kind, isWatched, object }, index) => {
    const policies = policiesOfLive(run, kind, object);
    const policy = leftoverPolicy(kind, { isWatched, update: policies.update });
    const isInstance = own.of(kind) !== undefined || plan?.own.of(kind) !== undefined || isGuarded(kind, guarded);
    return { kind, ref: refTo(object), object, policy, policies, remove: policies.remove, isInstance, index };
  });
}

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

/** Leaves out copies of objects that were replaced. Only the server knows who has written those. @throws the error of the server */
async function withoutCopies(run: Run, leftovers: readonly Leftover[]): Promise<readonly Leftover[]> {
  const kept: Leftover[] = [];
  for (const leftover of leftovers) {
    const { kind, policy, policies, object, ref } = leftover;
    const isProven =
      policies.update !== "replace" ||
      object.metadata.deletionTimestamp !== undefined ||
      isMadeByUs(run.context, leftoverPolicy(kind, { isWatched: policy.isWatched, update: "apply" }), object) ||
      isWrittenByUs(run.context, object);
    const live = isProven ? object : await readLive(run.context, policy, ref);
    const isSame = live !== undefined && live.metadata.uid === object.metadata.uid;
    if (isProven || (isSame && isWrittenByUs(run.context, live))) kept.push(leftover);
  }
  return kept;
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
