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
  readonly #limits = new Map<BackoffProfile, RateLimit>();
  readonly #clock: Pick<Clock, "elapsed">;
  /** The profile of the options, which replaces those of the steps. */
  readonly #fixed: BackoffProfile | undefined;
  /** The uid of the object whose failures are counted. */
  readonly #uids = new Map<string, string>();

  /**
   * @param profile the delays after all failures; `undefined`: those that the failed steps ask for, by default "cluster"
   * @throws RangeError for an invalid profile
   */
  constructor(profile: BackoffProfile | undefined, clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
    this.#fixed = profile;
    if (profile !== undefined) this.#limitOf(profile);
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
    const asked = this.#fixed === undefined ? (requeue.backoffs ?? [undefined]) : [this.#fixed];
    // A pass counts once for each profile, also where some steps name the default and others take it.
    const profiles = new Set(asked.map((profile = "cluster") => profile));
    // Of several failed steps the earliest delay decides: each profile counts the failures that it is asked for.
    const nextMs = Math.min(...[...profiles].map((profile) => this.#limitOf(profile).next(key)));
    const backoffMs = isRefusal(error) ? Math.min(nextMs, REFUSED_MAX_MS) : nextMs;
    // A delay of zero, such as `Retry-After: 0`, must not keep a worker busy for as long as the failure lasts.
    const delayMs = requeue.afterMs === undefined || requeue.afterMs === 0 ? backoffMs : requeue.afterMs;
    return Math.min(delayMs, requeue.atMostMs ?? delayMs);
  }

  /** Resets the backoff of `key`. Call it for every deleted object: keys are kept until they are forgotten. */
  forget(key: string): void {
    for (const limit of this.#limits.values()) limit.forget(key);
    this.#uids.delete(key);
  }

  #limitOf(profile: BackoffProfile): RateLimit {
    let limit = this.#limits.get(profile);
    if (limit === undefined) {
      limit = new RateLimit(profile, this.#clock);
      this.#limits.set(profile, limit);
    }
    return limit;
  }
}

/** Whether the server answered 403 or 401, also as the cause of `error` or as one of several errors. */
function isRefusal(error: unknown, depth = 0): boolean {
  if (depth > 8 || !(error instanceof Error)) return false;
  if (isApiError(error) && (error.status === 403 || error.status === 401)) return true;
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.some((each) => isRefusal(each, depth + 1));
}
