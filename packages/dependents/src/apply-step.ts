/** The phase `do` of dependentApply(): brings the objects of a step to their desired state, and reports them. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import type { StepResult } from "@treadle/reconcile";
import { waitBecause } from "@treadle/reconcile/unstable/engine";
import { authorOf } from "./author.ts";
import { pruneOthers } from "./cleanup-step.ts";
import { converge, remembered } from "./core/converge.ts";
import type { NewEntry } from "./core/entries.ts";
import { SharedInputs } from "./core/inputs.ts";
import { refTo } from "./core/marks.ts";
import type { Context } from "./core/context.ts";
import type { Converged, Once, Policy } from "./core/plan.ts";
import { releaseReplicas } from "./core/release-replicas.ts";
import { keptOf, mayHaveObjects } from "./core/remove.ts";
import { askAgain } from "./ask-again.ts";
import { courseOf } from "./course-of.ts";
import { desiredOf } from "./dependent.ts";
import { runForEach } from "./each-object.ts";
import { givenBy, handOverGiven } from "./gives.ts";
import { forgetOthers, onceOf } from "./once.ts";
import {
  type Brought,
  entriesOf,
  failureOf,
  heldBy,
  isReady,
  needsBackoff,
  type Outcome,
  PRECONDITION_REASON,
  resultOf,
} from "./outcomes.ts";
import type { PassInputs } from "./pass-inputs.ts";
import type { Absence } from "./entry-condition.ts";
import { goOn, LOOK_AGAIN_MS, revisitLater } from "./retry-later.ts";
import { type Running, supervisorOf } from "./supervision.ts";
import { type Subject, subjectsOf } from "./subjects.ts";
import { type AnyDoReq, type Definition, inputsOf, removalOf, report, reportAtOnce, type Unit, unitOf } from "./unit.ts";
import { noteLive, notDesired, skipped, whyUnwanted } from "./unwanted.ts";
import { IGNORED, NOT_DESIRED, verdictOf } from "./verdict.ts";

/** What the functions of the author get in this pass. */
interface Asked {
  readonly inputs: PassInputs;
  /** The same inputs, for a step with many objects. */
  readonly shared: SharedInputs | undefined;
  readonly once: Once | undefined;
  readonly course: Running;
}

/** Returns without a promise if nothing has changed since the last pass: a synchronous phase needs no timer. */
export function apply(definition: Definition, req: AnyDoReq): StepResult<{}> | Promise<StepResult<{}>> {
  const unit = unitOf(definition, req);
  const { dependent } = unit;
  try {
    const course = courseOf(unit);
    if (course.type === "drop") return dropped(unit, course.why);
    if (course.type === "skip") return skipped(unit, course, whyUnwanted(definition, unit));
    const applied = begin(definition, unit, course);
    const result = applied.settled ?? applied.now();
    return dependent.isChecked || !(result instanceof Promise) ? result : result.catch((error: unknown) => goOn(unit, error));
  } catch (error) {
    return goOn(unit, error);
  }
}

/** A step that runs: its result if nothing has changed since the last pass, and else what makes it. */
export interface Begun {
  readonly settled: StepResult<{}> | undefined;
  readonly now: () => StepResult<{}> | Promise<StepResult<{}>>;
}

/** Begins to apply. No request is sent before `now` is called. @throws what the author's functions throw */
export function begin(definition: Definition, unit: Unit<AnyDoReq>, course: Running): Begun {
  const { dependent, context } = unit;
  const inputs = inputsOf(definition, unit);
  if (inputs.unknown.length > 0) return { settled: undefined, now: () => withoutDependencies(unit, inputs.unknown) };
  const subjects = subjectsOf(unit);
  const asked = { inputs, shared: dependent.isEach ? new SharedInputs(context, inputs) : undefined, once: onceOf(unit), course };
  const known = subjects.length > MAX_SYNCHRONOUS ? undefined : settled(unit, asked, subjects);
  if (known === undefined) return { settled: undefined, now: () => applyNow(unit, asked, subjects) };
  askAgain(unit, known);
  return { settled: resultOf(unit, known, course), now: () => resultOf(unit, known, course) };
}

/** A step in `dependsOn` for which the list does not wait has failed: nothing is written or removed without its objects. */
function withoutDependencies(unit: Unit<AnyDoReq>, unknown: readonly string[]): StepResult<{}> {
  const text = `waiting for ${unknown.join(", ")}`;
  if (unit.dependent.isChecked) return waitBecause(text, { code: "WaitingForDependency" });
  revisitLater(unit, text);
  return unit.req.next();
}

