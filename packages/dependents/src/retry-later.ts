/** The failure of a dependent that its owner does not wait for: it is logged, and retried with a backoff. */
import { isConflict, type Kind } from "@treadle/apimachinery";
import { isTerminalError, type Logger, type StepResult } from "@treadle/reconcile";
import { delayAfter, errorsIn, KindNotInstalled, reasonOf, requestedDelayOf, statusMessage } from "@treadle/reconcile/unstable/engine";
import { supervisorOf } from "./supervision.ts";
import type { AnyDoReq, Unit } from "./unit.ts";

/** Time until a dependent is looked at again, in milliseconds, if only its watch would trigger a pass. */
export const LOOK_AGAIN_MS = 600_000;
/** Longest delay of the backoff, in milliseconds. */
const MAX_DELAY_MS = 600_000;
/** A watch of the kinds enqueues the owner when the kind is installed. This pause is for operators without that watch. */
const KIND_MISSING_DELAY_MS = 60_000;

/**
 * No step waits for an unchecked dependent: the chain continues without it. @throws `error`, if the owner or a supervisor of the step
 * is to report it
 */
export function goOn(unit: Unit<AnyDoReq>, error: unknown): StepResult<{}> {
  const { dependent, pass } = unit;
  if (dependent.isChecked || supervisorOf(pass.handler, dependent.name) !== undefined) throw error;
  retryLater(unit, error);
  return unit.req.next();
}

/** Logs `error` and asks for another pass. @throws `error` when the phase is over: its deadline has passed, or the operator stops */
export function retryLater(unit: Unit, error: unknown): void {
  const { dependent, req } = unit;
  if (req.signal.aborted) throw error;
  logUnawaited(req.log, dependent.policy.kind, error);
  if (isTerminalError(error)) return;
  const delayMs = error instanceof KindNotInstalled ? KIND_MISSING_DELAY_MS : requestedDelayOf([error]);
  revisitLater(unit, statusMessage(error), delayMs);
}

/** Logs the failure of an object that its owner does not wait for. */
export function logUnawaited(log: Logger, { kind }: Pick<Kind, "kind">, error: unknown): void {
  const fields = { reason: reasonOf(error), kind };
  const text = `the dependent is not as desired, and its owner does not wait for it: ${statusMessage(error)}`;
  // A conflict is normal, so it is not a warning.
  if (errorsIn(error).every(isConflict)) log.debug(fields, text);
  else log.warn(fields, text);
}

/** Asks for another pass after `delayMs`. @defaultValue a backoff, from 50 ms doubling to 10 min */
export function revisitLater({ context, req }: Unit, reason: string, delayMs?: number): void {
  const memory = context.memory.unit(context.unit);
  const afterMs = delayMs ?? backoffMs(memory.failures);
  memory.failures++;
  if ("revisit" in req) req.revisit(afterMs, reason);
}

/** Returns the delay after so many failures in a row, in milliseconds: from 50 ms doubling to 10 min. */
export function backoffMs(failures: number): number {
  return delayAfter(failures, MAX_DELAY_MS);
}
