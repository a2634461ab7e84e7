/** The phases of dependentApply() with a target. */
import { groupKindOf, keyOf, type KubernetesObject, ownerLabels, type Ref } from "@treadle/apimachinery";
import type { KindWatch, StepResult, Wait } from "@treadle/reconcile";
import { waitBecause } from "@treadle/reconcile/unstable/engine";
import { begin } from "./apply-step.ts";
import { readLive } from "./core/take-over.ts";
import { courseOf } from "./course-of.ts";
import { refsOrNone } from "./dependent.ts";
import { goOn, LOOK_AGAIN_MS, retryLater, revisitLater } from "./retry-later.ts";
import { type Running, supervisorOf } from "./supervision.ts";
import { remoteSteps } from "./target-extension.ts";
import { mayBeAnywhere, remoteStateOf, reportUnseen, targetStepOf } from "./target-unit.ts";
import { entered, heldTarget } from "./targets/pass/enter-target.ts";
import type { HeldTarget } from "./targets/pass/held-target.ts";
import { leaveAll } from "./targets/pass/leave-target.ts";
import { isSameCluster, type StoredTarget, storedTargetOf } from "./targets/pass/stored-target.ts";
import { TargetPlace } from "./targets/pass/target-place.ts";
import type { TargetStep } from "./targets/pass/target-step.ts";
import type { TargetDefinition } from "./targets/types.ts";
import { type AnyCleanupReq, type AnyDoReq, type Definition, type Remote, type Unit, unitOf } from "./unit.ts";
import { notDesired, skipped, whyUnwanted } from "./unwanted.ts";

/** A step in its target. */
interface Visitor {
  readonly definition: Definition;
  /** The step outside of the target. */
  readonly unit: Unit<AnyDoReq>;
  readonly step: TargetStep;
  readonly course: Running;
  readonly held: HeldTarget;
  readonly place: TargetPlace;
}

/** The phase `do`. Returns without a promise if nothing has changed since the last pass. */
export function applyAtTarget(definition: Definition, target: TargetDefinition, req: AnyDoReq): StepResult<{}> | Promise<StepResult<{}>> {
  const unit = unitOf(definition, req);
  try {
    const course = courseOf(unit);
    if (course.type === "drop") return notDesired(unit, course.why);
    if (course.type === "skip") return skipped(unit, course, whyUnwanted(definition, unit));
    // A step that keeps no object needs no target.
    const why = mayBeAnywhere(unit) ? undefined : whyUnwanted(definition, unit);
    if (why !== undefined) return notDesired(unit, why);
    const step = targetStepOf(definition, unit, target);
    const found = heldTarget(step, target);
    if (found.type === "refused") return ended(unit, found.wait);
    const { held } = found;
    return visit({ definition, unit, step, course, held, place: placeOf(definition, unit, { held, step }) });
  } catch (error) {
    return goOn(unit, error);
  }
}

/** No step waits for an unchecked dependent. */
function ended(unit: Unit<AnyDoReq>, wait: Wait): StepResult<{}> {
  const { dependent, pass, req } = unit;
  if (dependent.isChecked || supervisorOf(pass.handler, dependent.name) !== undefined) return wait;
  req.log.warn({ kind: dependent.policy.kind.kind }, `the dependent is not as desired, and its owner does not wait for it: ${wait.reason}`);
  revisitLater(unit, wait.reason, wait.afterMs);
  return req.next();
}

function placeOf(definition: Definition, unit: Unit<AnyDoReq>, { held, step }: { held: HeldTarget; step: TargetStep }): TargetPlace {
  const { context, pass } = unit;
  return new TargetPlace(held, {
    req: unit.req,
    key: step.key,
    ownerLabels: ownerLabels(context.owner, context.handlerName),
    managers: [...context.handlerNames, ...context.replacedManagers],
    ownerKind: context.ownerKind,
    namespaces: namespacesOf(unit),
    cacheKindOf: definition.source.cacheKindOf,
    wake: pass.waker(),
  });
}

/** The namespaces in which objects of the step are or will be. */
function namespacesOf(unit: Unit): readonly string[] {
  const named = refsOrNone(unit.dependent, unit.context.owner).flatMap(({ namespace }) => namespace ?? []);
  return [...new Set([...named, ...remoteStateOf(unit).namespaces])].toSorted();
}

function visit(visitor: Visitor): StepResult<{}> | Promise<StepResult<{}>> {
  const { unit, step, held } = visitor;
  const settled = settledResult(visitor);
  if (settled !== undefined) return settled;
  let isReported = false;
  const reporting: TargetStep = { ...step, report: (given) => ((isReported = true), step.report(given)) };
  const done = entered<StepResult<{}>>(reporting, held, {
    use: async (target) => await applyThere(visitor, target),
    later: (message) => notYet(unit, message),
    settle: () => visitor.place.settle(),
  });
  return done.then(
    (result) => (isReported && "reason" in result ? ended(unit, result as Wait) : result),
    (error: unknown) => goOn(unit, error),
  );
}

