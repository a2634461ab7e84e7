/**
 * Growing delays per key. A {@link Backoff} counts and computes; it sets no timer and knows no time.
 */

/** `baseMs`, then each time `factor` times as long, never more than `maxMs`. */
export interface Curve {
  readonly baseMs: number;
  /** @defaultValue 2 */
  readonly factor?: number;
  readonly maxMs: number;
}

/** After failures against the cluster: 5 ms doubling to 1000 s (client-go `DefaultControllerRateLimiter`). */
export const CLUSTER_CURVE: Curve = { baseMs: 5, maxMs: 1_000_000 };

/** After failures against systems that bill or throttle calls: 1 s doubling to 60 s (crossplane-runtime `ratelimiter`). */
export const EXTERNAL_CURVE: Curve = { baseMs: 1000, maxMs: 60_000 };

/** While something expected has not happened yet: 50 ms doubling to 10 s. */
export const WAITING_CURVE: Curve = { baseMs: 50, maxMs: 10_000 };

export class Backoff {
  readonly #curve: Curve;
  readonly #keys = new Map<string, { attempts: number; readonly reason: string }>();

  /** @throws RangeError for a curve that is not one. */
  constructor(curve: Curve) {
    const { baseMs, factor = 2, maxMs } = curve;
    if (!(baseMs >= 0 && maxMs >= baseMs && factor >= 1 && Number.isFinite(maxMs))) {
      throw new RangeError(`a curve needs 0 <= baseMs <= maxMs and factor >= 1, got ${JSON.stringify({ baseMs, factor, maxMs })}`);
    }
    this.#curve = curve;
  }

  /** The next delay of `key` in milliseconds. Another `reason` than last time begins at `baseMs` again. */
  next(key: string, reason: string = ""): number {
    const { baseMs, factor = 2, maxMs } = this.#curve;
    const known = this.#keys.get(key);
    const attempts = known?.reason === reason ? known.attempts : 0;
    this.#keys.set(key, { attempts: attempts + 1, reason });
    // The power is infinite some day, and 0 times that is no number.
    return baseMs === 0 ? 0 : Math.min(maxMs, baseMs * factor ** attempts);
  }

  /** How many delays `key` has had since it was forgotten or its reason changed. */
  attempts(key: string): number {
    return this.#keys.get(key)?.attempts ?? 0;
  }

  /** The next delay of `key` is `baseMs`. Keys are kept until forgotten, so forget those that are gone. */
  forget(key: string): void {
    this.#keys.delete(key);
  }
}
