/**
 * When a key comes back after a pass. The controller decides by it, and so does whoever runs passes without one, so that
 * a test sees the delays of production.
 */
import { type Clock, isApiError, systemClock } from "@treadle/apimachinery";
import type { Requeue } from "@treadle/reconcile";
import { type BackoffProfile, RateLimit } from "@treadle/workqueue";

/** What of a pass decides on the next; a `PassResult` is one. */
export interface EndedPass {
  readonly requeue: Requeue;
  /** Of the object that the pass worked on; absent when that is not known. */
  readonly uid?: string | undefined;
  readonly error?: unknown;
}

/** Rights are given by people, who then look whether it helped. */
const REFUSED_MAX_MS = 120_000;

/** Counts the failures of each key. Those of an object that is gone do not count for another of the same name. */
export class FailureCurve {
  readonly #limit: RateLimit;
  /** The object whose failures are counted. */
  readonly #uids = new Map<string, string>();

  /** @throws RangeError for a profile that is none. */
  constructor(profile: BackoffProfile, clock: Pick<Clock, "elapsed"> = systemClock) {
    this.#limit = new RateLimit(profile, clock);
  }

  /** In how many milliseconds `key` is due again, 0 = at once; undefined when nothing is to be scheduled. Call it once per pass. */
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
    // An error that names its delay counts as a failure all the same.
    const nextMs = this.#limit.next(key);
    const curveMs = isRefusal(error) ? Math.min(nextMs, REFUSED_MAX_MS) : nextMs;
    // One that names none, such as `Retry-After: 0`, must not keep a worker busy for as long as it lasts.
    return requeue.afterMs === undefined || requeue.afterMs === 0 ? curveMs : requeue.afterMs;
  }

  /** The next failure of `key` is its first. Keys are kept until forgotten. */
  forget(key: string): void {
    this.#limit.forget(key);
    this.#uids.delete(key);
  }
}

/** Whether the server refused something, 403 or 401, also as the cause of what is said, or as one of several failures. */
function isRefusal(error: unknown, depth = 0): boolean {
  if (depth > 8 || !(error instanceof Error)) return false;
  if (isApiError(error) && (error.status === 403 || error.status === 401)) return true;
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.some((each) => isRefusal(each, depth + 1));
}
