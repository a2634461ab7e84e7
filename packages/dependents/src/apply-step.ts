/** The phase `do` of dependentApply(): brings the objects of a step to their desired state, and reports them. */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { StepResult } from "@treadle/reconcile";
import { waitBecause } from "@treadle/reconcile/unstable/engine";
import { converge, remembered } from "./core/converge.ts";
import type { DependentState, NewEntry } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import { identityOf, refTo } from "./core/marks.ts";
import type { Converged, Plan } from "./core/plan.ts";
import { keptOf, mayHaveObjects, NONE } from "./core/remove.ts";
import { refined } from "./core/state.ts";
import { earlier } from "./core/timing.ts";
import { UNCHANGED } from "./core/write.ts";
import { type Dependent, desiredOf } from "./dependent.ts";
import type { PassInputs } from "./pass-inputs.ts";
import { noteLive, type Subject, subjectsOf } from "./subjects.ts";
import { pruneOthers } from "./cleanup-step.ts";
import { LOOK_AGAIN_MS, retryLater, revisitLater } from "./retry-later.ts";
import { type AnyDoReq, type Definition, inputsOf, removalOf, report, reportAtOnce, type Unit, unitOf } from "./unit.ts";
import type { Absence } from "./entry-condition.ts";
import { IGNORED, isIncluded, NOT_DESIRED, NOT_INCLUDED, verdictOf } from "./verdict.ts";

/** What became of one object of the step. */
interface Brought {
  readonly subject: Subject;
  readonly target: Ref;
  readonly converged: Converged;
}

/** Returns without a promise if nothing has changed since the last pass: a synchronous phase needs no timer. */
export function apply(definition: Definition, req: AnyDoReq): StepResult<{}> | Promise<StepResult<{}>> {
  const unit = unitOf(definition, req);
  const { dependent } = unit;
  try {
    const inputs = inputsOf(definition, unit);
    const subjects = subjectsOf(unit);
    const known = settled(unit, inputs, subjects);
    if (known !== undefined) {
      askAgain(unit, known);
      return resultOf(unit, known);
    }
    const applied = applyNow(unit, inputs, subjects);
    return dependent.isChecked ? applied : applied.catch((error: unknown) => goOn(unit, error));
  } catch (error) {
    if (dependent.isChecked) throw error;
    return goOn(unit, error);
  }
}

/** No step waits for an unchecked dependent: the chain continues without it. */
export function goOn(unit: Unit<AnyDoReq>, error: unknown): StepResult<{}> {
  retryLater(unit, error);
  return unit.req.next();
}

/** What became of the objects in the last pass, if nothing has changed since and the step has no other object to remove. */
function settled(unit: Unit<AnyDoReq>, inputs: PassInputs, subjects: readonly Subject[]): readonly Brought[] | undefined {
  const { dependent, context } = unit;
  const known: Brought[] = [];
  // A predicate of the time may answer otherwise, though nothing else has changed.
  const { predicates } = context.memory.unit(context.unit);
  if (predicates.size > 0 && verdictOf(unit, inputs, { isAgain: true }).type !== "keep") return undefined;
  for (const subject of subjects) {
    const { live } = subject;
    if (live === undefined) return undefined;
    const converged = remembered(context, { policy: dependent.policy, live, inputs, ...authorOf(dependent, context.owner, inputs) });
    if (converged === undefined) return undefined;
    known.push({ subject, target: refTo(live), converged });
  }
  if (mayHaveObjects(context, removalOf(unit, keptOf(known.map(({ target }) => target)), false))) return undefined;
  noteLive(unit, known);
  if (dependent.isChecked)
    reportAtOnce(
      unit,
      known.map((brought) => entryOf(unit, brought)),
    );
  return known;
}

