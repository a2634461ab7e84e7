/**
 * Delays of keys that failed: each key has a backoff. A profile may also limit all keys together by a token bucket.
 */
import type { Clock } from "@treadle/apimachinery";
import { type Backoff, checkBackoff, CLUSTER_BACKOFF, delayAfter, EXTERNAL_BACKOFF } from "./backoff.ts";

/** Describes a bucket that holds `burst` tokens and gets `perSecond` new ones. Each delay takes a token, or waits for one. */
export interface TokenBucket {
  /** Tokens added each second. */
  readonly perSecond: number;
  /** Tokens that a full bucket holds. */
  readonly burst: number;
}

/** Describes a custom profile: a backoff for each key, and a bucket for all keys together. */
export interface CustomBackoff extends Backoff {
  /** Limit for all keys together. With many failing keys it makes delays longer than `maxMs`. @defaultValue none */
  readonly bucket?: TokenBucket;
}

/**
 * Chooses the delays after failures. `"cluster"` is {@link CLUSTER_BACKOFF}; `"external"` is {@link EXTERNAL_BACKOFF} with
 * {@link EXTERNAL_BUCKET}.
 */
export type BackoffProfile = "cluster" | "external" | CustomBackoff;

/** The bucket for systems that bill or throttle calls: 10 a second after a burst of 100 (client-go `DefaultControllerRateLimiter`). */
export const EXTERNAL_BUCKET: TokenBucket = { perSecond: 10, burst: 100 };

/** Counts the failures of keys and computes their delays. It sets no timer. */
export class RateLimit {
  readonly #backoff: Backoff;
  readonly #bucket: TokenBucket | undefined;
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #attempts = new Map<string, number>();
  /** When the bucket will be full if no more tokens are taken. */
  #fullAt = Number.NEGATIVE_INFINITY;

  /** @throws RangeError for a profile with impossible numbers */
  constructor(profile: BackoffProfile, clock: Pick<Clock, "elapsed">) {
    const { bucket, ...backoff } = profileOf(profile);
    checkBackoff(backoff);
    if (bucket !== undefined && !(bucket.perSecond > 0 && Number.isFinite(bucket.perSecond) && bucket.burst >= 1))
      throw new RangeError(`a token bucket needs perSecond > 0 and burst >= 1, got ${JSON.stringify(bucket)}`);
    this.#backoff = backoff;
    this.#bucket = bucket;
    this.#clock = clock;
  }

  /** Counts a failure of `key` and returns its delay in milliseconds: the longer one of the backoff and the bucket. */
  next(key: string): number {
    const attempts = this.#attempts.get(key) ?? 0;
    this.#attempts.set(key, attempts + 1);
    return Math.max(delayAfter(this.#backoff, attempts), this.#take());
  }

  /** Makes the next failure of `key` its first. Keys are kept until they are forgotten, so forget the keys of deleted objects. */
  forget(key: string): void {
    this.#attempts.delete(key);
  }

  /** Takes a token and returns in how many milliseconds it is available. */
  #take(): number {
    if (this.#bucket === undefined) return 0;
    const now = this.#clock.elapsed();
    const tokenMs = 1000 / this.#bucket.perSecond;
    this.#fullAt = Math.max(this.#fullAt, now) + tokenMs;
    return Math.max(0, this.#fullAt - now - this.#bucket.burst * tokenMs);
  }
}

function profileOf(profile: BackoffProfile): CustomBackoff {
  if (profile === "cluster") return CLUSTER_BACKOFF;
  return profile === "external" ? { ...EXTERNAL_BACKOFF, bucket: EXTERNAL_BUCKET } : profile;
}
