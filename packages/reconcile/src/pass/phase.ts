/**
 * Runs one phase of one step: makes its req, enforces its deadline, checks its return value, and catches its exception. No
 * exception of a step leaves this file: `contain.ts` turns it into the end of the phase.
 */
import { ReconcileError } from "../errors.ts";
import type { Probe } from "../extension.ts";
import { type AnyResult, isResult } from "../result.ts";
import { isPromiseLike, Scope, withinDeadline } from "../internal/deadline.ts";
import { type Misuse, misuse } from "../internal/misuse.ts";
import { contained, endOf, WatchRefused } from "./contain.ts";
import type { Pass } from "../record/pass-state.ts";
import type { Progress } from "../record/progress.ts";
import { statusMessage } from "../internal/redact.ts";
import { NOTHING, type ReadingStep, type Resolved, resolveStepReads } from "./resolve.ts";
import { KindNotInstalled } from "./served.ts";
import { type Phase, StepReq } from "./step-req.ts";
import type { PhaseFunction, StepRuntime } from "../build/step-runtime.ts";

/** How a phase ended. */
export type Ended = { readonly type: "continue"; readonly vars: object } | Extract<Progress, { readonly type: "wait" | "stop" | "failed" }>;

/** The limits of a phase besides the deadline of its step. */
export interface PhaseLimit {
  /** The end of the chain, or of all posts, in the clock's milliseconds. */
  readonly endsAtMs: number;
  readonly endedBy: () => Error;
  readonly signal: AbortSignal;
}

/** Runs in place of the `do` of a step. The step stays the same one: its drafts and its state are keyed by it. */
export interface Substitute {
  readonly do: PhaseFunction;
  /** Only asks a question, with its own reads: it waits for no kind that the step owns, and is not reported. */
  readonly probe?: Pick<Probe, "reads" | "beforeReads">;
  /** Runs without reads, and waits for no kind. */
  readonly isBare?: boolean;
}

/** Returns a mistake that the result of a phase does not show. A phase that a shutdown ended made no mistake. */
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

/** Runs one phase and reports it. `substitute` runs in place of `do`. */
export async function runPhase(
  pass: Pass,
  step: StepRuntime,
  phase: Phase,
  { substitute, ...limit }: PhaseLimit & { readonly substitute?: Substitute },
): Promise<Ended> {
  const startedMs = pass.clock.now();
  const scope = new Scope(() => pass.drafts.renew());
  const wasOver = pass.over;
  const isReported = substitute?.probe === undefined;
  const watch = !isReported ? undefined : pass.env.phaseBegan?.({ step: step.name, phase, ref: pass.object.metadata });
  let ended: Ended;
  try {
    const stage: Stage = { isReading: false };
    const begin = (): unknown => begun(pass, step, { phase, scope, stage, substitute });
    const returned = watch?.run === undefined ? begin() : watch.run(begin);
    watch?.returned();
    // Adopted once: a lazy thenable would start its work at each `then`.
    const result = isPromiseLike(returned)
      ? await awaited(pass, step, { phase, stage, returned: Promise.resolve(returned), scope, limit })
      : returned;
    ended = hidden(pass, checked(step, phase, result));
    if (ended === CONTINUE && scope.exit !== undefined) {
      // The condition that it set says what a correct step would say: the failure must show.
      for (const { type } of step.conditions) pass.settings.delete(type);
      throw notReturned(step, phase, scope.exit);
    }
  } catch (error) {
    ended = contained(pass, step, error);
    // Other calls of the failed phase may still be running.
    if (!scope.isRevoked) scope.revoke(new Error(`${phase} had failed`));
  }
  scope.end();
  const mistake = mistakeOf(pass, step, { phase, scope, ended });
  if (mistake !== undefined) ended = contained(pass, step, mistake);
  // A write of the step has ended the pass, even if the step caught the error.
  if (pass.over !== wasOver && pass.over !== undefined) ended = endOf(pass.over.reason);
  const report = reportOf(ended);
  watch?.ended(report);
  if (isReported) pass.phases.push({ step: step.name, phase, durationMs: pass.clock.now() - startedMs, ...report });
  return ended;
}

/** Whether a phase still waits for its reads, for the error of a phase that is too slow. */
interface Stage {
  isReading: boolean;
}

