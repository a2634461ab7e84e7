/** A step that keeps no object in a pass: it is not included, its object is not desired, or it cannot run and that is asked. */
import type { StepResult, Wait } from "@treadle/reconcile";
import { leavesOf, runtimeOf, type StepRuntime, waitBecause } from "@treadle/reconcile/unstable/engine";
import { askAgain } from "./ask-again.ts";
import { courseOf } from "./course-of.ts";
import { titleOf } from "./core/marks.ts";
import { mayHaveObjects, NONE, objectsLeft } from "./core/remove.ts";
import { desiredOf } from "./dependent.ts";
import type { Absence } from "./entry-condition.ts";
import { handOverNothing } from "./gives.ts";
import type { Kept } from "./outcomes.ts";
import type { PassInputs } from "./pass-inputs.ts";
import { goOn, LOOK_AGAIN_MS, revisitLater } from "./retry-later.ts";
import { liveObjects } from "./subjects.ts";
import { BLOCKED_CODE, type Course, supervisorOf } from "./supervision.ts";
import { giveAsTheyAre, leaveAsTheyAre } from "./without-values.ts";
import { mayBeAnywhere } from "./target-unit.ts";
import { type AnyDoReq, type Definition, inputsOf, removalOf, report, type Unit, unitOf } from "./unit.ts";
import { dropByOwner, isIncluded, NOT_DESIRED, NOT_INCLUDED, verdictOf } from "./verdict.ts";

/** Answers whether the step has a desired object, and writes nothing. If it has none, its objects are removed after the chain. */
export function whetherWanted(definition: Definition, req: AnyDoReq): StepResult<{ readonly isWanted: boolean }> {
  const unit = unitOf(definition, req);
  const why = whyUnwanted(definition, unit);
  askAgain(unit, []);
  if (why !== undefined) notDesired(unit, why);
  return req.next({ isWanted: why === undefined });
}

/**
 * Asks the predicates and `desired`, with the dependencies and vars that exist. If one of them throws, or a dependency is known by
 * its metadata only, the object counts as desired: nothing is deleted on incomplete inputs.
 */
export function whyUnwanted(definition: Definition, unit: Unit<AnyDoReq>): Absence | undefined {
  const { dependent, context } = unit;
  try {
    const inputs: PassInputs = inputsOf(definition, unit);
    if (inputs.unknown.length > 0) return dropByOwner(unit);
    const verdict = verdictOf(unit, inputs, { isAgain: false });
    if (verdict.type === "drop") return verdict.why;
    // What `until` holds back is not deleted.
    if (verdict.type === "hold" || dependent.options.desired === undefined) return undefined;
    const items = dependent.isEach ? dependent.names(context.owner).list : [{ item: undefined }];
    return items.some(({ item }) => desiredOf(dependent, context.owner, { inputs, item }) !== undefined) ? undefined : NOT_DESIRED;
  } catch {
    return undefined;
  }
}

/**
 * Runs while vars of `needs` are missing: the step waits. If the steps that give them are not desired, they stay missing. Then the
 * predicates and `desired` are called without them, so that this object can be removed together with theirs.
 */
export function unprovided(definition: Definition, req: AnyDoReq, wait: Wait): StepResult<{}> {
  const unit = unitOf(definition, req);
  const { dependent, pass } = unit;
  const course = courseOf(unit);
  if (course.type === "drop") return notDesired(unit, course.why);
  if (course.type === "skip") return skipped(unit, course, dropByOwner(unit));
  const vars: object = req.vars;
  const isMissing = ({ gives }: StepRuntime): boolean => gives?.names.some((name) => !Object.hasOwn(vars, name)) === true;
  const givers = leavesOf((dependent.options.needs ?? []).flatMap((needed: unknown) => runtimeOf(needed) ?? [])).filter(isMissing);
  const isForGood = givers.every(({ name }) => pass.found.absences.has(name));
  const why = dropByOwner(unit) ?? (isForGood ? whyUnwanted(definition, unit) : undefined);
  if (why !== undefined) {
    askAgain(unit, []);
    return notDesired(unit, why);
  }
  if (!course.waits) return leaveAsTheyAre(unit, wait);
  // A supervisor reports what an unchecked step waits for.
  if (dependent.isChecked || supervisorOf(pass.handler, dependent.name) !== undefined) return wait;
  revisitLater(unit, wait.reason, wait.afterMs);
  return req.next();
}

/** The result of a step that an earlier part blocks. Its objects are removed all the same, if `why` says that it keeps none. */
export function skipped(
  unit: Unit<AnyDoReq>,
  { reason }: Extract<Course, { readonly type: "skip" }>,
  why: Absence | undefined,
): StepResult<{}> {
  askAgain(unit, []);
  if (why !== undefined) return notDesired(unit, why);
  giveAsTheyAre(unit, reason);
  return waitBecause(reason, { code: BLOCKED_CODE, afterMs: LOOK_AGAIN_MS });
}

/** Runs when what the step reads cannot be resolved. @throws `error`, if the owner waits for the step */
export function unresolved(definition: Definition, req: AnyDoReq, error: unknown): StepResult<{}> {
  const unit = unitOf(definition, req);
  const course = courseOf(unit);
  if (course.type === "drop") return notDesired(unit, course.why);
  if (course.type === "skip") return skipped(unit, course, dropByOwner(unit));
  return goOn(unit, error);
}

/**
 * Continues with `vars` if the step is not part of the list in this pass; then its entries are removed. `undefined`: it is.
 * @throws what `includeWhen` throws
 */
export function leftOut(definition: Definition, req: AnyDoReq, vars: object = {}): StepResult<object> | undefined {
  const unit = unitOf(definition, req);
  const { dependent, context } = unit;
  try {
    if (isIncluded(dependent, context.owner, { isServed: (kind) => unit.pass.isServed(kind) })) return undefined;
  } catch (error) {
    return goOn(unit, error);
  }
  noteAbsence(unit, NOT_INCLUDED);
  if (dependent.isChecked) report(unit, []);
  return req.next(vars);
}

/** Marks the objects as no longer desired. The engine calls the cleanup after the steps that need them. */
export function notDesired(unit: Unit<AnyDoReq>, why: Absence): StepResult<{}> {
  const { dependent, context, pass, req } = unit;
  noteAbsence(unit, why);
  const removal = removalOf(unit, NONE, false);
  if (dependent.target === undefined ? mayHaveObjects(context, removal) : mayBeAnywhere(unit)) {
    pass.found.unwanted.add(dependent.name);
    if (supervisorOf(pass.handler, dependent.name) !== undefined) {
      const titles = objectsLeft(context, removal).map(({ metadata }) => titleOf(dependent.policy, metadata, context.owner));
      pass.found.leaving.set(dependent.name, titles);
    }
  } else if (dependent.isChecked) report(unit, []);
  return req.next();
}

/** Notes for the steps that depend on this one, or need its values, that there is no object. */
function noteAbsence(unit: Unit<AnyDoReq>, why: Absence): void {
  noteLive(unit, []);
  handOverNothing(unit, why);
  unit.pass.found.absences.set(unit.dependent.name, why);
}

/** Notes the live objects for the steps that depend on this one. */
export function noteLive({ dependent, pass }: Unit, outcomes: readonly Kept[]): void {
  const objects = outcomes.map((outcome) => ({
    item: outcome.subject.item,
    live: outcome.type === "brought" ? outcome.converged.live : outcome.subject.live,
  }));
  pass.found.live.set(dependent.name, liveObjects(dependent.isEach, objects));
}