async function applyNow(unit: Unit<AnyDoReq>, inputs: PassInputs, subjects: readonly Subject[]): Promise<StepResult<{}>> {
  const { dependent, context } = unit;
  const verdict = verdictOf(unit, inputs, { isAgain: false });
  if (verdict.type === "drop") return notDesired(unit, verdict.why);
  if (verdict.type === "hold") return held(unit, { inputs, subjects, reason: verdict.reason });
  const brought: Brought[] = [];
  let why = NOT_DESIRED;
  for (const subject of subjects) {
    const one = await applyOne(unit, inputs, subject);
    if ("converged" in one) brought.push(one);
    else why = one;
  }
  if (brought.length === 0) return notDesired(unit, why);
  askAgain(unit, brought);
  noteLive(unit, brought);
  if (!brought.some(({ converged }) => needsBackoff(converged))) context.memory.unit(context.unit).failures = 0;
  const entries = brought.map((one) => entryOf(unit, one));
  if (dependent.isChecked) report(unit, entries);
  if (!brought.every(({ converged }) => isReady(converged))) return resultOf(unit, brought);
  const leftovers = await pruneOthers(unit, keptOf(brought.map(({ target }) => target)));
  if (leftovers.length === 0 || !dependent.isChecked) return unit.req.next();
  report(unit, [...entries, ...leftovers]);
  return waitBecause(leftovers[0]?.message ?? "", { code: leftovers[0]?.reason ?? "Deleting", afterMs: LOOK_AGAIN_MS });
}

/** Converges one object, or returns why there is none. */
async function applyOne({ dependent, context }: Unit<AnyDoReq>, inputs: Inputs, subject: Subject): Promise<Brought | Absence> {
  const { options, policy } = dependent;
  const desired = desiredOf(dependent, context.owner, inputs);
  if (desired === undefined && options.desired !== undefined) return NOT_DESIRED;
  const target = subject.target();
  const converged = await converge(context, {
    policy,
    target,
    live: subject.live,
    inputs,
    desired: desired === undefined ? undefined : () => desired,
    ...authorOf(dependent, context.owner, inputs),
  });
  const isIgnored = options.absent === "ignore" && !policy.isCreated && converged.type === "not yet" && converged.live === undefined;
  return isIgnored ? IGNORED : { subject, target, converged };
}

/** The answer while `until` does not hold: nothing is written or removed. */
function held(
  unit: Unit<AnyDoReq>,
  given: { readonly inputs: Inputs; readonly subjects: readonly Subject[]; readonly reason: string },
): StepResult<{}> {
  const { dependent, context } = unit;
  const { inputs, subjects, reason } = given;
  const pending: DependentState = { type: "Pending", reason: "Precondition", message: reason };
  const brought = subjects.map((subject): Brought => {
    const { live } = subject;
    const state = refined(context, authorOf(dependent, context.owner, inputs), { state: pending, live });
    const converged: Converged = { type: "not yet", live, state, again: "watch", isApplied: false, operation: UNCHANGED };
    return { subject, target: subject.target(), converged };
  });
  askAgain(unit, brought);
  noteLive(unit, brought);
  if (dependent.isChecked)
    report(
      unit,
      brought.map((one) => entryOf(unit, one)),
    );
  if (brought.length > 0 || !dependent.isChecked) return resultOf(unit, brought);
  return waitBecause(unit.pass.hide(reason), { code: pending.reason, afterMs: LOOK_AGAIN_MS });
}

