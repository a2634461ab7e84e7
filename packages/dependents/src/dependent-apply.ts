/**
 * dependentApply: keeps one object that belongs to the primary. The desired state is a pure function. The step creates the
 * object, reverts drift, reports it in `status.dependents`, waits until it is ready, deletes it when it is not desired any
 * more, and cleans it up.
 *
 * Guarantees
 * - No object is written or deleted that is not the owner's, unless `adopt` allows it.
 * - No request when nothing differs. Fields that `desired` does not name are not modified.
 * - Every write carries the uid, or the condition that no object exists: a deleted object is not recreated by accident.
 */
import { type Kind, keyOf, type KubernetesObject, type ObjectOf, type Ref } from "@treadle/apimachinery";
import { defineStep, runtimeOf, type StepRuntime, type OneRead, waitBecause } from "@treadle/reconcile/unstable/engine";
import { one, type Reads, type StepResult, type Wait, type AnyStep, type NeedsOf } from "@treadle/reconcile";
import { converge, remembered } from "./core/converge.ts";
import type { DependentIdentity, DependentState, NewEntry } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import { identityOf, refTo } from "./core/marks.ts";
import type { Converged, Plan } from "./core/plan.ts";
import { mayHaveObjects, remove } from "./core/remove.ts";
import { refined } from "./core/state.ts";
import {
  type AnyOptions,
  type Dependent,
  dependentOf,
  desiredOf,
  LIVE,
  permissionsOf,
  problemsOf,
  requireOptions,
  targetOf,
  targetOrNone,
} from "./dependent.ts";
import { dependents, type UnseenDependent } from "./extension.ts";
import { withStep } from "./layers/layered.ts";
import { retryLater, revisitLater } from "./retry-later.ts";
import type { AnyDependentStep, DependentOptions, DependentStep } from "./types.ts";
import {
  type AnyCleanupReq,
  type AnyDoReq,
  type Definition,
  inputsOf,
  removalOf,
  report,
  reportAtOnce,
  type Unit,
  unitOf,
} from "./unit.ts";

/**
 * Makes a step that keeps one dependent object. Its place in the list is its place in the order: the chain continues when
 * the object is ready. Several that depend on each other, or are independent, go into {@link dependentApplyAll}.
 *
 * @throws TypeError when the options are invalid (untyped code); problems of the pipeline are reported by `build()`.
 */
export function dependentApply<
  P extends Kind,
  K extends Kind,
  const Name extends string,
  const L extends readonly AnyStep[] = readonly [],
  R extends Reads<ObjectOf<P>> = {},
  const D extends readonly AnyDependentStep[] = readonly [],
>(primary: P, options: DependentOptions<ObjectOf<P>, K, Name, L, R, D>): DependentStep<ObjectOf<P>, NeedsOf<L>, Name, K> {
  const given = options as unknown as AnyOptions;
  requireOptions(given);
  const dependent = dependentOf(withStep(given));
  const { policy } = dependent;
  const read = liveRead(dependent);
  const dependsOn = (): readonly (StepRuntime | undefined)[] => (given.dependsOn ?? []).map((needed: unknown) => runtimeOf(needed));
  const definition: Definition = { dependent, read, dependsOn };
  const step = defineStep(primary, {
    name: given.name,
    needs: given.needs ?? [],
    reads: { ...given.reads, [LIVE]: read },
    owns: policy.isOwned && policy.isWatched ? [given.kind] : [],
    permissions: permissionsOf(dependent),
    dryRun: true,
    ...(given.timeoutMs === undefined ? {} : { timeoutMs: given.timeoutMs }),
    do: (req) => apply(definition, req as AnyDoReq),
    ...(dependent.isChecked ? {} : { unresolved: (req: unknown, error: unknown) => goOn(unitOf(definition, req as AnyDoReq), error) }),
    ...(policy.isOwned ? { cleanup: (req: unknown) => cleanedUp(unitOf(definition, req as AnyCleanupReq)) } : {}),
    readsInCleanup: false,
    refersFrom: policy.isOwned && given.ownership !== "label" ? [given.kind] : [],
    uses: [
      dependents.use({
        kind: policy.kind,
        makesNamesake: policy.isCreated && given.objectName === undefined && given.namespace === undefined,
        hasEntries: dependent.isChecked,
        whetherWanted:
          typeof given.desired === "function"
            ? { reads: (given.reads ?? {}) as StepRuntime["reads"], do: (req) => whetherWanted(definition, req as AnyDoReq) }
            : undefined,
        target: (owner) => targetOf(dependent, owner),
        problems: (primary) => problemsOf(dependent, primary),
        dependsOn,
        cached: (owner, cache) => cache.get(read.cacheKind, targetOf(dependent, owner)),
        entryFor: (owner, given) => entryFor(dependent, owner, given),
      }),
    ],
  });
  // What defineStep() gives is opaque; the signature is what is known of it.
  return step as unknown as DependentStep<ObjectOf<P>, NeedsOf<L>, Name, K>;
}

