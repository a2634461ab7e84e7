/**
 * Growing delays. A {@link Backoff} is plain data, and {@link delayAfter} computes a delay from it and a number of attempts.
 * Nothing here sets a timer or reads a clock. {@link RateLimit} counts the attempts of many keys.
 */
import { type Random, systemRandom } from "@treadle/apimachinery";

/** Describes delays that grow: `baseMs` first, then each time `factor` times as long, never more than `maxMs`. */
export interface Backoff {
  /** First delay, in milliseconds. */
  readonly baseMs: number;
  /** Ratio of each delay to the one before it. @defaultValue 2 */
  readonly factor?: number;
  /** Longest delay before jitter, in milliseconds. */
  readonly maxMs: number;
  /** Largest part of a delay that is added to it at random, so that many callers do not retry together. @defaultValue 0 */
  readonly jitter?: number;
}

/** The backoff after failures against the cluster: 5 ms doubling to 1000 s (client-go `DefaultControllerRateLimiter`). */
export const CLUSTER_BACKOFF: Backoff = { baseMs: 5, maxMs: 1_000_000 };

/** The backoff after failures against systems that bill or throttle calls: 1 s doubling to 60 s (crossplane-runtime `ratelimiter`). */
export const EXTERNAL_BACKOFF: Backoff = { baseMs: 1000, maxMs: 60_000 };

/** The backoff while something expected has not happened yet: 50 ms doubling to 10 s. */
export const WAITING_BACKOFF: Backoff = { baseMs: 50, maxMs: 10_000 };

/**
 * Returns the delay in milliseconds after `attempts` earlier delays; 0 attempts give `baseMs`.
 * @param random source of the jitter; not used by a backoff without jitter
 */
export function delayAfter(backoff: Backoff, attempts: number, random: Random = systemRandom): number {
  const { baseMs, factor = 2, maxMs, jitter = 0 } = backoff;
  // The power becomes infinite after many attempts, and 0 times infinity is not a number.
  const delayMs = baseMs === 0 ? 0 : Math.min(maxMs, baseMs * factor ** attempts);
  return jitter === 0 ? delayMs : delayMs + delayMs * jitter * random.next();
}

/** Checks numbers that a user gave. @throws RangeError that repeats them */
export function checkBackoff({ baseMs, factor = 2, maxMs, jitter = 0 }: Backoff): void {
  if (baseMs >= 0 && maxMs >= baseMs && Number.isFinite(maxMs) && factor >= 1 && jitter >= 0 && Number.isFinite(jitter)) return;
  const given = JSON.stringify({ baseMs, factor, maxMs, jitter });
  throw new RangeError(`a backoff needs 0 <= baseMs <= maxMs, factor >= 1 and jitter >= 0, got ${given}`);
}