/** Asks for the pass in which an answer of the author changes by time alone. */
function askAgain(unit: Unit<AnyDoReq>, brought: readonly Brought[]): void {
  const { context, req } = unit;
  const memory = context.memory.unit(context.unit);
  // Of a desired state that is not applied.
  let dueAtMs = context.isTimed ? context.timing.take("desired")?.dueAtMs : undefined;
  for (const { converged } of brought) dueAtMs = earlier(dueAtMs, converged.dueAtMs);
  for (const use of memory.predicates.values()) dueAtMs = earlier(dueAtMs, use.dueAtMs);
  if (dueAtMs === undefined && !context.isTimed) return;
  if (dueAtMs !== undefined && dueAtMs < Number.POSITIVE_INFINITY)
    req.revisit(Math.max(0, dueAtMs - context.clock.now()), `step "${context.unit}" asked for it by revisit()`);
  const { vague } = context.timing;
  if (vague === undefined || memory.isWarnedOfTime) return;
  memory.isWarnedOfTime = true;
  req.log.warn(
    { function: vague },
    `${vague} asks for the time by now(), and does not say by revisit() when its answer changes: it is called in each pass, and no pass is scheduled for it. Call revisit(afterMs), or revisit(Infinity) if the answer stays`,
  );
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

function entryOf({ dependent }: Unit, { target, converged }: Brought): NewEntry {
  return { ...identityOf(dependent.policy.kind, target), ...converged.state };
}

/**
 * Asks the predicates and `desired` with the dependencies that exist, and writes nothing. If one of them throws, the object counts
 * as desired.
 */
export function whetherWanted(definition: Definition, req: AnyDoReq): StepResult<{ readonly isWanted: boolean }> {
  const unit = unitOf(definition, req);
  let why: Absence | undefined;
  try {
    why = whyUnwanted(unit, inputsOf(definition, unit));
  } catch {
    return req.next({ isWanted: true });
  }
  if (why === undefined) askAgain(unit, []);
  else notDesired(unit, why);
  return req.next({ isWanted: why === undefined });
}

function whyUnwanted(unit: Unit, inputs: PassInputs): Absence | undefined {
  const { dependent, context } = unit;
  const verdict = verdictOf(unit, inputs, { isAgain: false });
  if (verdict.type === "drop") return verdict.why;
  // What `until` holds back is not deleted.
  if (verdict.type === "hold" || dependent.options.desired === undefined) return undefined;
  return desiredOf(dependent, context.owner, inputs) === undefined ? NOT_DESIRED : undefined;
}

/**
 * Continues with `vars` if the step is not part of the list in this pass; then its entries are removed. `undefined`: it is.
 * @throws what `includeWhen` throws
 */
export function leftOut(definition: Definition, req: AnyDoReq, vars: object = {}): StepResult<object> | undefined {
  const unit = unitOf(definition, req);
  const { dependent, context, pass } = unit;
  try {
    if (
      isIncluded(dependent, context.owner, {
        isServed: (kind) => (req as { readonly isServed?: (kind: Kind) => boolean }).isServed?.(kind) ?? true,
      })
    )
      return undefined;
  } catch (error) {
    if (dependent.isChecked) throw error;
    return goOn(unit, error);
  }
  noteLive(unit, []);
  pass.found.absences.set(dependent.name, NOT_INCLUDED);
  if (dependent.isChecked) report(unit, []);
  return req.next(vars);
}

/** Marks the objects as no longer desired. The engine calls the cleanup after the steps that need them. */
function notDesired(unit: Unit<AnyDoReq>, why: Absence): StepResult<{}> {
  const { dependent, context, pass, req } = unit;
  askAgain(unit, []);
  noteLive(unit, []);
  pass.found.absences.set(dependent.name, why);
  if (mayHaveObjects(context, removalOf(unit, NONE, false))) pass.found.unwanted.add(dependent.name);
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

/** Continues if all objects are ready, else waits for the worst of them. */
function resultOf(unit: Unit<AnyDoReq>, brought: readonly Brought[]): StepResult<{}> {
  for (const { converged } of brought) if (!isReady(converged)) return notReady(unit, converged);
  return unit.req.next();
}

function notReady(unit: Unit<AnyDoReq>, converged: Converged): StepResult<{}> {
  const { dependent, pass, req } = unit;
  const { message, reason } = converged.state;
  const text = pass.hide(message === "" ? reason : message);
  const again = converged.type === "there" ? "watch" : converged.again;
  if (!dependent.isChecked) {
    // No step waits for the object. If it is foreign or missing, the log reports it.
    if (converged.type === "not yet" && !converged.isApplied) req.log[reason === "Precondition" ? "debug" : "warn"]({ reason }, text);
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