/** Time until a dependent is looked at again, in milliseconds, if only its watch would trigger a pass. */
const LOOK_AGAIN_MS = 600_000;

/** The object itself as a read of its step: watch, requeues by name and, for Secrets, one GET for each version follow from it. */
function liveRead(dependent: Dependent): OneRead {
  const { kind, isWatched } = dependent.policy;
  // A name that cannot be computed is reported by the step itself, which computes it again.
  const ref = (owner: KubernetesObject): Ref | undefined => targetOrNone(dependent, owner);
  return one(kind, ref, isWatched ? {} : { watch: false }) as OneRead; // A read is one of these at run time.
}

/** Returns without a promise if nothing has changed since the last pass: a synchronous phase needs no timer. */
function apply(definition: Definition, req: AnyDoReq): StepResult<{}> | Promise<StepResult<{}>> {
  const unit = unitOf(definition, req);
  const { dependent, context } = unit;
  try {
    const inputs = inputsOf(definition, unit);
    const live = req.reads[LIVE as never] as KubernetesObject | undefined; // The read under this name returns it.
    const known = remembered(context, { policy: dependent.policy, live, inputs, ...authorOf(dependent, context.owner, inputs) });
    if (known !== undefined && live !== undefined && isAlone(unit, refTo(live))) return settled(unit, known, refTo(live));
    const applied = applyNow(unit, inputs, live);
    return dependent.isChecked ? applied : applied.catch((error: unknown) => goOn(unit, error));
  } catch (error) {
    if (dependent.isChecked) throw error;
    return goOn(unit, error);
  }
}

/** No step waits for an unchecked dependent: the chain continues without it. */
function goOn(unit: Unit<AnyDoReq>, error: unknown): StepResult<{}> {
  retryLater(unit, error);
  return unit.req.next();
}

async function applyNow(unit: Unit<AnyDoReq>, inputs: Inputs, live: KubernetesObject | undefined): Promise<StepResult<{}>> {
  const { dependent, context, pass, req } = unit;
  const { options, policy } = dependent;
  const { owner } = context;
  const desired = desiredOf(dependent, owner, inputs);
  if (desired === undefined && options.desired !== undefined) return notDesired(unit);
  const target = targetOf(dependent, owner);
  const converged = await converge(context, {
    policy,
    target,
    live,
    inputs,
    desired: desired === undefined ? undefined : () => desired,
    ...authorOf(dependent, owner, inputs),
  });
  pass.found.live.set(dependent.name, converged.live);
  if (!needsBackoff(converged)) context.memory.unit(context.unit).failures = 0;

  const entry: NewEntry = { ...identityOf(policy.kind, target), ...converged.state };
  if (dependent.isChecked) report(unit, [entry]);
  if (!isReady(converged)) return notReady(unit, converged);
  const leftovers = await pruneOthers(unit, target);
  if (leftovers.length === 0 || !dependent.isChecked) return req.next();
  report(unit, [entry, ...leftovers]);
  return waitBecause(leftovers[0]?.message ?? "", { code: leftovers[0]?.reason ?? "Deleting", afterMs: LOOK_AGAIN_MS });
}

/** Returns the functions of the author that judge the live object. */
function authorOf({ options }: Dependent, owner: KubernetesObject, inputs: Inputs): Pick<Plan, "readyWhen" | "refine"> {
  const { readyWhen, status } = options;
  // The live object is one of the author's kind, and the inputs are what the options declare.
  return {
    readyWhen: readyWhen === undefined ? undefined : (live) => readyWhen(live as never, owner, inputs as never),
    refine: status === undefined ? undefined : (state, live) => status(state, live as never, undefined),
  };
}

/** Decides whether the step has no other object to remove, by label or by an entry of the status. */
function isAlone(unit: Unit, keep: Ref): boolean {
  return !mayHaveObjects(unit.context, removalOf(unit, keep, false));
}

