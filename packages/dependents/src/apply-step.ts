/** The phase `do` of dependentApply(): brings the objects of a step to their desired state, and reports them. */
import type { Ref } from "@treadle/apimachinery";
import type { StepResult, Wait } from "@treadle/reconcile";
import { leavesOf, runtimeOf, type StepRuntime, waitBecause } from "@treadle/reconcile/unstable/engine";
import { authorOf } from "./author.ts";
import { pruneOthers } from "./cleanup-step.ts";
import { converge, remembered } from "./core/converge.ts";
import type { NewEntry } from "./core/entries.ts";
import { type Inputs, SharedInputs } from "./core/inputs.ts";
import { refTo } from "./core/marks.ts";
import type { Converged, Once } from "./core/plan.ts";
import { keptOf, mayHaveObjects, NONE } from "./core/remove.ts";
import { desiredOf } from "./dependent.ts";
import { runForEach } from "./each-object.ts";
import { givenBy, handOverGiven, handOverNothing } from "./gives.ts";
import { forgetOthers, onceOf } from "./once.ts";
import { type Brought, entryOf, failureOf, isReady, type Kept, needsBackoff, type Outcome, resultOf, UNWANTED } from "./outcomes.ts";
import { LOOK_AGAIN_MS, retryLater, revisitLater } from "./retry-later.ts";
import { liveObjects, type Subject, subjectsOf } from "./subjects.ts";
import { type AnyDoReq, type Definition, inputsOf, removalOf, report, reportAtOnce, type Unit, unitOf } from "./unit.ts";

/** What the functions of the author get in this pass. */
interface Asked {
  readonly inputs: Inputs;
  /** The same inputs, for a step with many objects. */
  readonly shared: SharedInputs | undefined;
  readonly once: Once | undefined;
}

/** Returns without a promise if nothing has changed since the last pass: a synchronous phase needs no timer. */
export function apply(definition: Definition, req: AnyDoReq): StepResult<{}> | Promise<StepResult<{}>> {
  const unit = unitOf(definition, req);
  const { dependent, context } = unit;
  try {
    const inputs = inputsOf(definition, unit);
    const subjects = subjectsOf(unit);
    const asked = { inputs, shared: dependent.isEach ? new SharedInputs(context, inputs) : undefined, once: onceOf(unit) };
    const known = subjects.length > MAX_SYNCHRONOUS ? undefined : settled(unit, asked, subjects);
    if (known !== undefined) return resultOf(unit, known);
    const applied = applyNow(unit, asked, subjects);
    return dependent.isChecked ? applied : applied.catch((error: unknown) => goOn(unit, error));
  } catch (error) {
    if (dependent.isChecked) throw error;
    return goOn(unit, error);
  }
}

/** More objects than this are looked at in several turns of the event loop. */
const MAX_SYNCHRONOUS = 200;

/** No step waits for an unchecked dependent: the chain continues without it. */
export function goOn(unit: Unit<AnyDoReq>, error: unknown): StepResult<{}> {
  retryLater(unit, error);
  return unit.req.next();
}

/** What became of the objects in the last pass, if nothing has changed since and the step has no other object to remove. */
function settled(unit: Unit<AnyDoReq>, { inputs, shared, once }: Asked, subjects: readonly Subject[]): readonly Brought[] | undefined {
  const { dependent, context } = unit;
  const known: Brought[] = [];
  for (const subject of subjects) {
    const { live, item } = subject;
    if (live === undefined) return undefined;
    const author = authorOf(dependent, context.owner, { inputs, item });
    const converged = remembered(context, { policy: dependent.policy, live, inputs, shared, once, ...author });
    if (converged === undefined) return undefined;
    known.push({ type: "brought", subject, target: refTo(live), converged, given: givenBy(unit, subject, converged) });
  }
  if (mayHaveObjects(context, removalOf(unit, keptOf(known.map(({ target }) => target)), false))) return undefined;
  noteLive(unit, known);
  handOverGiven(unit, known);
  if (dependent.isChecked)
    reportAtOnce(
      unit,
      known.map((brought) => entryOf(unit, brought)),
    );
  return known;
}

async function applyNow(unit: Unit<AnyDoReq>, asked: Asked, subjects: readonly Subject[]): Promise<StepResult<{}>> {
  const { dependent, context } = unit;
  const outcomes = dependent.isEach ? await applyEach(unit, asked, subjects) : await applyOnly(unit, asked, subjects);
  const kept = outcomes.filter((outcome) => outcome.type !== "unwanted");
  if (kept.length === 0) return notDesired(unit);
  noteLive(unit, kept);
  handOverGiven(unit, kept);
  if (!kept.some(needsBackoff)) context.memory.unit(context.unit).failures = 0;
  const targets = kept.map(({ target }) => target);
  forgetOthers(unit, targets);
  const entries = kept.map((outcome) => entryOf(unit, outcome));
  if (dependent.isChecked) report(unit, entries);
  const isDone = kept.every(isReady);
  // A new object replaces the one with the former name when it is ready. With `each` no object replaces another one.
  if (!isDone && !dependent.isEach) return resultOf(unit, kept);
  const { leftovers, error } = await pruned(unit, targets);
  if (dependent.isChecked && leftovers.length > 0) report(unit, [...entries, ...leftovers]);
  const failure = failureOf(unit, kept, error);
  if (failure !== undefined) throw failure;
  if (!isDone || leftovers.length === 0 || !dependent.isChecked) return resultOf(unit, kept);
  return waitBecause(leftovers[0]?.message ?? "", { code: leftovers[0]?.reason ?? "Deleting", afterMs: LOOK_AGAIN_MS });
}

