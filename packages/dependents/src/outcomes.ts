/** What became of the objects of a step, and what the step makes of it: entries of the status, a result, or an error. */
import { isConflict, ownership, type Ref } from "@treadle/apimachinery";
import type { StepResult } from "@treadle/reconcile";
import { entryHandlerOf, errorsIn, reasonOf, statusMessage, waitBecause } from "@treadle/reconcile/unstable/engine";
import { authorOf, stateWithout } from "./author.ts";
import { type DependentState, entriesOfStep, type NewEntry, severity, storedEntries } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import { identityOf, titleOf } from "./core/marks.ts";
import type { Given } from "./core/memory.ts";
import type { Again, Converged } from "./core/plan.ts";
import { refined } from "./core/state.ts";
import { UNCHANGED } from "./core/work.ts";
import type { Absence } from "./entry-condition.ts";
import { LOOK_AGAIN_MS, revisitLater } from "./retry-later.ts";
import { underPresentName } from "./extension/entries.ts";
import type { Subject } from "./subjects.ts";
import { type Cause, causeOf, causeOfError, type Running, type SeenObject, type Supervision, supervisorOf } from "./supervision.ts";
import type { AnyDoReq, Unit } from "./unit.ts";

/** An object that was converged. */
export interface Brought {
  readonly type: "brought";
  readonly subject: Subject;
  readonly target: Ref;
  readonly converged: Converged;
  /** What it gives; `undefined` for a step without `gives`. */
  readonly given: Given | undefined;
}

/** An object that the step does not keep. */
export interface Unwanted {
  readonly type: "unwanted";
  readonly why: Absence;
  /** When the author's functions want to be called again, in the clock's milliseconds. */
  readonly dueAtMs: number | undefined;
}

/** An object that the step keeps. `left`: this pass had no time for it. Only a step with `each` has objects that failed or are left. */
export type Kept =
  | Brought
  | { readonly type: "failed"; readonly subject: Subject; readonly target: Ref; readonly error: unknown }
  | { readonly type: "left"; readonly subject: Subject; readonly target: Ref };

/** What became of one object of a step. */
export type Outcome = Kept | Unwanted;

/** The reason while `until` does not hold. */
export const PRECONDITION_REASON = "Precondition";

/** The state of an object that `until` holds back. @throws what the author's functions throw */
export function heldBy(
  { dependent, context }: Unit,
  { reason, inputs, subject }: { readonly reason: string; readonly inputs: Inputs; readonly subject: Subject },
): Converged {
  const { item, live } = subject;
  const { owner, handlerNames } = context;
  const pending: DependentState = { type: "Pending", reason: PRECONDITION_REASON, message: reason };
  const state = refined(context, authorOf(dependent, owner, { inputs, item }), { state: pending, live });
  // An object of ours still gives its values.
  const isKept = live !== undefined && (!dependent.policy.isOwned || ownership(live, owner, handlerNames).type === "ours");
  return { type: "not yet", live, state, again: "watch", isApplied: false, cause: PRECONDITION_REASON, isKept, operation: UNCHANGED };
}

/** The author's `status` may report a missing object as ready. */
export function isReady(outcome: Kept): boolean {
  return outcome.type === "brought" && (outcome.converged.type !== "not yet" || outcome.converged.state.type === "Ready");
}

/** Decides whether the object could not be written, and no watch reports when it can. */
export function needsBackoff(outcome: Kept): boolean {
  if (outcome.type !== "brought") return true;
  const { converged } = outcome;
  return converged.type === "not yet" && !converged.isApplied && converged.again === "backoff";
}

/** Returns the entries of objects, and notes the objects for the supervisor of the step, if it has one. */
export function entriesOf(unit: Unit, kept: readonly Kept[]): readonly NewEntry[] {
  const { dependent, pass } = unit;
  const supervisor = supervisorOf(pass.handler, dependent.name);
  if (supervisor === undefined) return kept.map((outcome) => entryOf(unit, outcome, stateOf(unit, outcome)));
  const seen = kept.map((outcome) => seenBy(unit, outcome, supervisor));
  pass.found.seen.set(dependent.name, seen);
  return kept.map((outcome, i) => entryOf(unit, outcome, (seen[i] as SeenObject).state)); // One for each.
}

function entryOf({ dependent }: Unit, { target }: Kept, state: DependentState): NewEntry {
  return { ...identityOf(dependent.policy.kind, target), ...state };
}

/** An object with its state in the words of the supervisor. */
function seenBy(unit: Unit, outcome: Kept, supervisor: Supervision): SeenObject {
  const { name, policy, options } = unit.dependent;
  const { target } = outcome;
  const { live, operation } = outcome.type === "brought" ? outcome.converged : { live: outcome.subject.live, operation: UNCHANGED };
  const course = unit.pass.found.courses.get(name);
  const cause = causeIn(outcome);
  const state = supervisor.word(name, {
    state: stateOf(unit, outcome),
    cause,
    isReady: isReady(outcome),
    kind: policy.kind,
    live,
    operation,
    isJudgedByAuthor: options.readyWhen !== undefined || options.status !== undefined,
    previous: () => previousReason(unit, target),
    course: course?.type === "run" ? course : undefined,
  });
  return { target, live, state, cause, operation };
}

function causeIn(outcome: Kept): Cause {
  if (outcome.type === "brought") return causeOf(outcome.converged);
  return outcome.type === "failed" ? causeOfError(outcome.error) : "pending";
}