/** Returns the result of the last pass, without a promise. */
function settled(unit: Unit<AnyDoReq>, converged: Converged, target: Ref): StepResult<{}> {
  const { dependent, pass, req } = unit;
  pass.found.live.set(dependent.name, converged.live);
  if (dependent.isChecked) reportAtOnce(unit, [{ ...identityOf(dependent.policy.kind, target), ...converged.state }]);
  return isReady(converged) ? req.next() : notReady(unit, converged);
}

/** Calls `desired` with the dependencies that exist, and writes nothing. If it throws, the object counts as desired. */
function whetherWanted(definition: Definition, req: AnyDoReq): StepResult<{ readonly isWanted: boolean }> {
  const unit = unitOf(definition, req);
  try {
    if (desiredOf(unit.dependent, unit.context.owner, inputsOf(definition, unit)) !== undefined) return req.next({ isWanted: true });
  } catch {
    return req.next({ isWanted: true });
  }
  notDesired(unit);
  return req.next({ isWanted: false });
}

/** Marks the object as no longer desired. The engine calls the cleanup after the steps that need the object. */
function notDesired(unit: Unit<AnyDoReq>): StepResult<{}> {
  const { dependent, context, pass, req } = unit;
  pass.found.live.set(dependent.name, undefined);
  if (mayHaveObjects(context, removalOf(unit, undefined, false))) pass.found.unwanted.add(dependent.name);
  else if (dependent.isChecked) report(unit, []);
  return req.next();
}

/** The author's `status` may report a missing object as ready. */
function isReady({ type, state }: Converged): boolean {
  return type === "there" || state.type === "Ready";
}

/** Decides whether the object could not be written, and no watch reports when it can. */
function needsBackoff(converged: Converged): boolean {
  return converged.type === "not yet" && !converged.isApplied && converged.again === "backoff";
}

function notReady(unit: Unit<AnyDoReq>, converged: Converged): StepResult<{}> {
  const { dependent, pass, req } = unit;
  const { message, reason } = converged.state;
  const text = pass.hide(message === "" ? reason : message);
  const again = converged.type === "there" ? "watch" : converged.again;
  if (!dependent.isChecked) {
    // No step waits for the object. If it is foreign or missing, the log reports it.
    if (converged.type === "not yet" && !converged.isApplied) req.log.warn({ reason }, text);
    if (needsBackoff(converged)) revisitLater(unit, text);
    else if (typeof again === "number") req.revisit(again, text);
    return req.next();
  }
  const { type } = converged.state;
  const severity = type === "Failed" ? "failed" : type === "Pending" ? "pending" : "unknown";
  const afterMs = again === "backoff" ? undefined : again === "watch" ? LOOK_AGAIN_MS : again;
  return waitBecause(text, { code: reason, severity, needsAction: WARNING_REASONS.includes(reason), afterMs });
}

/** Reasons that do not end without a person. Docs/operations.md lists them as reasons of events. */
const WARNING_REASONS: readonly string[] = ["Contested", "NotOurs"];

/** Removes objects with an earlier name. Without a watch it does so only after the name has changed. */
async function pruneOthers(unit: Unit, keep: Ref): Promise<readonly NewEntry[]> {
  const { dependent, context } = unit;
  if (dependent.policy.isWatched) return (await remove(context, removalOf(unit, keep, false))).left;
  const memory = context.memory.unit(context.unit);
  const key = keyOf(keep);
  if (memory.prunedFor === key) return [];
  const { left } = await remove(context, removalOf(unit, keep, true));
  if (left.length === 0) memory.prunedFor = key;
  return left;
}

/** An owner that is not being deleted does not wait for an unchecked dependent that cannot be removed. */
async function cleanedUp(unit: Unit): Promise<Wait | undefined> {
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
  const { left } = await remove(context, removalOf(unit, undefined, pass.isDeleting || !isWatched));
  if (dependent.isChecked) report(unit, left);
  const [first] = left;
  if (first === undefined) context.memory.unit(context.unit).prunedFor = "";
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

/** The entry for an object that the pass has not seen. If its name cannot be computed, the entry has the name that it had. */
function entryFor(dependent: Dependent, owner: KubernetesObject, given: UnseenDependent): DependentIdentity & DependentState {
  const { name, options, policy } = dependent;
  const { state, error } = given;
  const { status } = options;
  const identity = identityOf(policy.kind, targetOrNone(dependent, owner) ?? given.last ?? owner.metadata);
  const refine = status === undefined ? undefined : (before: DependentState) => status(before, undefined, error);
  return { ...identity, ...refined({ unit: name, unitNoun: "step" }, { refine }, { state, live: undefined }) };
}