/** More objects than this are looked at in several turns of the event loop. */
const MAX_SYNCHRONOUS = 200;

/** What became of the objects in the last pass, if nothing has changed since and the step has no other object to remove. */
function settled(
  unit: Unit<AnyDoReq>,
  { inputs, shared, once, course }: Asked,
  subjects: readonly Subject[],
): readonly Brought[] | undefined {
  const { dependent, context } = unit;
  // A predicate of the time may answer otherwise, though nothing else has changed.
  const { predicates } = context.memory.unit(context.unit);
  if (predicates.size > 0 && verdictOf(unit, inputs, { isAgain: true, asksUntil: course.asksUntil }).type !== "keep") return undefined;
  const known: Brought[] = [];
  for (const subject of subjects) {
    const { live, item } = subject;
    if (live === undefined || course.isWanted?.(live) === false) return undefined;
    const author = authorOf(dependent, context.owner, { inputs, item });
    const converged = remembered(context, { policy: dependent.policy, live, inputs, shared, once, ...author });
    if (converged === undefined) return undefined;
    known.push({ type: "brought", subject, target: refTo(live), converged, given: givenBy(unit, subject, converged) });
  }
  if (mayHaveObjects(context, removalOf(unit, keptOf(known.map(({ target }) => target)), false))) return undefined;
  noteLive(unit, known);
  handOverGiven(unit, known);
  const entries = entriesOf(unit, known);
  if (dependent.isChecked) reportAtOnce(unit, entries);
  return known;
}

async function applyNow(unit: Unit<AnyDoReq>, asked: Asked, subjects: readonly Subject[]): Promise<StepResult<{}>> {
  const { dependent, context } = unit;
  const { course } = asked;
  const verdict = verdictOf(unit, asked.inputs, { isAgain: false, asksUntil: course.asksUntil });
  if (verdict.type === "drop") return dropped(unit, verdict.why);
  if (verdict.type === "hold") return held(unit, { asked, subjects, reason: verdict.reason });
  const outcomes = dependent.isEach ? await applyEach(unit, asked, subjects) : await applyOnly(unit, asked, subjects);
  askAgain(unit, outcomes);
  const kept = outcomes.filter((outcome) => outcome.type !== "unwanted");
  if (kept.length === 0) return notDesired(unit, outcomes.find((outcome) => outcome.type === "unwanted")?.why ?? NOT_DESIRED);
  noteLive(unit, kept);
  handOverGiven(unit, kept);
  if (!kept.some(needsBackoff)) context.memory.unit(context.unit).failures = 0;
  const targets = kept.map(({ target }) => target);
  forgetOthers(unit, targets);
  const entries = entriesOf(unit, kept);
  if (dependent.isChecked) report(unit, entries);
  const isDone = kept.every(isReady);
  // A new object replaces the one with the former name when it is ready. With `each` no object replaces another one.
  if (!isDone && !dependent.isEach) return resultOf(unit, kept, course);
  const { leftovers, error } = await pruned(unit, targets);
  if (dependent.isChecked && leftovers.length > 0) report(unit, [...entries, ...leftovers]);
  const failure = failureOf(unit, kept, error);
  if (failure !== undefined) throw failure;
  if (!isDone || leftovers.length === 0 || !dependent.isChecked || !course.waits) return resultOf(unit, kept, course);
  return waitBecause(leftovers[0]?.message ?? "", { code: leftovers[0]?.reason ?? "Deleting", afterMs: LOOK_AGAIN_MS });
}

/** The only object of a step without `each`. @throws what the author's functions and the server throw */
async function applyOnly(unit: Unit<AnyDoReq>, asked: Asked, subjects: readonly Subject[]): Promise<readonly Outcome[]> {
  return [await applyOne(unit, asked, subjects[0] as Subject)]; // There is exactly one.
}

/** As in dependentApplyAll(). */
const AT_ONCE = 5;

