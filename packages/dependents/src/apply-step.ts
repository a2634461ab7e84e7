/** The phase `do` of dependentApply(): brings the objects of a step to their desired state, and reports them. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import type { StepResult } from "@treadle/reconcile";
import { waitBecause } from "@treadle/reconcile/unstable/engine";
import { converge, remembered } from "./core/converge.ts";
import type { NewEntry } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import { identityOf, refTo } from "./core/marks.ts";
import type { Converged, Plan } from "./core/plan.ts";
import { keptOf, mayHaveObjects, NONE } from "./core/remove.ts";
import { type Dependent, desiredOf } from "./dependent.ts";
import { noteLive, type Subject, subjectsOf } from "./subjects.ts";
import { pruneOthers } from "./cleanup-step.ts";
import { LOOK_AGAIN_MS, retryLater, revisitLater } from "./retry-later.ts";
import { forgetOthers, onceOf } from "./once.ts";
import { type AnyDoReq, type Definition, inputsOf, removalOf, report, reportAtOnce, type Unit, unitOf } from "./unit.ts";

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
    if (known !== undefined) return resultOf(unit, known);
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
function settled(unit: Unit<AnyDoReq>, inputs: Inputs, subjects: readonly Subject[]): readonly Brought[] | undefined {
  const { dependent, context } = unit;
  const known: Brought[] = [];
  const once = onceOf(unit);
  for (const subject of subjects) {
    const { live } = subject;
    if (live === undefined) return undefined;
    const converged = remembered(context, { policy: dependent.policy, live, inputs, once, ...authorOf(dependent, context.owner, inputs) });
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

async function applyNow(unit: Unit<AnyDoReq>, inputs: Inputs, subjects: readonly Subject[]): Promise<StepResult<{}>> {
  const { dependent, context } = unit;
  const brought: Brought[] = [];
  for (const subject of subjects) {
    const one = await applyOne(unit, inputs, subject);
    if (one !== undefined) brought.push(one);
  }
  if (brought.length === 0) return notDesired(unit);
  noteLive(unit, brought);
  if (!brought.some(({ converged }) => needsBackoff(converged))) context.memory.unit(context.unit).failures = 0;
  const kept = brought.map(({ target }) => target);
  forgetOthers(unit, kept);
  const entries = brought.map((one) => entryOf(unit, one));
  if (dependent.isChecked) report(unit, entries);
  if (!brought.every(({ converged }) => isReady(converged))) return resultOf(unit, brought);
  const leftovers = await pruneOthers(unit, keptOf(kept));
  if (leftovers.length === 0 || !dependent.isChecked) return unit.req.next();
  report(unit, [...entries, ...leftovers]);
  return waitBecause(leftovers[0]?.message ?? "", { code: leftovers[0]?.reason ?? "Deleting", afterMs: LOOK_AGAIN_MS });
}

/** Converges one object; `undefined`: it is not desired. */
async function applyOne(unit: Unit<AnyDoReq>, inputs: Inputs, subject: Subject): Promise<Brought | undefined> {
  const { dependent, context } = unit;
  const { options, policy } = dependent;
  const desired = desiredOf(dependent, context.owner, inputs);
  if (desired === undefined && options.desired !== undefined) return undefined;
  const target = subject.target();
  const converged = await converge(context, {
    policy,
    target,
    live: subject.live,
    inputs,
    desired: desired === undefined ? undefined : () => desired,
    once: onceOf(unit),
    ...authorOf(dependent, context.owner, inputs),
  });
  return { subject, target, converged };
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

/** Calls `desired` with the dependencies that exist, and writes nothing. If it throws, the object counts as desired. */
export function whetherWanted(definition: Definition, req: AnyDoReq): StepResult<{ readonly isWanted: boolean }> {
  const unit = unitOf(definition, req);
  try {
    if (desiredOf(unit.dependent, unit.context.owner, inputsOf(definition, unit)) !== undefined) return req.next({ isWanted: true });
  } catch {
    return req.next({ isWanted: true });
  }
  notDesired(unit);
  return req.next({ isWanted: false });
}

/** Marks the objects as no longer desired. The engine calls the cleanup after the steps that need them. */
function notDesired(unit: Unit<AnyDoReq>): StepResult<{}> {
  const { dependent, context, pass, req } = unit;
  noteLive(unit, []);
  if (mayHaveObjects(context, removalOf(unit, NONE, false))) pass.found.unwanted.add(dependent.name);
  else if (dependent.isChecked) report(unit, []);
  return req.next();
}

/** The author's `status` may report a missing object as ready. */
function isReady({ type, state }: Converged): boolean {
  return type !== "not yet" || state.type === "Ready";
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
  const again = converged.type === "not yet" ? converged.again : "watch";
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
const WARNING_REASONS: readonly string[] = ["Contested", "Immutable", "NotOurs"];
