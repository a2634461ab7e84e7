/** The end of a component in a pass: one condition from what became of its resources. */
import type { StepResult } from "@treadle/reconcile";
import { causeOfError, LOOK_AGAIN_MS } from "@treadle/dependents/unstable/step";
import { openingOf, statusMessage } from "@treadle/reconcile/unstable/engine";
import { recordChanges, recordRemovals } from "./changes.ts";
import type { Definition } from "./definition.ts";
import { beginRun, components, memoryOf, type Run, runOf } from "./extension.ts";
import { type Failure, type Findings, findingsOf, highest, messageOf } from "./findings.ts";
import { convergingFor, forgetDigests, stopClock } from "./grading.ts";
import type { ComponentReq } from "./open.ts";
import { type ComponentReason, componentReasons, isConverging, isReadyReason } from "./reasons.ts";
import { forgetReplicas } from "./suspension.ts";

/** Sets the condition, and returns the result of the component. @throws the errors of its resources, when the condition reports them */
export function report(definition: Definition, req: ComponentReq): StepResult<{}> {
  const run = runOf(definition, req) ?? unopened(definition, req);
  const opening = openingOf(req);
  if (opening?.type === "failed") return failedToOpen(definition, req, { stage: run.stage, error: opening.error });
  if (run.unmet !== undefined) {
    stopClock(definition, req, "standing");
    memoryOf(definition, req).resources.ended();
    return tell(definition, req, { reason: "PrerequisiteNotMet", ...run.unmet });
  }
  const findings = findingsOf(definition, req, run);
  recordChanges(definition, req, findings);
  if (findings.errors.length + findings.transient.length > 0) return failed(definition, req, findings);
  memoryOf(definition, req).resources.ended();
  switch (run.mode) {
    case "disabled":
      return disabled(definition, req, findings);
    case "suspended":
      return suspended(definition, req, findings);
    default:
      return running(definition, req, findings);
  }
}

/** The run of a component whose opening did not begin, because its reads failed. */
function unopened(definition: Definition, req: ComponentReq): Run {
  const run = beginRun(definition, req);
  run.stage = "resources";
  return run;
}

/** Reports a component whose own values of `needs` are missing: it is blocked, unless it is off. */
export function reportWithout(
  definition: Definition,
  req: ComponentReq,
  wait: { readonly reason: string; readonly afterMs?: number },
): StepResult<{}> {
  if (openingOf(req)?.type === "failed" || runOf(definition, req)?.mode === "disabled") return report(definition, req);
  stopClock(definition, req, "standing");
  return tell(definition, req, { reason: "Blocked", message: wait.reason, afterMs: wait.afterMs });
}

function disabled(definition: Definition, req: ComponentReq, { leaving }: Findings): StepResult<{}> {
  if (leaving.length === 0) return tell(definition, req, { reason: "Disabled", message: "Component is disabled." });
  return tell(definition, req, { reason: "Disabling", message: `waiting for the deletion of ${leaving.join(", ")}` });
}

function suspended(definition: Definition, req: ComponentReq, { words }: Findings): StepResult<{}> {
  stopClock(definition, req, "over");
  const of = words.filter(({ reason }) => reason === "PendingSuspension" || reason === "Suspending");
  const { reason, message } = highest(of) ?? { reason: "Suspended", message: "Component is suspended." };
  return tell(definition, req, { reason, message });
}

function running(definition: Definition, req: ComponentReq, findings: Findings): StepResult<{}> {
  const { reason, message } = highest(findings.words) ?? { reason: "Healthy", message: "" };
  if (definition.hasReplicas) forgetReplicas(definition, req);
  forgetDigests(definition, req, findings);
  if (isReadyReason(reason)) {
    stopClock(definition, req, "over");
    memoryOf(definition, req).isLogged = false;
    return tell(definition, req, { reason, message: "Component is ready." });
  }
  if (!isConverging(reason)) {
    stopClock(definition, req, "standing");
    return tell(definition, req, { reason, message });
  }
  let graded: { readonly reason: ComponentReason; readonly message: string };
  try {
    graded = convergingFor(definition, req, { words: findings.words, reason, message });
  } catch (error) {
    // A function of a kind record has thrown.
    stopClock(definition, req, "standing");
    tell(definition, req, { reason: "Error", message: statusMessage(error) });
    throw error;
  }
  return tell(definition, req, graded);
}

