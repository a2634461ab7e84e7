/** The writes of one object: create, update, and why neither can be done now. */
import { isAlreadyExists, isApiError, isConflict, type KubernetesObject } from "@treadle/apimachinery";
import { changedPaths } from "@treadle/reconcile/unstable/engine";
import { shownError } from "./confidential.ts";
import type { Context } from "./context.ts";
import { claimedNames, differenceOf, noteApplied } from "./difference.ts";
import type { DependentState } from "./entries.ts";
import { digestAnnotation, digestOfKept, refTo, titleOf } from "./marks.ts";
import { keeping } from "./immutable.ts";
import { merged, noteMerged } from "./merge.ts";
import { formerUnits, ownershipOf } from "./ownership.ts";
import { driftOf, revertedBy, type SeenDrift } from "./drift.ts";
import { contested, heldBackMs, noteWrite } from "./pace.ts";
import type { Again, Operation, Plan } from "./plan.ts";
import { isRecreated, notRecreated, obstacleTo, recreated } from "./recreate.ts";
import { knownRefusal, ownedBy, refusalOf } from "./refused.ts";
import { differenceToReplace, noteReplaced, replaced } from "./replace.ts";
import { readLive, takenOver } from "./take-over.ts";
import { type Found, UNCHANGED, type Wanted, type Work } from "./work.ts";

const CREATED: Operation = Object.freeze({ type: "created" });

/** Creates the object. `hidden`: it exists, and the cache does not show it because of a selector. */
export async function create(work: Wanted): Promise<Found | { readonly type: "hidden"; readonly live: KubernetesObject }> {
  const { context, plan, memory, body } = work;
  const { kind, update: customMerge, writes } = plan.policy;
  // An object that is replaced is created by POST: then one field manager has all of its fields, not two.
  const isApplied = customMerge === undefined && writes !== "replace";
  const { client } = context;
  try {
    noteWrite(context, plan, { memory, live: undefined, why: "because it was gone", isTimed: work.isTimed });
    const live: KubernetesObject = isApplied
      ? await client.apply(kind, body, { existing: undefined, unit: context.unit })
      : await client.create(kind, body);
    if (customMerge === undefined && writes === "replace") noteReplaced(memory, { body, stored: live });
    else noteApplied(context, { body, live, memory });
    return { type: "there", live, operation: CREATED };
  } catch (error) {
    if (!isAlreadyExists(error) && !isConflict(error)) throw withCode(shownError(kind, body, error));
    return await raced(work);
  }
}

/** Writes the object where it differs from the desired state. `hasController`: another controller must be removed first. */
export async function update(given: Wanted, live: KubernetesObject, how: { readonly hasController: boolean }): Promise<Found> {
  const { context, plan, memory } = given;
  const { policy, target } = plan;
  const { hasController } = how;
  const known = knownRefusal(given, live);
  if (known?.type === "report") return known.found;
  const work = known === undefined ? given : { ...given, body: kept(given, live, known.paths) };
  const { body } = work;
  const next = policy.update === undefined ? undefined : merged(policy, { body, live, memory });
  const difference = hasController ? "in its controller" : await differenceIn(work, live, next);
  if (difference === undefined) return heldBack(work, live) ?? { type: "there", live, operation: UNCHANGED };
  const isToBeDeleted = isRecreated(context, policy, live);
  const obstacle = isToBeDeleted ? obstacleTo(policy, live) : undefined;
  if (obstacle !== undefined) return notRecreated(work, live, { difference, obstacle });
  const held = heldBack(work, live);
  if (held !== undefined) return held;
  noteWrite(context, plan, { memory, live, why: difference, isTimed: work.isTimed });
  const { log, owner } = context;
  log.debug({ kind: policy.kind.kind, object: target.name, owner: owner.metadata.name, difference }, "applying a dependent");
  try {
    if (isToBeDeleted) return await recreated(work, live, difference);
    const seen = await driftOf(work, live);
    const stored = await written(work, { live, next, hasController, fresh: seen?.fresh });
    const operation = operationOf(work, { live, stored, seen });
    return heldBack(work, stored, operation) ?? { type: "there", live: stored, operation };
  } catch (error) {
    const refusal = known === undefined ? await refusalOf(work, { live, sent: next ?? body, error }) : undefined;
    if (refusal === undefined) throw withCode(shownError(policy.kind, next ?? body, error));
    return refusal.type === "keep" ? await update(given, live, how) : refusal.found;
  }
}