/** The only object of a step without `each`. @throws what the author's functions and the server throw */
async function applyOnly(unit: Unit<AnyDoReq>, asked: Asked, subjects: readonly Subject[]): Promise<readonly Outcome[]> {
  return [await applyOne(unit, asked, subjects[0] as Subject)]; // There is exactly one.
}

/** All objects: one that fails does not stop the others. */
async function applyEach(unit: Unit<AnyDoReq>, asked: Asked, subjects: readonly Subject[]): Promise<readonly Outcome[]> {
  const runs = await runForEach(unit, subjects, (subject) => applyOne(unit, asked, subject));
  return runs.map((run, i): Outcome => {
    const subject = subjects[i] as Subject; // One run for each.
    return run.type === "done" ? run.result : { ...run, subject, target: subject.target() };
  });
}

/** Converges one object, if it is desired. */
async function applyOne(unit: Unit<AnyDoReq>, { inputs, shared, once }: Asked, subject: Subject): Promise<Outcome> {
  const { dependent, context } = unit;
  const { options, policy } = dependent;
  const { item, live } = subject;
  const asked = { inputs, item };
  const author = authorOf(dependent, context.owner, asked);
  if (shared !== undefined) {
    const known = remembered(context, { policy, live, inputs, shared, once, ...author });
    if (known !== undefined) return brought(unit, subject, known);
  }
  const desired = desiredOf(dependent, context.owner, asked);
  if (desired === undefined && options.desired !== undefined) return UNWANTED;
  const target = subject.target();
  const plan = { policy, target, live, inputs, shared, once, desired: desired === undefined ? undefined : () => desired, ...author };
  return brought(unit, subject, await converge(context, plan));
}

function brought(unit: Unit, subject: Subject, converged: Converged): Brought {
  return { type: "brought", subject, target: subject.target(), converged, given: givenBy(unit, subject, converged) };
}

/** Removes the objects of the step that are not desired. With `each` an error does not hide those of the objects. */
async function pruned(
  unit: Unit<AnyDoReq>,
  targets: readonly Ref[],
): Promise<{ readonly leftovers: readonly NewEntry[]; readonly error: unknown }> {
  try {
    return { leftovers: await pruneOthers(unit, keptOf(targets)), error: undefined };
  } catch (error) {
    if (!unit.dependent.isEach) throw error;
    return { leftovers: [], error };
  }
}

/** Notes the live objects for the steps that depend on this one. */
function noteLive({ dependent, pass }: Unit, outcomes: readonly Kept[]): void {
  const objects = outcomes.map((outcome) => ({
    item: outcome.subject.item,
    live: outcome.type === "brought" ? outcome.converged.live : outcome.subject.live,
  }));
  pass.found.live.set(dependent.name, liveObjects(dependent.isEach, objects));
}

/** Answers whether the step has a desired object, and writes nothing. If it has none, its objects are removed after the chain. */
export function whetherWanted(definition: Definition, req: AnyDoReq): StepResult<{ readonly isWanted: boolean }> {
  const unit = unitOf(definition, req);
  const isWanted = hasDesired(definition, unit);
  if (!isWanted) notDesired(unit);
  return req.next({ isWanted });
}

/** Calls `desired` with the dependencies and vars that exist. If it throws, the object counts as desired. */
function hasDesired(definition: Definition, unit: Unit<AnyDoReq>): boolean {
  const { dependent, context } = unit;
  try {
    const inputs = inputsOf(definition, unit);
    const items = dependent.isEach ? dependent.names(context.owner).list : [{ item: undefined }];
    return items.some(({ item }) => desiredOf(dependent, context.owner, { inputs, item }) !== undefined);
  } catch {
    return true;
  }
}

/**
 * Runs while vars of `needs` are missing: the step waits. If the steps that give them are not desired, they stay missing. Then
 * `desired` is called without them, so that this object can be removed together with theirs.
 */
export function unprovided(definition: Definition, req: AnyDoReq, wait: Wait): StepResult<{}> {
  const unit = unitOf(definition, req);
  const { dependent, pass } = unit;
  const vars: object = req.vars;
  const isMissing = ({ gives }: StepRuntime): boolean => gives?.names.some((name) => !Object.hasOwn(vars, name)) === true;
  const givers = leavesOf((dependent.options.needs ?? []).flatMap((needed: unknown) => runtimeOf(needed) ?? [])).filter(isMissing);
  const isForGood = typeof dependent.options.desired === "function" && givers.every(({ name }) => pass.found.undesired.has(name));
  if (isForGood && !hasDesired(definition, unit)) return notDesired(unit);
  if (dependent.isChecked) return wait;
  revisitLater(unit, wait.reason, wait.afterMs);
  return req.next();
}

/** Marks the objects as no longer desired. The engine calls the cleanup after the steps that need them. */
function notDesired(unit: Unit<AnyDoReq>): StepResult<{}> {
  const { dependent, context, pass, req } = unit;
  noteLive(unit, []);
  handOverNothing(unit);
  pass.found.undesired.add(dependent.name);
  if (mayHaveObjects(context, removalOf(unit, NONE, false))) pass.found.unwanted.add(dependent.name);
  else if (dependent.isChecked) report(unit, []);
  return req.next();
}
