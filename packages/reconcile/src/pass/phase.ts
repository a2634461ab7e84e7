/**
 * One phase of one step: its req is made, its deadline watched, what it returns checked, what it throws contained.
 * Nothing that a step does gets past this file as an exception.
 */
import { isAborted, isConflict } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { type AnyResult, isResult, type WaitCause } from "../result.ts";
import { isPromiseLike, Scope, Shutdown, withinDeadline } from "../internal/deadline.ts";
import { type Misuse, misuse } from "../internal/misuse.ts";
import { DryRunEnd } from "./dry-run.ts";
import type { Pass } from "../record/pass-state.ts";
import { describe, errorsIn, statusMessage, truncate, withoutSecrets } from "../internal/redact.ts";
import { NOTHING, type Resolved, resolveReads } from "./resolve.ts";
import { KindNotInstalled } from "./served.ts";
import { type Phase, StepReq } from "./step-req.ts";
import type { PhaseFunction, StepRuntime } from "../build/step-runtime.ts";
import { PrimaryGone, QuietRequeue } from "../record/writer.ts";

/** How a phase ended. */
export type Ended =
  | { readonly type: "continue"; readonly vars: object }
  | { readonly type: "wait"; readonly reason: string; readonly afterMs?: number; readonly cause?: WaitCause }
  | { readonly type: "stop"; readonly reason: string }
  | { readonly type: "failed"; readonly error: unknown };

/** Time and shutdown, as far as they concern this phase. */
export interface PhaseLimit {
  /** When what the phase belongs to (chain, or posts) must be over. */
  readonly endsAtMs: number;
  readonly endedBy: () => Error;
  readonly signal: AbortSignal;
}

/** What a step did wrong beside what it returned or threw. A phase that a shutdown ended made no mistake. */
function mistakeOf(
  pass: Pass,
  step: StepRuntime,
  { phase, scope, ended }: { readonly phase: Phase; readonly scope: Scope; readonly ended: Ended },
): Error | undefined {
  const notJson = pass.drafts.check();
  if (ended.type === "failed" || pass.isAborted) return undefined;
  if (scope.failure !== undefined) return scope.failure.error as Error;
  if (scope.openCall !== undefined) return notAwaited(step, phase, scope.openCall);
  return notJson === undefined ? undefined : draftError(step, notJson);
}

const CONTINUE: Ended = { type: "continue", vars: {} };

/** Runs one phase and reports it. */
export async function runPhase(pass: Pass, step: StepRuntime, phase: Phase, limit: PhaseLimit): Promise<Ended> {
  const startedMs = pass.clock.now();
  const scope = new Scope(() => pass.drafts.renew());
  const wasOver = pass.over;
  const watch = pass.env.phaseBegan?.({ step: step.name, phase, ref: pass.object.metadata });
  let ended: Ended;
  try {
    const stage: Stage = { isReading: false };
    const begin = (): unknown => begun(pass, step, { phase, scope, stage });
    const returned = watch?.run === undefined ? begin() : watch.run(begin);
    watch?.returned();
    // Adopted once: a thenable may be lazy and start its work whenever it is asked.
    const result = isPromiseLike(returned)
      ? await awaited(pass, step, { phase, stage, returned: Promise.resolve(returned), scope, limit })
      : returned;
    ended = checked(step, phase, result);
    if (result === undefined && scope.exit !== undefined) throw notReturned(step, phase, scope.exit);
  } catch (error) {
    ended = contained(pass, step, error);
    // What it began beside the work that failed may still be running.
    if (!scope.isRevoked) scope.revoke(new Error(`${phase} had failed`));
  }
  scope.end();
  const mistake = mistakeOf(pass, step, { phase, scope, ended });
  if (mistake !== undefined) ended = contained(pass, step, mistake);
  // Whatever the step made of it: a write of its own has ended the pass.
  if (pass.over !== wasOver && pass.over !== undefined) ended = endOf(pass.over.reason);
  const report = reportOf(ended);
  watch?.ended(report);
  pass.phases.push({ step: step.name, phase, durationMs: pass.clock.now() - startedMs, ...report });
  return ended;
}

/** Whether a phase still waits for what it reads: for the error of one that is too slow. */
interface Stage {
  isReading: boolean;
}

