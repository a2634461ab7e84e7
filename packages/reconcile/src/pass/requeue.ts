/** When the key comes back: one decision over everything that happened in a pass. */
import { isApiError } from "@treadle/apimachinery";
import { match, P } from "ts-pattern";
import { isReconcileError, isRetryAfterError, isTerminalError } from "../errors.ts";
import type { Requeue } from "../pass-result.ts";
import { errorsIn, essenceOf } from "../internal/redact.ts";
import { delayAfter } from "../internal/throttle.ts";
import type { Asked, Failure, Waiting } from "../record/progress.ts";

/**
 * Any failure takes the failure curve (among several save > post > step; terminal ones schedule nothing),
 * else a pass is due at once where the object moved on, else the earliest wait or revisit decides.
 */
export function decideRequeue(given: {
  readonly failures: readonly Failure[];
  readonly asked: readonly Asked[];
  readonly atOnce: string | undefined;
  readonly waitMs: number;
}): Requeue {
  const { failures, asked, atOnce, waitMs } = given;
  return match({ failed: worstOf(failures), atOnce, earliest: earliestOfAsked(asked, waitMs) })
    .returnType<Requeue>()
    .with({ failed: P.array() }, ({ failed }) => {
      const afterMs = earliestOf(failed);
      return { type: "failure", ...(afterMs === undefined ? {} : { afterMs }) };
    })
    .with({ atOnce: P.string }, (due) => ({ type: "after", afterMs: 0, reason: due.atOnce }))
    .with({ earliest: P.nonNullable }, ({ earliest }) => ({ type: "after", ...earliest }))
    .otherwise(() => ({ type: "none" }));
}

/** The failures that can be mended, of the rank that decides. */
function worstOf(failures: readonly Failure[]): unknown[] | undefined {
  const retryable = failures.filter(({ error }) => !isTerminal(error));
  const rank = (["save", "post", "step"] as const).find((candidate) => retryable.some((failure) => failure.rank === candidate));
  return rank === undefined ? undefined : retryable.filter((failure) => failure.rank === rank).map(({ error }) => error);
}

function earliestOfAsked(asked: readonly Asked[], waitMs: number): { readonly afterMs: number; readonly reason: string } | undefined {
  let earliest: { readonly afterMs: number; readonly reason: string } | undefined;
  for (const { reason, afterMs = waitMs } of asked) {
    if (earliest === undefined || afterMs < earliest.afterMs) earliest = { afterMs, reason };
  }
  return earliest;
}

/**
 * The next delay of the waiting curve: 50 ms doubling to 10 s, from the start when the reason or anything but our status
 * changed. A reason that differs in numbers, ids or times only is the same: one that counts seconds would be new each time.
 */
export function nextWait(curve: Waiting, asked: readonly Asked[], progressed: boolean): number {
  const reason = asked
    .filter(({ afterMs }) => afterMs === undefined)
    .map((each) => essenceOf(each.reason))
    // Parts that run at once end in any order.
    .toSorted()
    .join("\n");
  if (reason !== curve.reason || progressed) curve.attempts = 0;
  curve.reason = reason;
  return reason === "" ? 0 : delayAfter(curve.attempts++);
}

/**
 * "At once" is at once, as long as something comes of it: a step that says so ten times and gets no further waits on the
 * waiting curve, or it would have all of the processor.
 */
export function paced(curve: Waiting, asked: readonly Asked[], progressed: boolean): readonly Asked[] {
  const isInVain = !progressed && asked.some(({ afterMs }) => afterMs === 0);
  curve.inVain = isInVain ? curve.inVain + 1 : 0;
  if (curve.inVain < MAX_IN_VAIN) return asked;
  return asked.map((each) => (each.afterMs === 0 ? { reason: each.reason } : each));
}

const MAX_IN_VAIN = 10;

/** Whether trying again cannot mend it; several errors only when none of them can be mended. */
export function isTerminal(error: unknown): boolean {
  return errorsIn(error).every(isTerminalError);
}

/** The earliest time that the errors ask for; none where one of them is for the curve, whatever the order of the steps. */
function earliestOf(errors: readonly unknown[]): number | undefined {
  const delays = errors.flatMap((error) => errorsIn(error)).flatMap((error) => (isTerminalError(error) ? [] : [retryAfterOf(error)]));
  return delays.length === 0 || delays.includes(undefined) ? undefined : Math.min(...(delays as number[]));
}

function retryAfterOf(error: unknown): number | undefined {
  if (isReconcileError(error) && error.code === "ERR_SAVE_FAILED") return earliestOf([error.cause]);
  const asked = isRetryAfterError(error) || isApiError(error) ? error.retryAfterMs : undefined;
  // A header of somebody else's server may say anything.
  if (asked === undefined || !(asked >= 0 && asked < Number.POSITIVE_INFINITY)) return undefined;
  return isApiError(error) ? Math.min(asked, RETRY_AFTER_MAX_MS) : asked;
}

/** The end of the failure curve: what a server asks for in an outage parks no key for longer. An author's own time is obeyed. */
const RETRY_AFTER_MAX_MS = 1_000_000;