function failed(definition: Definition, req: ComponentReq, { errors, transient }: Findings): StepResult<{}> {
  stopClock(definition, req, "standing");
  if (staysAsItIs(definition, req, errors.length === 0)) throw joined(definition, transient);
  const all = [...errors, ...transient];
  const result = tell(definition, req, { reason: "Error", message: messageOf(all) });
  // A failure without an exception, such as a kind that is not served, is retried by the resource.
  if (all.every(({ error }) => error === undefined)) return result;
  throw joined(definition, all);
}

/**
 * Removals come after the condition: one that fails replaces it. A transient failure does not do so at first, because the condition
 * of the resources is true all the same.
 */
export function reportRemovals(definition: Definition, req: ComponentReq): undefined {
  const failed = recordRemovals(definition, req);
  const { removals } = memoryOf(definition, req);
  const isTransient = failed.every(({ error }) => causeOfError(error) === "transient");
  const staysFor = failed.length > 0 && isTransient ? removals.failed(components.of(req).clock.elapsed()) : removals.ended();
  if (failed.length > 0 && staysFor === 0) req.conditions.false(definition.condition as never, "Error", messageOf(failed));
  return undefined;
}

function joined({ name }: Definition, failures: readonly Failure[]): Error {
  const errors = [...new Set(failures.flatMap(({ error }) => (error === undefined ? [] : [error])))];
  const [first] = errors;
  if (errors.length === 1 && first instanceof Error) return first;
  if (errors.length === 0) return new Error(`component "${name}": ${messageOf(failures)}`);
  return new AggregateError(errors, `${errors.length} resources of component "${name}" failed`);
}

/** A transient failure leaves the condition as it is for a time, as `keep` does for Ready. A first condition has nothing to keep. */
function staysAsItIs(definition: Definition, req: ComponentReq, isTransient: boolean): boolean {
  const { resources } = memoryOf(definition, req);
  const type = definition.condition as never; // The step declares it.
  const staysFor = isTransient ? resources.failed(components.of(req).clock.elapsed()) : resources.ended();
  if (staysFor === 0 || req.conditions.previous(type) === undefined) return false;
  req.conditions.keep(type);
  return true;
}

const STAGES: Readonly<Record<string, ComponentReason>> = { gate: "FeatureGateError", barrier: "PrerequisiteNotMet" };

/** A function of the author has thrown, or did not answer in time. */
function failedToOpen(
  definition: Definition,
  req: ComponentReq,
  { stage, error }: { readonly stage: string; readonly error: unknown },
): never {
  stopClock(definition, req, "standing");
  const isTransient = STAGES[stage] === undefined && causeOfError(error) === "transient";
  if (!staysAsItIs(definition, req, isTransient))
    tell(definition, req, { reason: STAGES[stage] ?? "Error", message: statusMessage(error) });
  throw error;
}

/** Sets the condition. Without `afterMs` the watches trigger the next pass. */
function tell(
  { condition }: Definition,
  req: ComponentReq,
  { reason, message, ...given }: { readonly reason: ComponentReason; readonly message: string; readonly afterMs?: number | undefined },
): StepResult<{}> {
  const type = condition as never; // The step declares it.
  if (componentReasons[reason].status === "True") {
    req.conditions.true(type, reason, message);
    return req.next();
  }
  const afterMs = "afterMs" in given ? given.afterMs : LOOK_AGAIN_MS;
  return req.conditions.false(type, reason, message).wait(afterMs);
}