/** All objects: one that fails does not stop the others. */
async function applyEach(unit: Unit<AnyDoReq>, asked: Asked, subjects: readonly Subject[]): Promise<readonly Outcome[]> {
  const limits = { signal: unit.req.signal, clock: unit.pass.clock, atOnce: AT_ONCE, timeoutMs: unit.dependent.options.timeoutMs };
  const runs = await runForEach(limits, subjects, (subject) => applyOne(unit, asked, subject));
  return runs.map((run, i): Outcome => {
    const subject = subjects[i] as Subject; // One run for each.
    return run.type === "done" ? run.result : { ...run, subject, target: subject.target() };
  });
}

/** Converges one object, if it is desired. */
async function applyOne(unit: Unit<AnyDoReq>, { inputs, shared, once, course }: Asked, subject: Subject): Promise<Outcome> {
  const { dependent, context } = unit;
  const { options } = dependent;
  const { item, live } = subject;
  const policy = policyOf(unit);
  if (course.isWanted?.(live) === false) return { type: "unwanted", why: course.why ?? NOT_DESIRED, dueAtMs: undefined };
  const asked = { inputs, item };
  const author = authorOf(dependent, context.owner, asked);
  if (shared !== undefined) {
    const known = remembered(context, { policy, live, inputs, shared, once, ...author });
    if (known !== undefined) return brought(unit, subject, known);
  }
  const desired = desiredOf(dependent, context.owner, asked);
  if (desired === undefined && options.desired !== undefined)
    return { type: "unwanted", why: NOT_DESIRED, dueAtMs: context.isTimed ? context.timing.take("desired")?.dueAtMs : undefined };
  const target = subject.target();
  const adjusted = desired === undefined ? undefined : (course.adjust?.(desired, target) ?? desired);
  const free =
    adjusted === undefined || live === undefined ? live : await withFreeReplicas(context, policy, { live, desired: adjusted, course });
  const plan = {
    policy,
    target,
    live: free,
    inputs,
    shared,
    once,
    desired: adjusted === undefined ? undefined : () => adjusted,
    ...(adjusted === desired ? {} : { unadjusted: desired }),
    isGuarded: course.isGuarded,
    ...author,
  };
  const converged = await converge(context, plan);
  const isIgnored = options.absent === "ignore" && !policy.isCreated && converged.live === undefined;
  return isIgnored ? { type: "unwanted", why: IGNORED, dueAtMs: converged.dueAtMs } : brought(unit, subject, converged);
}

/** The policy with the fields that, by the supervisor, cannot change. */
function policyOf({ dependent, pass }: Unit): Policy {
  const { policy, name } = dependent;
  const immutableFields = supervisorOf(pass.handler, name)?.immutableFields(name);
  return immutableFields === undefined ? policy : { ...policy, immutableFields };
}

/** Hands on a number of replicas that is ours and that the desired state no longer names. */
async function withFreeReplicas(
  context: Context,
  policy: Policy,
  given: { readonly live: KubernetesObject; readonly desired: object; readonly course: Running },
): Promise<KubernetesObject> {
  const { live, desired, course } = given;
  if (course.replicasOf === undefined || !policy.isUpdated) return live;
  if ((desired as { readonly spec?: { readonly replicas?: unknown } }).spec?.replicas !== undefined) return live;
  return await releaseReplicas(context, policy, { live, replicasOf: course.replicasOf });
}

/** The step keeps no object in this pass. */
function dropped(unit: Unit<AnyDoReq>, why: Absence): StepResult<{}> {
  askAgain(unit, []);
  return notDesired(unit, why);
}

function brought(unit: Unit, subject: Subject, converged: Converged): Brought {
  return { type: "brought", subject, target: subject.target(), converged, given: givenBy(unit, subject, converged) };
}

/** The result while `until` does not hold: nothing is written or removed. */
function held(
  unit: Unit<AnyDoReq>,
  { asked, subjects, reason }: { readonly asked: Asked; readonly subjects: readonly Subject[]; readonly reason: string },
): StepResult<{}> {
  const kept = subjects.map((subject) => brought(unit, subject, heldBy(unit, { reason, inputs: asked.inputs, subject })));
  askAgain(unit, kept);
  noteLive(unit, kept);
  handOverGiven(unit, kept);
  const entries = entriesOf(unit, kept);
  if (unit.dependent.isChecked) report(unit, entries);
  if (kept.length > 0 || !unit.dependent.isChecked) return resultOf(unit, kept, asked.course);
  return waitBecause(unit.pass.hide(reason), { code: PRECONDITION_REASON, afterMs: LOOK_AGAIN_MS });
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
