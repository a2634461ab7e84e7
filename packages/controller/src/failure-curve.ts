/**
 * When a key comes back after a pass. The controller decides by it, and so does whoever runs passes without one, so that
 * a test sees the delays of production.
 */
import type { Requeue } from "@treadle/reconcile";
import { Backoff, type Curve } from "@treadle/workqueue";

/** What of a pass decides on the next; a `PassResult` is one. */
export interface EndedPass {
  readonly requeue: Requeue;
  /** Of the object that the pass worked on; absent when that is not known. */
  readonly uid?: string | undefined;
}

/** Counts the failures of each key. Those of an object that is gone do not count for another of the same name. */
export class FailureCurve {
  readonly #backoff: Backoff;
  /** The object whose failures are counted. */
  readonly #uids = new Map<string, string>();

  /** @throws RangeError for a curve that is not one. */
  constructor(curve: Curve) {
    this.#backoff = new Backoff(curve);
  }

  /** In how many milliseconds `key` is due again, 0 = at once; undefined when nothing is to be scheduled. Call it once per pass. */
  delayAfter(key: string, { requeue, uid }: EndedPass): number | undefined {
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
    const curveMs = this.#backoff.next(key);
    // One that names none, such as `Retry-After: 0`, must not keep a worker busy for as long as it lasts.
    return requeue.afterMs === undefined || requeue.afterMs === 0 ? curveMs : requeue.afterMs;
  }

  /** The next failure of `key` is its first. Keys are kept until forgotten. */
  forget(key: string): void {
    this.#backoff.forget(key);
    this.#uids.delete(key);
  }
}