/** What a write did to the object. */
function operationOf(
  work: Wanted,
  { live, stored, seen }: { readonly live: KubernetesObject; readonly stored: KubernetesObject; readonly seen: SeenDrift | undefined },
): Operation {
  const { context, plan } = work;
  // The PUT that finds out after a restart what the server makes of the values.
  const isSame = stored.metadata.resourceVersion === live.metadata.resourceVersion;
  if (isSame && plan.policy.writes === "replace") return UNCHANGED;
  const note = `metadata.annotations.${digestAnnotation(context.handlerName)}`;
  const paths = changedPaths(live, stored).filter((path) => path !== note);
  const drift = seen === undefined ? undefined : revertedBy(work, stored, seen);
  return { type: "updated", paths, ...(drift === undefined ? {} : { drift }) };
}

/** Where the object differs from the desired state, as a path or a sentence. */
async function differenceIn(
  { context, plan: { policy }, memory, body }: Wanted,
  live: KubernetesObject,
  next: KubernetesObject | undefined,
): Promise<string | undefined> {
  if (policy.update !== undefined) return next === undefined ? undefined : "from what update gives";
  const sides = { body, live, memory };
  return policy.writes === "replace" ? await differenceToReplace(context, policy, sides) : differenceOf(context, policy, sides);
}

interface Write {
  readonly live: KubernetesObject;
  /** What a custom merge gives. */
  readonly next: KubernetesObject | undefined;
  readonly hasController: boolean;
  /** The object as it was just read, if it was. */
  readonly fresh: KubernetesObject | undefined;
}

async function written(work: Wanted, { live, next, hasController, fresh }: Write): Promise<KubernetesObject> {
  const { context, plan, memory, body } = work;
  const { policy } = plan;
  // A PUT removes the controller, too.
  if (policy.update === undefined && policy.writes === "replace") return await replaced(work, { live, fresh });
  const free = hasController ? await withoutController(work, live) : live;
  if (policy.update !== undefined)
    return await storeMerged(work, { live: free, next: hasController ? merged(policy, { body, live: free, memory }) : next });
  return await applied(work, await takenOver(context, policy, { known: free, fresh: hasController ? undefined : fresh }));
}

/**
 * The body with the values that the object has in fields that cannot change. Its digest says so: with another policy, the desired
 * state is another one than what was applied.
 */
function kept(work: Wanted, live: KubernetesObject, paths: readonly string[]): Wanted["body"] {
  const body = keeping(paths, { body: work.body, live, owned: ownedBy(work, live) });
  const key = digestAnnotation(work.context.handlerName);
  const { annotations = {} } = body.metadata;
  const digest = annotations[key];
  if (digest === undefined) return body;
  return { ...body, metadata: { ...body.metadata, annotations: { ...annotations, [key]: digestOfKept(digest) } } };
}

/** The answer for an object that must be written, but not so soon again; also while it is open whether the last write lasts. */
export function heldBack(
  { context, plan, memory }: Work,
  live: KubernetesObject | undefined,
  operation: Operation = UNCHANGED,
): (Found & { readonly type: "not yet" }) | undefined {
  const why = contested(context, memory);
  const again = heldBackMs(context, memory);
  if (why === undefined || again <= 0) return undefined;
  const message = `${titleIn(context, plan)} differs again after each write, last ${why}: another writer changes it, or desired returns a different result each time`;
  return { type: "not yet", live, isKept: live !== undefined, state: { type: "Pending", reason: "Contested", message }, again, operation };
}

/** The answer for an object that another writer is to create. */
export function notFound(work: Work): Found {
  if (work.plan.policy.isAbsenceFailure === true) {
    const message = `${titleIn(work.context, work.plan)} does not exist: another writer must create it`;
    return { type: "not yet", live: undefined, state: { type: "Failed", reason: "NotFound", message }, operation: UNCHANGED };
  }
  return pending(work, { reason: "NotFound", is: "does not exist yet, and another writer is to create it", live: undefined });
}

