/** Brings one object of a set to its desired state, and returns the outcome. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { reasonOf, statusMessage } from "@treadle/reconcile/unstable/engine";
import { converge, remembered } from "../../core/converge.ts";
import type { DependentState } from "../../core/entries.ts";
import { titleOf } from "../../core/marks.ts";
import { isNamespaceTerminating } from "../../core/namespaces.ts";
import { hasOurMarks, isMadeByUs, ownershipOf } from "../../core/ownership.ts";
import type { Converged, Plan as CorePlan, Policy } from "../../core/plan.ts";
import { release } from "../../core/release.ts";
import { deleteObject } from "../../core/remove.ts";
import { readLive } from "../../core/take-over.ts";
import { UNCHANGED } from "../../core/work.ts";
import { causeOfError } from "../../supervision.ts";
import { authorStateOf, OUTDATED } from "./author-state.ts";
import { freeDefinition, isHeld } from "./definitions.ts";
import { isDone, noteDone } from "./done.ts";
import { APPLY_SECONDS, sets } from "../extension.ts";
import { withNamespace } from "./missing-namespaces.ts";
import type { Given, Outcome, Phase } from "./outcome.ts";
import type { Plan, PlannedMember } from "../plan/plan.ts";
import type { Run, SetDoReq } from "./run.ts";

/** The inputs of the core are the plan. */
const INPUTS = Object.freeze({ vars: Object.freeze({}), reads: Object.freeze({}), dependents: Object.freeze({}) });

/** Time until a kind whose CRD the set brings is looked for again, in milliseconds. */
const SERVED_AGAIN_MS = 1_000;

/** Time until a CRD that is being deleted is looked at again, in milliseconds. */
const HELD_AGAIN_MS = 10_000;

/** Converges one object. Never rejects: an error is in the outcome. */
export async function convergeMember(run: Run<SetDoReq>, member: PlannedMember, given: Given): Promise<Outcome> {
  const { req, definition, pass } = run;
  const beganAtMs = pass.clock.elapsed();
  try {
    const outcome = await converged(run, member, given);
    if (outcome.operation.type !== "unchanged")
      sets.of(req).observe(APPLY_SECONDS.name, { set: definition.name }, (pass.clock.elapsed() - beganAtMs) / 1000);
    return outcome;
  } catch (error) {
    return failed(run, member, error);
  }
}

async function converged(run: Run<SetDoReq>, member: PlannedMember, given: Given): Promise<Outcome> {
  const { context } = run;
  const { kindState } = member;
  if (kindState.type === "missing" || kindState.type === "pending") {
    const outcome = waiting(run, member, { reason: kindState.reason, message: kindState.message });
    // The CRD of the set is there: its kind is served in a moment.
    return member.isInstance ? { ...outcome, again: SERVED_AGAIN_MS } : outcome;
  }
  const dying = dyingDefinition(run, member, given.plan);
  if (dying !== undefined) return waiting(run, member, { reason: "WaitingForKind", message: `waits for ${dying}, which is being deleted` });
  if (kindState.type === "unwatched") return await unwatched(run, member, given);
  const cached = cachedOf(run, member);
  if (isDone(run, member, cached)) return await finished(run, member, cached);
  const plan = corePlan(member, given.plan, cached);
  const known = remembered(context, plan);
  if (known !== undefined) return outcomeOf(run, member, known);
  const live = await wholeOf(run, member, cached);
  if (live?.metadata.deletionTimestamp !== undefined) await freeDefinition(run, member, live);
  const outcome = await applied(run, member, { given, live });
  // The server reports the end of the instances by the definition. A failure of ours is not reported by anything.
  return live?.metadata.deletionTimestamp !== undefined && isHeld(run, live) ? { ...outcome, again: HELD_AGAIN_MS } : outcome;
}

/**
 * The CRD or APIService of the set that defines the kind of an object, if it is being deleted. An instance that is written now would keep
 * the CRD, and disappear with it.
 */
function dyingDefinition(run: Run, { kind, isInstance }: PlannedMember, { own, byKey }: Plan): string | undefined {
  if (!isInstance) return undefined;
  const definition = byKey.get(own.of(kind)?.definedBy ?? "");
  const live = definition === undefined ? undefined : cachedOf(run, definition);
  return live?.metadata.deletionTimestamp === undefined ? undefined : definition?.key;
}

/** The object in the cache; `undefined`: it does not exist, or the operator does not watch its kind. */
function cachedOf({ context }: Run, { kind, ref, kindState }: PlannedMember): KubernetesObject | undefined {
  return kindState.type === "watched" ? context.cache.get(kind, ref) : undefined;
}

