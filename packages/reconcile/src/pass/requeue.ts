/** When the next pass starts: one decision over everything that happened in a pass. */
import { isApiError } from "@treadle/apimachinery";
import { isReconcileError, isRetryAfterError, isTerminalError } from "../errors.ts";
import type { Requeue } from "../pass-result.ts";
import { errorsIn, essenceOf } from "../internal/redact.ts";
import { delayAfter } from "../internal/throttle.ts";
import type { Asked, Failure, Waiting } from "../record/progress.ts";

/**
 * Decides when the next pass starts. A failure takes the failure backoff (of several: save before post before step; terminal
 * failures schedule nothing). Else a pass starts at once if the object changed. Else the earliest wait or revisit decides.
 */
export function decideRequeue(given: {
  readonly failures: readonly Failure[];
  readonly asked: readonly Asked[];
  readonly atOnce: string | undefined;
  readonly waitMs: number;
  /** The time until the pass is due at the latest, for a failure that Ready does not report yet. */
  readonly dueMs?: number | undefined;
}): Requeue {
  const { failures, asked, atOnce, waitMs, dueMs } = given;
  const failed = worstOf(failures);
  if (failed !== undefined) return afterFailures(failed, dueMs);
  if (atOnce !== undefined) return { type: "after", afterMs: 0, reason: atOnce };
  const earliest = earliestOfAsked(asked, waitMs);
  return earliest === undefined ? { type: "none" } : { type: "after", ...earliest };
}

function afterFailures(failed: readonly Failure[], dueMs: number | undefined): Requeue {
  const afterMs = requestedDelayOf(failed.map(({ error }) => error));
  const backoffs = new Set(failed.map(({ backoff }) => backoff));
  const isDefault = backoffs.size === 1 && backoffs.has(undefined);
  return {
    type: "failure",
    ...(afterMs === undefined ? {} : { afterMs }),
    ...(dueMs === undefined ? {} : { atMostMs: dueMs }),
    ...(isDefault ? {} : { backoffs: [...backoffs] }),
  };
}

/** The failures that a retry may fix, of the rank that decides. */
function worstOf(failures: readonly Failure[]): readonly Failure[] | undefined {
  if (failures.length === 0) return undefined;
  const retryable = failures.filter(({ error }) => !isTerminal(error));
  const rank = (["save", "post", "step"] as const).find((candidate) => retryable.some((failure) => failure.rank === candidate));
  return rank === undefined ? undefined : retryable.filter((failure) => failure.rank === rank);
}

function earliestOfAsked(asked: readonly Asked[], waitMs: number): { readonly afterMs: number; readonly reason: string } | undefined {
  let earliest: { readonly afterMs: number; readonly reason: string } | undefined;
  for (const { reason, afterMs = waitMs } of asked) {
    if (earliest === undefined || afterMs < earliest.afterMs) earliest = { afterMs, reason };
  }
  return earliest;
}

/**
 * Returns the next delay of the waiting backoff: 50 ms doubling to 10 s. It starts again when the reason changed, or when the pass
 * wrote anything but our status. A reason that differs only in numbers, ids or times is the same: a reason that counts seconds
 * would be new each time.
 */
export function nextWait(waiting: Waiting, asked: readonly Asked[], progressed: boolean): number {
  const reason = asked
    .filter(({ afterMs }) => afterMs === undefined)
    .map((each) => essenceOf(each.reason))
    // Parts that run concurrently end in any order.
    .toSorted()
    .join("\n");
  if (reason !== waiting.reason || progressed) waiting.attempts = 0;
  waiting.reason = reason;
  return reason === "" ? 0 : delayAfter(waiting.attempts++);
}

/**
 * Limits passes that are requested at once. After ten such passes in a row without progress, the waiting backoff applies, or the
 * step would use the whole processor.
 */
export function paced(waiting: Waiting, asked: readonly Asked[], progressed: boolean): readonly Asked[] {
  const isInVain = !progressed && asked.some(({ afterMs }) => afterMs === 0);
  waiting.inVain = isInVain ? waiting.inVain + 1 : 0;
  if (waiting.inVain < MAX_IN_VAIN) return asked;
  return asked.map((each) => (each.afterMs === 0 ? { reason: each.reason } : each));
}

const MAX_IN_VAIN = 10;

/** Whether a retry cannot fix the error; of several errors, whether a retry fixes none of them. */
export function isTerminal(error: unknown): boolean {
  return errorsIn(error).every(isTerminalError);
}

/**
 * Returns the earliest delay that the errors ask for, in milliseconds; `undefined` if one of them has no delay, so that the backoff
 * decides.
 */
export function requestedDelayOf(errors: readonly unknown[]): number | undefined {
  const delays = errors.flatMap((error) => errorsIn(error)).flatMap((error) => (isTerminalError(error) ? [] : [retryAfterOf(error)]));
  return delays.length === 0 || delays.includes(undefined) ? undefined : Math.min(...(delays as number[]));
}

function retryAfterOf(error: unknown): number | undefined {
  if (isReconcileError(error) && error.code === "ERR_SAVE_FAILED") return requestedDelayOf([error.cause]);
  const asked = isRetryAfterError(error) || isApiError(error) ? error.retryAfterMs : undefined;
  // The header of another server may have any value.
  if (asked === undefined || !(asked >= 0 && asked < Number.POSITIVE_INFINITY)) return undefined;
  return isApiError(error) ? Math.min(asked, RETRY_AFTER_MAX_MS) : asked;
}

/** The longest delay of the failure backoff. A server in an outage may not delay a pass for longer; the delay of a RetryAfterError may. */
const RETRY_AFTER_MAX_MS = 1_000_000;
