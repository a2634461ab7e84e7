/**
 * When keys that failed come back: each by a back-off of its own and, where a profile says so, all of them together no
 * faster than a token bucket lets them.
 */
import type { Clock } from "@treadle/apimachinery";
import { Backoff, CLUSTER_CURVE, type Curve, EXTERNAL_CURVE } from "./backoff.ts";

/** A bucket that holds `burst` tokens and is filled with `perSecond` of them; each delay takes one, or waits for one. */
export interface Bucket {
  readonly perSecond: number;
  readonly burst: number;
}

/** A curve for each key, and a bucket for all keys together. */
export interface Profile extends Curve {
  /** With many failing keys their delays become longer than `maxMs`. @defaultValue none */
  readonly bucket?: Bucket;
}

/** `"cluster"`: {@link CLUSTER_CURVE}. `"external"`: {@link EXTERNAL_CURVE} and {@link EXTERNAL_BUCKET}. */
export type BackoffProfile = "cluster" | "external" | Profile;

/** Against systems that bill or throttle calls: 10 a second after 100 at once (client-go `DefaultControllerRateLimiter`). */
export const EXTERNAL_BUCKET: Bucket = { perSecond: 10, burst: 100 };

export class RateLimit {
  readonly #backoff: Backoff;
  readonly #bucket: Bucket | undefined;
  readonly #clock: Pick<Clock, "elapsed">;
  /** When the bucket will have been full, were nothing taken any more. */
  #fullAt = Number.NEGATIVE_INFINITY;

  /** @throws RangeError for a profile that is none */
  constructor(profile: BackoffProfile, clock: Pick<Clock, "elapsed">) {
    const { bucket, ...curve } = profileOf(profile);
    if (bucket !== undefined && !(bucket.perSecond > 0 && Number.isFinite(bucket.perSecond) && bucket.burst >= 1))
      throw new RangeError(`a bucket needs perSecond > 0 and burst >= 1, got ${JSON.stringify(bucket)}`);
    this.#backoff = new Backoff(curve);
    this.#bucket = bucket;
    this.#clock = clock;
  }

  /** The next delay of `key` in milliseconds: the longer one of its own and of the bucket's. */
  next(key: string): number {
    return Math.max(this.#backoff.next(key), this.#take());
  }

  /** How many delays `key` has had since it was forgotten. */
  attempts(key: string): number {
    return this.#backoff.attempts(key);
  }

  /** The next delay of `key` is its first. Keys are kept until forgotten. */
  forget(key: string): void {
    this.#backoff.forget(key);
  }

  /** Takes a token; returns in how many milliseconds it is there. */
  #take(): number {
    if (this.#bucket === undefined) return 0;
    const now = this.#clock.elapsed();
    const tokenMs = 1000 / this.#bucket.perSecond;
    this.#fullAt = Math.max(this.#fullAt, now) + tokenMs;
    return Math.max(0, this.#fullAt - now - this.#bucket.burst * tokenMs);
  }
}

function profileOf(profile: BackoffProfile): Profile {
  if (profile === "cluster") return CLUSTER_CURVE;
  return profile === "external" ? { ...EXTERNAL_CURVE, bucket: EXTERNAL_BUCKET } : profile;
}