function corePlan(member: PlannedMember, { shared }: Plan, live: KubernetesObject | undefined): CorePlan {
  const { policy, ref, body } = member;
  return {
    policy,
    target: ref,
    live,
    desired: () => body,
    inputs: INPUTS,
    shared: shared as NonNullable<CorePlan["shared"]>,
    // What the author says of the object counts as soon as it exists.
    readyWhen: member.config.state === undefined ? undefined : () => true,
    refine: undefined,
    reportsDrift: true,
  };
}

/** The object with its content. The cache has only metadata of confidential objects, which is enough until one is changed. */
async function wholeOf(
  run: Run,
  { kind, policy, ref }: PlannedMember,
  cached: KubernetesObject | undefined,
): Promise<KubernetesObject | undefined> {
  const { context } = run;
  if (cached === undefined || kind.cachedAs !== "metadata" || !policy.isUpdated) return cached;
  const { applied } = context.memory.unit(context.unit).object(kind, ref);
  if (applied?.uid === cached.metadata.uid && applied?.resourceVersion === cached.metadata.resourceVersion) return cached;
  return await readLive(context, policy, ref);
}

/** Kinds that cannot be watched are read and applied from time to time. */
async function unwatched(run: Run<SetDoReq>, member: PlannedMember, given: Given): Promise<Outcome> {
  const { context, memory, pass } = run;
  const { policies, key, ref, policy } = member;
  const now = pass.clock.now();
  const before = memory.applied.get(key);
  const last = memory.last.get(key);
  if (last?.phase === "Completed" && isDone(run, member, undefined)) return completed(run, member, undefined);
  const dueAtMs = before === undefined || policies.reconcile === "once" ? undefined : before.atMs + policies.reapplyMs;
  const digest = digestToApply(member);
  const isSame = last?.phase === "Ready" && before?.digest === digest;
  // The end of its wave has to see an object that is purged.
  if (isSame && policies.purge === undefined && (dueAtMs === undefined || now < dueAtMs))
    return judgedByAuthor(run, { ...READY, member, ...last, again: dueAtMs === undefined ? undefined : dueAtMs - now });
  const live = await readLive(context, policy, ref);
  if (isDone(run, member, live)) return await finished(run, member, live);
  const outcome = await applied(run, member, { given, live });
  if (!outcome.isReady) return outcome;
  memory.applied.set(key, { atMs: now, digest });
  return policies.reconcile === "once" ? outcome : { ...outcome, again: policies.reapplyMs };
}

const READY = Object.freeze({ isReady: true, live: undefined, operation: UNCHANGED, error: undefined });

/** An object that the owner does not own any more, or owns now, is applied again. */
function digestToApply(member: PlannedMember): string {
  const { isOwned, isCreated, isUpdated } = member.policy;
  return [member.digest(), isOwned, isCreated, isUpdated].join(" ");
}

/** Applies an object that may differ from its desired state. `live` is the object as the pass read it. */
async function applied(
  run: Run<SetDoReq>,
  member: PlannedMember,
  { given, live }: { readonly given: Given; readonly live: KubernetesObject | undefined },
): Promise<Outcome> {
  const isOnce = member.policies.reconcile === "once" && isOurs(run, member, live);
  const plan = corePlan(member, given.plan, live);
  const policy = isOnce ? { ...plan.policy, isUpdated: false } : plan.policy;
  const free = policy.isUpdated ? live : await withoutMarks(run, policy, live);
  const result = await withNamespace(run, { member, given }, () => converge(run.context, { ...plan, live: free, policy }));
  if (isOurs(run, member, result.live)) noteDone(run, member, given.plan);
  return outcomeOf(run, member, result);
}

/** Removes the marks of the owner from an object that is no longer its own. An update removes them too. */
async function withoutMarks({ context }: Run, policy: Policy, live: KubernetesObject | undefined): Promise<KubernetesObject | undefined> {
  if (live === undefined || policy.isOwned || !hasOurMarks(context, live)) return live;
  return (await release(context, policy, live, { keepsLabel: policy.isCreated })) ?? live;
}

function outcomeOf(run: Run, member: PlannedMember, result: Converged): Outcome {
  const { state, live, operation } = result;
  const isReady = result.type !== "not yet";
  const again = result.type === "not yet" ? againOf(result) : undefined;
  const phase = phaseOf(run, member, { isReady, live, operation });
  const outcome = { member, phase, state, isReady, live, operation, error: undefined, again };
  return isReady && result.type === "there" ? judgedByAuthor(run, outcome) : outcome;
}

/** Time until the renderer is asked again about an object whose changes no watch reports, in milliseconds. */
const OUTDATED_AGAIN_MS = 1_000;