/** The reason in the last entry of an object. */
function previousReason({ dependent, pass }: Unit, target: Ref): string | undefined {
  const { object, handler } = pass;
  const entries = entriesOfStep(underPresentName(handler, storedEntries(object)), {
    handler: entryHandlerOf(handler),
    step: dependent.name,
  });
  return entries.find(({ name, namespace }) => name === target.name && namespace === target.namespace)?.reason;
}

function stateOf({ dependent, context }: Unit, outcome: Kept): DependentState {
  const { item } = outcome.subject;
  switch (outcome.type) {
    case "brought":
      return outcome.converged.state;
    case "failed": {
      const { error } = outcome;
      const isOvertaken = errorsIn(error).every(isConflict);
      const reason = isOvertaken ? "Conflict" : reasonOf(error);
      const state = { type: isOvertaken ? "Pending" : "Failed", reason, message: statusMessage(error) };
      return stateWithout(dependent, { state, error, item });
    }
    case "left": {
      const message = `${titleOf(dependent.policy, outcome.target, context.owner)} is applied in a later pass`;
      return stateWithout(dependent, { state: { type: "Pending", reason: "Queued", message }, error: undefined, item });
    }
  }
}

/**
 * Returns the error of the step if objects failed, or if `error` was thrown when others were removed. The entries of the objects
 * show which of them failed.
 */
export function failureOf({ dependent, pass }: Unit, kept: readonly Kept[], error: unknown): Error | undefined {
  const failed = kept.filter((outcome) => outcome.type === "failed");
  if (failed.length > 0) pass.found.told.add(dependent.name);
  const errors = [...(error === undefined ? [] : [error]), ...failed.map((each) => each.error)];
  const [first] = errors;
  if (errors.length <= 1) return first === undefined || first instanceof Error ? first : new Error(statusMessage(first), { cause: first });
  // A conflict is normal, so the other errors decide what the pass reports.
  const worst = [...errors.filter((each) => !isConflict(each)), ...errors.filter(isConflict)].slice(0, MAX_ERRORS);
  return new AggregateError(worst, `${failed.length} of ${kept.length} objects of step "${dependent.name}" failed`);
}

/** So many errors are in the log line of a pass. */
const MAX_ERRORS = 10;

/** Continues if all objects are ready, else waits for the worst of them. */
export function resultOf(unit: Unit<AnyDoReq>, kept: readonly Kept[], course?: Running): StepResult<{}> {
  let worst: Kept | undefined;
  let waiting = 0;
  let again: number | undefined = LOOK_AGAIN_MS;
  for (const outcome of kept) {
    if (isReady(outcome)) continue;
    waiting++;
    again = earlier(again, againMs(outcome));
    if (worst === undefined || severity(stateOf(unit, outcome)) < severity(stateOf(unit, worst))) worst = outcome;
  }
  if (worst === undefined) return unit.req.next();
  const { message, reason, type } = stateOf(unit, worst);
  const said = message === "" ? reason : message;
  const { item } = worst.subject;
  const text = unit.pass.hide(item === undefined ? said : `${waiting} of ${kept.length} objects are not ready; ${item.key}: ${said}`);
  if (course?.waits === false || (!unit.dependent.isChecked && !isBlocked(unit, kept)))
    return goOnWithout(unit, kept, { reason, text, again });
  const level = type === "Failed" ? "failed" : type === "Pending" ? "pending" : "unknown";
  return waitBecause(text, { code: reason, severity: level, needsAction: WARNING_REASONS.includes(reason), afterMs: again });
}

/** A supervisor reports what blocks an unchecked step too, and what depends on the step does not run. */
function isBlocked({ dependent, pass }: Unit, kept: readonly Kept[]): boolean {
  return supervisorOf(pass.handler, dependent.name) !== undefined && kept.some((outcome) => BLOCKING.includes(causeIn(outcome)));
}

const BLOCKING: readonly Cause[] = ["held", "absent", "foreign"];

/** No step waits for the objects. If one is foreign or missing, the log reports it. */
function goOnWithout(
  unit: Unit<AnyDoReq>,
  kept: readonly Kept[],
  { reason, text, again }: { readonly reason: string; readonly text: string; readonly again: number | undefined },
): StepResult<{}> {
  const { req } = unit;
  if (kept.some((each) => each.type === "brought" && each.converged.type === "not yet" && !each.converged.isApplied))
    // The author decides about a precondition, so it is not a problem.
    req.log[reason === PRECONDITION_REASON ? "debug" : "warn"]({ reason }, text);
  if (kept.some(needsBackoff)) revisitLater(unit, text);
  else if (kept.some((each) => typeof againOf(each) === "number")) req.revisit(again ?? LOOK_AGAIN_MS, text);
  return req.next();
}

function againOf(outcome: Kept): Again {
  if (outcome.type !== "brought") return "backoff";
  return outcome.converged.type === "not yet" ? outcome.converged.again : "watch";
}

/** Milliseconds until the object is looked at again; `undefined`: the backoff. */
function againMs(outcome: Kept): number | undefined {
  const again = againOf(outcome);
  return again === "backoff" ? undefined : again === "watch" ? LOOK_AGAIN_MS : again;
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b);
}

/** Reasons that do not end without a person. Docs/operations.md lists them as reasons of events. */
const WARNING_REASONS: readonly string[] = ["Contested", "Immutable", "NotOurs"];