/** Reads, then the phase; all of it before the deadline of the step. */
function begun(
  pass: Pass,
  step: StepRuntime,
  { phase, scope, stage }: { readonly phase: Phase; readonly scope: Scope; readonly stage: Stage },
): unknown {
  const run = ({ values, missing, servedAs, refusal }: Resolved): unknown => {
    if (refusal !== undefined) return unresolved(new WatchRefused(refusal));
    if (missing !== undefined && (phase === "do" || phase === "cleanup")) return unresolved(new KindNotInstalled(step, missing, servedAs));
    // The caller looked: the step has this phase.
    const result = (step[phase] as PhaseFunction)(new StepReq(pass, step, phase, { scope, reads: values }));
    if (phase === "gate" && isPromiseLike(result)) throw asyncGate(step, result);
    return result;
  };
  const unresolved = (error: unknown): unknown => {
    if (phase !== "do" || step.unresolved === undefined) throw error;
    return step.unresolved(new StepReq(pass, step, phase, { scope, reads: NOTHING.values }), error);
  };
  let reads: Resolved | Promise<Resolved>;
  try {
    reads = looksAtNothing(step) ? NOTHING : resolveReads(pass, step, phase, scope);
  } catch (error) {
    return unresolved(error);
  }
  if (!(reads instanceof Promise)) return run(reads);
  stage.isReading = true;
  const arrived = (): void => {
    stage.isReading = false;
    scope.check(step.name); // The answer may have come too late.
  };
  return reads.then(
    (resolved) => {
      arrived();
      return run(resolved);
    },
    (error: unknown) => {
      arrived();
      return unresolved(error);
    },
  );
}

/** A step that reads and owns nothing waits for no kind, and is given no values. */
function looksAtNothing({ owns, reads }: StepRuntime): boolean {
  if (owns.length > 0) return false;
  for (const _ in reads) return false;
  return true;
}

/** A gate may not be asynchronous, so what becomes of its promise is of no interest. */
function asyncGate({ name }: StepRuntime, result: PromiseLike<unknown>): Error {
  void result.then(undefined, () => undefined);
  const message = `step "${name}" has an async gate: a gate only looks, and answers at once`;
  return new ReconcileError("ERR_NOT_A_RESULT", message, { step: name });
}

async function awaited(
  pass: Pass,
  step: StepRuntime,
  run: {
    readonly phase: Phase;
    readonly stage: Stage;
    readonly returned: Promise<unknown>;
    readonly scope: Scope;
    readonly limit: PhaseLimit;
  },
): Promise<unknown> {
  const { phase, stage, returned, scope, limit } = run;
  const stepMs = step.timeoutMs ?? pass.pipeline.deadlines.stepMs;
  const restMs = limit.endsAtMs - pass.clock.now();
  const tooSlow = (): Error =>
    new ReconcileError(
      "ERR_STEP_TIMEOUT",
      stage.isReading
        ? `step "${step.name}": what it reads for ${phase} did not arrive from the server within ${stepMs / 1000} s`
        : `step "${step.name}": ${phase} did not finish within ${stepMs / 1000} s: pass req.signal to what it waits for, or raise timeoutMs`,
      {
        step: step.name,
      },
    );
  const deadline = stepMs <= restMs ? { ms: stepMs, exceeded: tooSlow } : { ms: restMs, exceeded: limit.endedBy };
  try {
    return await withinDeadline(pass.clock, returned, scope, { deadline, signal: limit.signal });
  } catch (error) {
    if (scope.isRevoked) pass.strays.push(returned.then(noop, noop));
    throw error;
  }
}

/** What a phase returned, as far as this phase may return it. @throws ReconcileError ERR_NOT_A_RESULT */
function checked(step: StepRuntime, phase: Phase, result: unknown): Ended {
  if (result === undefined || result === null) return CONTINUE;
  const refuse = (what: string, fix: string): Error =>
    new ReconcileError("ERR_NOT_A_RESULT", `step "${step.name}" returned ${what} from ${phase}: ${fix}`, { step: step.name });
  if (!isResult(result)) {
    const isExit = typeof (result as { readonly wait?: unknown }).wait === "function";
    const fix = isExit
      ? "a condition setter gives the exits: return ... .wait() or .stop()"
      : "return what req.next(), req.wait() or req.stop() give, or nothing";
    throw refuse(typeof result === "object" ? "an object that req did not make" : `a ${typeof result}`, fix);
  }
  const allowed: Record<Phase, readonly AnyResult["type"][]> = {
    gate: ["wait", "stop"],
    do: ["continue", "wait", "stop"],
    cleanup: ["wait"],
    post: ["wait"],
  };
  if (!allowed[phase].includes(result.type))
    throw refuse(
      `a ${result.type === "continue" ? "next" : result.type}`,
      `${phase} may return ${allowed[phase].join(" or ")}, or nothing`,
    );
  return result;
}