/** Returns the outcome of an object that exists, with the state that its author decides. */
function judgedByAuthor(run: Run, outcome: Outcome): Outcome {
  const { member, live, operation, again } = outcome;
  const state = authorStateOf(run, member, live);
  if (state === undefined) return outcome;
  if (state.type === "Ready") return { ...outcome, state };
  const phase = live === undefined ? "Updating" : phaseOf(run, member, { isReady: false, live, operation });
  const later = state.reason === OUTDATED ? OUTDATED_AGAIN_MS : "backoff";
  return { ...outcome, state, phase, isReady: false, again: member.policy.isWatched ? again : later };
}

/** The watch enqueues no owner for an object of another owner, or of none. */
function againOf({ again, cause }: Converged & { readonly type: "not yet" }): Outcome["again"] {
  if (again !== "watch") return again;
  return cause === "NotOurs" ? "backoff" : undefined;
}

/** Whether the object exists and is the owner's. One that is to be adopted is not yet. */
function isOurs({ context }: Run, { policy }: PlannedMember, live: KubernetesObject | undefined): live is KubernetesObject {
  return live !== undefined && ownershipOf(context, policy, live).type === "ours";
}

function phaseOf(run: Run, member: PlannedMember, { isReady, live, operation }: Pick<Outcome, "isReady" | "live" | "operation">): Phase {
  if (isReady) return "Ready";
  // An object that is not ours was not applied. If it is deleted, an object that is applied once is still to be created.
  if (!isOurs(run, member, live)) return "Waiting";
  if (live.metadata.deletionTimestamp !== undefined) return "Deleting";
  if (operation.type === "created") return "Creating";
  return run.memory.last.get(member.key)?.phase === "Creating" && operation.type === "unchanged" ? "Creating" : "Updating";
}

/** Deletes a completed object, if it exists: the process that noted this may have ended before the delete. */
async function finished(run: Run, member: PlannedMember, live: KubernetesObject | undefined): Promise<Outcome> {
  // An object that another writer created under this name is not ours.
  const isLeft = live !== undefined && isMadeByUs(run.context, member.policy, live);
  return isLeft ? await deleteCompleted(run, member, live) : completed(run, member, undefined);
}

/** Deletes a completed object. @throws the error of the server */
export async function deleteCompleted(run: Run, member: PlannedMember, live: KubernetesObject): Promise<Outcome> {
  const { context } = run;
  const { policy, ref } = member;
  await deleteObject(context, policy, live);
  const after = policy.isWatched ? cachedOf(run, member) : await readLive(context, policy, ref);
  return completed(run, member, after?.metadata.uid === live.metadata.uid ? after : undefined);
}

/** The outcome of a completed object; `live` while its deletion takes time. */
function completed(run: Run, member: PlannedMember, live: KubernetesObject | undefined): Outcome {
  const title = titleOf(member.policy, member.ref, run.context.owner);
  const isGone = live === undefined;
  const state: DependentState = isGone
    ? { type: "Ready", reason: "Completed", message: "" }
    : { type: "Pending", reason: "Deleting", message: `${title} is complete, and is being deleted` };
  return {
    member,
    phase: isGone ? "Completed" : "Deleting",
    state,
    isReady: isGone,
    live,
    operation: UNCHANGED,
    error: undefined,
    again: undefined,
  };
}

/** The outcome of an object that must wait before it is applied, unless it is completed. */
export function waiting(
  run: Run,
  member: PlannedMember,
  { reason, message }: { readonly reason: string; readonly message: string },
): Outcome {
  const live = cachedOf(run, member);
  if (member.kindState.type === "watched" && isDone(run, member, live)) return completed(run, member, live);
  const phase = isOurs(run, member, live) ? (run.memory.last.get(member.key)?.phase ?? "Updating") : "Waiting";
  return {
    member,
    phase: phase === "Ready" ? "Updating" : phase,
    state: { type: "Pending", reason, message },
    isReady: false,
    live,
    operation: UNCHANGED,
    error: undefined,
    again: undefined,
  };
}

/** The outcome of an object that could not be written. */
export function failed(run: Run, member: PlannedMember, error: unknown): Outcome {
  const isPassing = causeOfError(error) === "transient" || (member.ref.namespace !== undefined && isNamespaceTerminating(error));
  const state: DependentState = { type: isPassing ? "Pending" : "Failed", reason: reasonOf(error), message: statusMessage(error) };
  const live = cachedOf(run, member);
  const phase = isOurs(run, member, live) ? "Updating" : "Waiting";
  return { member, phase, state, isReady: false, live, operation: UNCHANGED, error, again: "backoff" };
}
