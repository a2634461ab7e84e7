/** A dependent that is not checked for readiness does not hold up its owner: a failure is logged, and retried with a backoff. */
import { isConflict } from "@treadle/apimachinery";
import { isRetryAfterError, isTerminalError } from "@treadle/reconcile";
import { errorsIn, KindNotInstalled, reasonOf, statusMessage } from "@treadle/reconcile/unstable/engine";
import type { Unit } from "./unit.ts";

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 600_000;
/** A watch of the kinds enqueues the owner when the kind is installed. This pause is for operators without that watch. */
const KIND_MISSING_DELAY_MS = 60_000;

/** Logs `error` and asks for another pass. @throws `error` when the phase is over: its deadline has passed, or the operator stops */
export function retryLater({ dependent, context, req }: Unit, error: unknown): void {
  if (req.signal.aborted) throw error;
  const memory = context.memory.unit(context.unit);
  const fields = { reason: reasonOf(error), kind: dependent.policy.kind.kind };
  const text = `the dependent is not as desired, and its owner does not wait for it: ${statusMessage(error)}`;
  // Another writer was faster: that is not worth a warning.
  if (errorsIn(error).every(isConflict)) req.log.debug(fields, text);
  else req.log.warn(fields, text);
  if (isTerminalError(error)) return;
  const delayMs = delayOf(error, memory.failures);
  memory.failures++;
  if ("revisit" in req) req.revisit(delayMs, statusMessage(error));
}

function delayOf(error: unknown, failures: number): number {
  if (isRetryAfterError(error)) return error.retryAfterMs;
  if (error instanceof KindNotInstalled) return KIND_MISSING_DELAY_MS;
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 30));
}