/** The result without a request, if the target is known and nothing has changed since the last pass. */
function settledResult(visitor: Visitor): StepResult<{}> | undefined {
  const { definition, unit, held, course } = visitor;
  const state = remoteStateOf(unit);
  if (held.cluster === undefined || state.target === undefined) return undefined;
  if (!isSameCluster(state.target, storedTargetOf(held.identity, held.cluster))) return undefined;
  if (watchIn(visitor)?.type !== "synced") return undefined;
  const refs = refsOrNone(unit.dependent, unit.context.owner);
  const live = new Map<string, KubernetesObject>();
  for (const ref of refs) {
    const known = knownAt(visitor, ref);
    if (known === undefined) return undefined;
    live.set(keyOf(ref), known);
  }
  const there = unitOf(definition, unit.req, remoteOf(visitor, live, true));
  return begin(definition, there, course).settled;
}

/** The whole object, if it is known without a request. The cache has only the metadata of confidential objects. */
function knownAt({ unit, place }: Visitor, ref: Ref): KubernetesObject | undefined {
  const { kind } = unit.dependent.policy;
  const cached: KubernetesObject | undefined = place.cache.get(kind, ref);
  if (cached === undefined || kind.cachedAs !== "metadata") return cached;
  const last = unit.remote?.live.get(keyOf(ref));
  const isSame = last?.metadata.uid === cached.metadata.uid && last?.metadata.resourceVersion === cached.metadata.resourceVersion;
  return isSame ? last : undefined;
}

function watchIn({ definition, unit, place }: Visitor): KindWatch | undefined {
  const { policy } = definition.dependent;
  return policy.isWatched ? place.watch(definition.source.cacheKindOf(unit.dependent.policy.kind)) : undefined;
}

function remoteOf({ unit, place }: Visitor, live: Remote["live"], isWatched: boolean): Remote {
  return { place, live, isWatched, namespaces: remoteStateOf(unit).namespaces };
}

async function applyThere(visitor: Visitor, target: StoredTarget): Promise<StepResult<{}>> {
  const { definition, unit, course, place } = visitor;
  const { req, dependent } = unit;
  const { kind } = dependent.policy;
  const watch = watchIn(visitor);
  if (watch?.type === "pending") return notYet(unit, watch.reason);
  if (watch?.type === "not-served" || watch?.type === "refused") {
    const reason = watch.type === "refused" ? "Forbidden" : "KindNotInstalled";
    const message = `${groupKindOf(kind)} cannot be watched in the target: ${watch.reason}`;
    reportUnseen(unit, { type: "Failed", reason, message });
    return ended(unit, waitBecause(message, { code: reason, severity: "failed", afterMs: KIND_AGAIN_MS }));
  }
  const isWatched = watch?.type === "synced";
  const live = new Map<string, KubernetesObject>();
  for (const ref of refsOrNone(dependent, unit.context.owner)) {
    // An object that the cache lacks may exist without the label of the owner.
    const found = (isWatched ? knownAt(visitor, ref) : undefined) ?? (await readLive(place, { kind }, ref));
    if (found !== undefined) live.set(keyOf(ref), found);
  }
  await store(unit, target);
  remoteSteps.of(req).memory.of(dependent.name).live = live;
  return await begin(definition, unitOf(definition, req, remoteOf(visitor, live, isWatched)), course).now();
}

/** Time until a kind that the target does not serve is looked for again, in milliseconds. A change of the watch triggers a pass. */
const KIND_AGAIN_MS = 60_000;

/** The state has the target and the namespaces before the first write. */
async function store(unit: Unit<AnyDoReq>, target: StoredTarget): Promise<void> {
  const state = remoteStateOf(unit);
  const namespaces = namespacesOf(unit);
  const isSame = JSON.stringify(state.target) === JSON.stringify(target) && namespaces.length === state.namespaces.length;
  if (isSame) return;
  state.target = target;
  state.namespaces = namespaces;
  state.own = false;
  // In a dry run a checkpoint would end the step, and nothing is written after it.
  if (!unit.req.isDryRun) await unit.req.checkpoint();
}

/** The end of a pass that cannot look at the target yet. The entries stay. */
function notYet(unit: Unit<AnyDoReq>, message: string): StepResult<{}> {
  const { dependent, pass } = unit;
  if (dependent.isChecked) pass.found.entries.set(dependent.name, "keep");
  const wait = waitBecause(message, { code: "Processing", isTransient: true, afterMs: LOOK_AGAIN_MS, transientMs: LOOK_AGAIN_MS });
  return dependent.isChecked ? wait : unit.req.next();
}

/** The phase `cleanup`: removes the objects from where they are. */
export async function cleanUpAtTarget(definition: Definition, target: TargetDefinition, req: AnyCleanupReq): Promise<Wait | undefined> {
  const unit = unitOf(definition, req);
  try {
    return await leaveAll(targetStepOf(definition, unit, target));
  } catch (error) {
    if (unit.dependent.isChecked || unit.pass.isDeleting) throw error;
    retryLater(unit, error);
    return undefined;
  }
}
