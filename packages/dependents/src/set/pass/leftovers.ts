/**
 * Finds objects of a set: those in the cache or on the server that carry its marks, but those that its plan has. Copies of our objects
 * carry the marks too, and are left out.
 */
import { groupKindOf, isForbidden, type Kind, type KubernetesObject, parseApiVersion, type Ref } from "@treadle/apimachinery";
import type { DependentIdentity } from "../../core/entries.ts";
import { refTo } from "../../core/marks.ts";
import { isMadeByUs, isWrittenByUs } from "../../core/ownership.ts";
import type { Policy } from "../../core/plan.ts";
import { type Kept, objectsLeft, objectsListed } from "../../core/remove.ts";
import { readLive } from "../../core/take-over.ts";
import { alsoGuardsOf } from "../definition.ts";
import { isGuarded } from "../plan/guarded-kinds.ts";
import { declaredState, storedKinds } from "../plan/kind-table.ts";
import { leftoverPolicy } from "../plan/core-policy.ts";
import { memberKey, POLICIES_SUFFIX } from "../plan/member.ts";
import { definedKinds } from "../plan/own-kinds.ts";
import type { Plan } from "../plan/plan.ts";
import { policiesIn, type PoliciesNote } from "../policies/policies-note.ts";
import type { Policies, SetPolicies } from "../policies/policies.ts";
import { ownerPolicies } from "../render/inputs.ts";
import { isOther } from "./others.ts";
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
  /** Whether a CRD or APIService of the set defines its kind, or `alsoGuards` names it. */
  readonly isInstance: boolean;
  readonly index: number;
}

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
  for (const { kind, isWatched, namespaces } of kindsOf(run, plan, { isAll: of === "hidden" || of === "all", isCached: false })) {
    if (of !== "all" && isWatched && namespaces.length === 0) continue;
    if (of === "uncovered" && isWatched && namespaces.every((each) => run.context.cache.covers(kind, each))) continue;
    const removal = { ...removalOf(run, { kind, isWatched, plan }), isLive: true };
    const objects = await objectsListed(run.context, removal).catch((error: unknown) => unlisted(run, kind, error));
    for (const object of objects) found.push({ kind, isWatched, object });
  }
  return ours(run, found);
}

/** Explains why objects of a kind that the set does not list any more are still looked for. @throws the error, with the cause */
function unlisted({ definition }: Run, kind: Kind, error: unknown): never {
  const key = groupKindOf(kind);
  if (!isForbidden(error) || definition.kinds === undefined || definition.kinds.has(key)) throw error;
  const message = `the set "${definition.name}" may have objects of ${key} from an earlier version: add ${kind.kind} to kinds until they are removed`;
  throw Object.assign(new Error(`${message} (${(error as Error).message})`, { cause: error }), { code: "Forbidden" });
}

/** Leaves out copies of our objects. They have its labels, but only a replaced object has no fields that we applied. */
function ours(run: Run, objects: readonly LooseObject[]): readonly LooseObject[] {
  return objects.filter(({ kind, isWatched, object }) => {
    const { update } = policiesOfLive(run, kind, object);
    return update === "replace" || isMadeByUs(run.context, leftoverPolicy(kind, { isWatched, update }), object);
  });
}

/**
 * Returns the policies with which an object was applied last. In the deletion of the owner, its present policy for the removal counts for
 * objects that have noted none: the owner may have been changed and deleted before a pass could apply the change.
 */
export function policiesOfLive(run: Run, kind: Kind, { metadata }: Pick<KubernetesObject, "metadata">): Policies {
  const { policies, isRemovalNoted } = noteOf(run, kind, { metadata });
  const { onRemoval } = isRemovalNoted || !run.pass.isDeleting ? policies : removalPolicyOf(run);
  return onRemoval === undefined || onRemoval === policies.onRemoval ? policies : { ...policies, onRemoval };
}

/** Returns what is noted with an object. A user may have removed the annotation: the entry has the policies, too. */
export function noteOf(run: Run, kind: Kind, { metadata }: Pick<KubernetesObject, "metadata">): PoliciesNote {
  const { annotations = {} } = metadata;
  const note = run.context.handlerNames.map((name) => annotations[name + POLICIES_SUFFIX]).find((each) => each !== undefined);
  return policiesIn(note ?? run.stored.noteOf(memberKey(kind, metadata)));
}

/** The policies that the owner has now. A function of the author that throws must not block the deletion. */
function removalPolicyOf(run: Run): SetPolicies {
  try {
    return ownerPolicies(run);
  } catch {
    return {};
  }
}

/**
 * Which kinds are listed. `unwatched`: those that the operator can list and does not watch, or that have objects in namespaces of which it
 * may not. `uncovered`: as that, without the kinds whose objects are all in the cache. `hidden`: also those that the server does not
 * serve, or whose watch it refuses. `all`: also those that are watched.
 */
export type Sought = "unwatched" | "uncovered" | "hidden" | "all";

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
      // The namespaces of the owner's cluster say nothing about another one. A state without a target is of the own cluster.
      if (context.isElsewhere && state.target !== undefined) return state.kinds[groupKindOf(kind)]?.namespaces ?? [];
      return [...(near === undefined ? [] : [near]), ...(state.kinds[groupKindOf(kind)]?.namespaces ?? [])];
    },
  };
}

/** The objects of a kind that the status of the owner names, and that are its own. */
function entryRefs(run: Run, kind: Kind): readonly Ref[] {
  const isOfKind = ({ apiVersion, kind: name }: DependentIdentity): boolean =>
    name === kind.kind && parseApiVersion(apiVersion).group === kind.group;
  const refs = run.stored.list.filter(isOfKind).map(({ name, namespace }) => (namespace === undefined ? { name } : { name, namespace }));
  return refs.filter((ref) => !isOther(run.state, kind, ref));
}

/** Reads the policies of the objects. */
export function leftoversIn(run: Run, objects: readonly LooseObject[], plan: Plan | undefined): readonly Leftover[] {
  const own = definedKinds(objects.map(({ object }) => object));
  const guarded = alsoGuardsOf(run.definition, run.context.owner);
  return objects.map(({ kind, isWatched, object }, index) => {
    const policies = policiesOfLive(run, kind, object);
    const policy = leftoverPolicy(kind, { isWatched, update: policies.update });
    const isInstance = own.of(kind) !== undefined || plan?.own.of(kind) !== undefined || isGuarded(kind, guarded);
    return { kind, ref: refTo(object), object, policy, policies, remove: policies.remove, isInstance, index };
  });
}

/** Leaves out copies of objects that were replaced. Only the server knows who has written those. @throws the error of the server */
export async function withoutCopies(run: Run, leftovers: readonly Leftover[]): Promise<readonly Leftover[]> {
  const kept: Leftover[] = [];
  for (const leftover of leftovers) {
    const { kind, policy, policies, object, ref } = leftover;
    const isProven =
      policies.update !== "replace" ||
      object.metadata.deletionTimestamp !== undefined ||
      isMadeByUs(run.context, leftoverPolicy(kind, { isWatched: policy.isWatched, update: "apply" }), object) ||
      isWrittenByUs(run.context, object);
    const live = isProven ? object : await readLive(run.context, policy, ref);
    if (isProven || (live !== undefined && live.metadata.uid === object.metadata.uid && isWrittenByUs(run.context, live)))
      kept.push(leftover);
  }
  return kept;
}