/** What a phase threw, as an end of the phase: 409, a vanished primary and shutdown are no failures. */
function contained(pass: Pass, step: StepRuntime, thrown: unknown): Ended {
  const raw = asError(step, thrown);
  const error = pass.secrets?.hideInError(raw) ?? raw;
  if (error instanceof PrimaryGone || error instanceof QuietRequeue) return endOf(error);
  if (error instanceof DryRunEnd) return { type: "stop", reason: error.message };
  if (error instanceof KindNotInstalled)
    return { type: "wait", reason: error.message, cause: { code: "KindNotInstalled" }, afterMs: KIND_MISSING_WAIT_MS };
  if (error instanceof WatchRefused)
    return { type: "wait", reason: error.message, cause: { code: "Forbidden" }, afterMs: KIND_MISSING_WAIT_MS };
  if (error instanceof Shutdown || (pass.signal.aborted && (thrown === pass.signal.reason || isAborted(error)))) {
    pass.isAborted = true;
    return { type: "stop", reason: "the operator is shutting down" };
  }
  if (errorsIn(error).every(isConflict)) return { type: "wait", reason: `conflict: ${statusMessage(error)}` };
  return { type: "failed", error };
}

function draftError({ name }: StepRuntime, { code, message, cause }: Misuse): Error {
  return misuse(code, `step "${name}": ${message}`, cause);
}

function notReturned({ name }: StepRuntime, phase: Phase, { type, reason }: { readonly type: string; readonly reason: string }): Error {
  const message = `step "${name}": ${phase} made a ${type} (${JSON.stringify(reason)}) and returned nothing, so it has no effect: return it, as in return req.${type}(...)`;
  return new ReconcileError("ERR_NOT_RETURNED", message, { step: name });
}

function notAwaited(step: StepRuntime, phase: Phase, call: string): Error {
  const message = `step "${step.name}": ${phase} ended while ${call} was still running: await it, so that the pass knows how it ended`;
  return new ReconcileError("ERR_NOT_AWAITED", message, { step: step.name });
}

/** A kind that a step reads or owns is not served. Whoever watches kinds wakes us when it is; this is in case nobody does. */
const KIND_MISSING_WAIT_MS = 60_000;

/** What a step reads or owns is not watched any more, and may have changed since. */
class WatchRefused extends Error {}

/** How a phase ends whose own write has ended the pass. */
function endOf(over: PrimaryGone | QuietRequeue): Ended {
  return { type: over instanceof PrimaryGone ? "stop" : "wait", reason: over.message };
}

/** Anything can be thrown, a revoked proxy too: looking at it must not throw again. */
function asError(step: StepRuntime, thrown: unknown): Error {
  try {
    // Guards look for brands by `in`; where that throws it would do so outside of this step.
    if (thrown instanceof Error && !("" in thrown)) return readOnly(step, thrown) ?? thrown;
  } catch {
    // Falls through: it is no Error that could be used.
  }
  const what =
    typeof thrown === "string"
      ? `the text ${JSON.stringify(thrown)}`
      : `a value of type ${thrown === null ? "null" : typeof thrown} (${describe(thrown)})`;
  const message = `step "${step.name}" threw ${truncate(withoutSecrets(what), 200)} instead of an Error`;
  return new ReconcileError("ERR_STEP_FAILED", message, { step: step.name, cause: thrown });
}

/** The words of V8 for a change of something frozen say neither whose it is nor what to do. */
function readOnly(step: StepRuntime, cause: Error): Error | undefined {
  if (!(cause instanceof TypeError) || !FROZEN.test(cause.message)) return undefined;
  const what = `step "${step.name}" changed something that is read-only, such as req.object or what is in req.reads`;
  return misuse(
    "ERR_READ_ONLY",
    `${what} (${cause.message}): change req.status or another draft, or a copy made by structuredClone()`,
    cause,
  );
}

const FROZEN = /^Cannot (?:assign to read only property|add property|delete property|define property)\b/;

function reportOf(ended: Ended): { readonly result: "done" | "wait" | "stop" | "failed"; readonly reason?: string } {
  switch (ended.type) {
    case "continue":
      return { result: "done" };
    case "wait":
    case "stop":
      return { result: ended.type, reason: ended.reason };
    case "failed":
      return { result: "failed", reason: statusMessage(ended.error) };
  }
}

function noop(): void {}
