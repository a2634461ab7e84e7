/** Turns what a phase throws into the end of the phase. */
import { isAborted, isConflict } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { Shutdown } from "../internal/deadline.ts";
import { misuse } from "../internal/misuse.ts";
import { describe, errorsIn, statusMessage, truncate, withoutSecrets } from "../internal/redact.ts";
import type { StepRuntime } from "../build/step-runtime.ts";
import type { Pass } from "../record/pass-state.ts";
import type { Progress } from "../record/progress.ts";
import { PrimaryGone, QuietRequeue } from "../record/writer.ts";
import { DryRunEnd } from "./dry-run.ts";
import { KindNotInstalled } from "./served.ts";

/** The end of a phase that threw. */
type Contained = Extract<Progress, { readonly type: "wait" | "stop" | "failed" }>;

/** Turns an exception into the end of its phase. A 409, a deleted primary and a shutdown are not failures. */
export function contained(pass: Pass, step: StepRuntime, thrown: unknown): Contained {
  const error = pass.hideInError(asError(pass, step, thrown));
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
  if (errorsIn(error).every(isConflict)) {
    pass.hasConflict = true;
    return { type: "wait", reason: `conflict: ${statusMessage(error)}`, conflict: error };
  }
  return { type: "failed", error };
}

/** The retry for a kind that is not served. A watch of kinds triggers a pass earlier, if the operator has one. */
const KIND_MISSING_WAIT_MS = 60_000;

/** A kind that a step reads or owns is no longer watched, so its cached objects may be outdated. */
export class WatchRefused extends Error {}

/** The end of a phase whose write has ended the pass. */
export function endOf(over: PrimaryGone | QuietRequeue): Contained {
  return { type: over instanceof PrimaryGone ? "stop" : "wait", reason: over.message };
}

/**
 * A step can throw any value, even a revoked proxy. Inspecting it must not throw again. The sentence is one of the engine, in which
 * no value of a Secret is looked for later: so they are replaced here.
 */
function asError(pass: Pass, step: StepRuntime, thrown: unknown): Error {
  try {
    // Guards look for brands by `in`. If that throws, it must throw here.
    if (thrown instanceof Error && !("" in thrown)) return readOnly(step, thrown) ?? thrown;
  } catch {
    // Falls through: the value is not a usable Error.
  }
  const what =
    typeof thrown === "string"
      ? `the text ${JSON.stringify(pass.hide(thrown))}`
      : `a value of type ${thrown === null ? "null" : typeof thrown} (${pass.hide(describe(thrown))})`;
  const message = `step "${step.name}" threw ${truncate(withoutSecrets(what), 200)} instead of an Error`;
  return new ReconcileError("ERR_STEP_FAILED", message, { step: step.name, cause: thrown });
}

/** Explains V8's error for the change of a frozen value, which names neither the value nor the fix. */
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
