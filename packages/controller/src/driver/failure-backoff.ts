/** Decides when a key is due again after a pass. */
import { type Clock, isApiError } from "@treadle/apimachinery";
import type { PassResult } from "@treadle/reconcile";
import { type BackoffProfile, RateLimit } from "@treadle/workqueue";

/** The parts of a `PassResult` that decide when the next pass is due. */
export type EndedPass = Pick<PassResult, "requeue"> & Partial<Pick<PassResult, "uid" | "error">>;

/** Maximum delay after a 403 or 401, in milliseconds: a person grants the right, and then watches for the effect. */
const REFUSED_MAX_MS = 120_000;

/** Counts the failures of each key. The failures of a deleted object do not count for a new object of the same name. */
export class FailureBackoff {
  readonly #limit: RateLimit;
  /** The uid of the object whose failures are counted. */
  readonly #uids = new Map<string, string>();

  /** @throws RangeError for an invalid profile */
  constructor(profile: BackoffProfile, clock: Pick<Clock, "elapsed">) {
    this.#limit = new RateLimit(profile, clock);
  }

  /** The delay until `key` is due again, in milliseconds; undefined: nothing is scheduled. Call it once for each pass. */
  delayAfter(key: string, { requeue, uid, error }: EndedPass): number | undefined {
    if (requeue.type !== "failure") {
      this.forget(key);
      return requeue.type === "after" ? requeue.afterMs : undefined;
    }
    const counted = this.#uids.get(key);
    if (uid !== undefined) {
      if (counted !== undefined && counted !== uid) this.forget(key);
      this.#uids.set(key, uid);
    }
    // An error that names its delay counts as a failure, too.
    const nextMs = this.#limit.next(key);
    const backoffMs = isRefusal(error) ? Math.min(nextMs, REFUSED_MAX_MS) : nextMs;
    // A delay of zero, such as `Retry-After: 0`, must not keep a worker busy for as long as the failure lasts.
    const delayMs = requeue.afterMs === undefined || requeue.afterMs === 0 ? backoffMs : requeue.afterMs;
    return Math.min(delayMs, requeue.atMostMs ?? delayMs);
  }

  /** Resets the backoff of `key`. Call it for every deleted object: keys are kept until they are forgotten. */
  forget(key: string): void {
    this.#limit.forget(key);
    this.#uids.delete(key);
  }
}

/** Whether the server answered 403 or 401, also as the cause of `error` or as one of several errors. */
function isRefusal(error: unknown, depth = 0): boolean {
  if (depth > 8 || !(error instanceof Error)) return false;
  if (isApiError(error) && (error.status === 403 || error.status === 401)) return true;
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.some((each) => isRefusal(each, depth + 1));
}