/** Resolves the reads, then calls the phase; both before the deadline of the step. */
function begun(
  pass: Pass,
  step: StepRuntime,
  given: { readonly phase: Phase; readonly scope: Scope; readonly stage: Stage; readonly substitute: Substitute | undefined },
): unknown {
  const { phase, scope, stage, substitute } = given;
  const { probe, isBare = false } = substitute ?? {};
  const run = ({ values, missing, servedAs, refusal }: Resolved): unknown => {
    if (refusal !== undefined) return unresolved(new WatchRefused(refusal));
    if (missing !== undefined && (phase === "do" || phase === "cleanup")) return unresolved(new KindNotInstalled(step, missing, servedAs));
    // The caller checked that the step has this phase.
    const result = (substitute?.do ?? (step[phase] as PhaseFunction))(new StepReq(pass, step, phase, { scope, reads: values }));
    if (phase === "gate" && isPromiseLike(result)) throw asyncGate(step, result);
    return result;
  };
  const unresolved = (error: unknown): unknown => {
    if (phase === "do" && probe === undefined && step.unresolved !== undefined) return step.unresolved(bare(), error);
    throw error;
  };
  if (isBare) return run(NOTHING);
  const bare = (): StepReq => new StepReq(pass, step, phase, { scope, reads: NOTHING.values });
  const early = phase === "do" ? (probe ?? step).beforeReads?.(bare()) : undefined;
  if (early !== undefined) return early;
  let reads: Resolved | Promise<Resolved>;
  try {
    const reading = probe === undefined ? step : { ...NOTHING_OWNED, name: step.name, reads: probe.reads };
    reads = looksAtNothing(reading) ? NOTHING : resolveStepReads(pass, reading, phase, scope);
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

const NOTHING_OWNED: Omit<ReadingStep, "name" | "reads"> = {
  owns: [],
  optionalOwns: [],
  cleanupChecksKinds: false,
  cleanupReads: {},
};

/** A step without reads and owned kinds waits for no kind, and gets no values. */
function looksAtNothing({ owns, reads }: ReadingStep): boolean {
  if (owns.length > 0) return false;
  for (const _ in reads) return false;
  return true;
}

/** A gate may not be asynchronous, so a rejection of its promise is ignored. */
function asyncGate({ name }: StepRuntime, result: PromiseLike<unknown>): Error {
  void result.then(undefined, () => undefined);
  const message = `step "${name}" has an async gate: a gate can only look, and must return synchronously`;
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

/** Factories of steps make waits without the req: their reasons are texts of authors, too. */
function hidden(pass: Pass, ended: Ended): Ended {
  if (pass.secrets === undefined || (ended.type !== "wait" && ended.type !== "stop")) return ended;
  return { ...ended, reason: pass.hide(ended.reason) };
}

/** Checks the return value of a phase. @throws ReconcileError ERR_NOT_A_RESULT */
function checked(step: StepRuntime, phase: Phase, result: unknown): Ended {
  if (result === undefined || result === null) return CONTINUE;
  const refuse = (what: string, fix: string): Error =>
    new ReconcileError("ERR_NOT_A_RESULT", `step "${step.name}" returned ${what} from ${phase}: ${fix}`, { step: step.name });
  if (!isResult(result)) {
    const isExit = typeof (result as { readonly wait?: unknown }).wait === "function";
    const fix = isExit
      ? "it is the exit of a condition setter: return its .wait() or .stop()"
      : "return what req.next(), req.wait() or req.stop() give, or nothing";
    throw refuse(
      isExit ? "the result of a condition setter" : typeof result === "object" ? "an object that req did not make" : `a ${typeof result}`,
      fix,
    );
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

function draftError({ name }: StepRuntime, { code, message, cause }: Misuse): Error {
  return misuse(code, `step "${name}": ${message}`, cause);
}

function notReturned({ name }: StepRuntime, phase: Phase, { type, reason }: { readonly type: string; readonly reason: string }): Error {
  const message = `step "${name}": ${phase} made a ${type} (${JSON.stringify(reason)}) and returned nothing, so it has no effect: write return before it`;
  return new ReconcileError("ERR_NOT_RETURNED", message, { step: name });
}

function notAwaited(step: StepRuntime, phase: Phase, call: string): Error {
  const message = `step "${step.name}": ${phase} ended while ${call} was still running: await it, so that the pass knows how it ended`;
  return new ReconcileError("ERR_NOT_AWAITED", message, { step: step.name });
}

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