/** The answer for an object that must not be written; `owner` is undefined where it has none. */
export function notOurs({ context, plan }: Work, live: KubernetesObject, owner: string | undefined): Found {
  const why = owner === undefined ? 'it has no controller; adopt: "ifUnowned" takes it over' : `it belongs to ${owner}`;
  const message = `${titleIn(context, plan)} is not ours: ${why}`;
  return { type: "not yet", live, state: { type: "Failed", reason: "NotOurs", message }, operation: UNCHANGED };
}

/** The answer for an object that cannot be converged now; `is`: the rest of the sentence after its name. */
export function pending(
  { context, plan }: Work,
  given: { readonly reason: string; readonly is: string; readonly live: KubernetesObject | undefined; readonly again?: Again },
): Found {
  const { reason, is, ...rest } = given;
  const state: DependentState = { type: "Pending", reason, message: `${titleIn(context, plan)} ${is}` };
  return { type: "not yet", ...rest, state, operation: UNCHANGED };
}

/** Another writer was faster, or the cache is behind. The server is asked, so that a foreign object is reported at once. */
async function raced(work: Wanted): Promise<Found | { readonly type: "hidden"; readonly live: KubernetesObject }> {
  const { context, plan } = work;
  const { policy, target } = plan;
  const live = await readLive(context, policy, target);
  const owner = live === undefined ? undefined : ownershipOf(context, policy, live);
  if (live !== undefined && owner?.type === "foreign") return notOurs(work, live, owner.owner);
  if (live !== undefined && !context.isSelected(policy.kind, live)) return { type: "hidden", live };
  return pending(work, { reason: "NotSeenYet", is: "exists, but is not in the cache yet", live: undefined, again: "backoff" });
}

/** The server answers 500, without a reason, to an object that breaks the schema of its kind. */
function withCode(error: unknown): unknown {
  if (!isApiError(error) || !/failed to create typed patch object|field not declared in schema/.test(error.message)) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: "ERR_INVALID_APPLY" });
}

async function applied({ context, plan, memory, body }: Wanted, live: KubernetesObject): Promise<KubernetesObject> {
  const { unit } = context;
  const { resourceVersion } = live.metadata;
  const guard = plan.isGuarded === true && resourceVersion !== undefined ? { resourceVersion } : {};
  const sent = { ...body, metadata: { ...body.metadata, ...guard } };
  const stored: KubernetesObject = await context.client.apply(plan.policy.kind, sent, { existing: live, unit });
  const cleared = await withoutFormer(context, plan, stored);
  noteApplied(context, { body, live: cleared, memory });
  return cleared;
}

/** Removes the fields that other units applied while they kept the object: an apply of nothing gives up all fields. */
async function withoutFormer(context: Context, { policy }: Plan, live: KubernetesObject): Promise<KubernetesObject> {
  const { client, unit, handlerName } = context;
  const body = { metadata: refTo(live) };
  const former = [
    ...claimedNames(context, live).map((name) => ({ unit, handlerName: name })),
    ...formerUnits(context, policy, live).map((other) => ({ unit: other, handlerName })),
  ];
  let stored = live;
  for (const each of former) stored = await client.apply(policy.kind, body, { existing: live, ...each });
  return stored;
}

/** Stores what a custom merge gives. */
async function storeMerged(
  { context, plan, memory }: Work,
  { live, next }: { readonly live: KubernetesObject; readonly next: KubernetesObject | undefined },
): Promise<KubernetesObject> {
  if (next === undefined) return live;
  const answer: KubernetesObject = await context.client.update(plan.policy.kind, next);
  noteMerged(memory, { next, stored: answer });
  return answer;
}

/** Removes the controller of an object that the author lets us take: there can be only one. */
async function withoutController({ context, plan }: Work, live: KubernetesObject): Promise<KubernetesObject> {
  const { uid, resourceVersion, ownerReferences = [] } = live.metadata;
  const body = { metadata: { uid, resourceVersion, ownerReferences: ownerReferences.filter(({ controller }) => controller !== true) } };
  return await context.client.patch(plan.policy.kind, refTo(live), { type: "merge", body });
}

function titleIn({ owner }: Context, { policy, target }: Plan): string {
  return titleOf(policy, target, owner);
}
