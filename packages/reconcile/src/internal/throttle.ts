/**
 * A throttle slows down repeated work without a result. The first times are free; each later one waits for a delay that doubles.
 * After a quiet time the first times are free again. It has no timer.
 */

/** The rules of a throttle. */
export interface ThrottleRules {
  /** The strain up to which there is no delay. */
  readonly free: number;
  /** The strain that doubles the delay. @defaultValue 1 */
  readonly perDoubling?: number;
  /** The time without {@link Throttle.add} after which the strain is 0 again, in milliseconds. */
  readonly quietMs: number;
}

/** The same as the waiting backoff: 50 ms doubling to 10 s. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 10_000;

/** Returns the delay before attempt `attempts` + 1, in milliseconds: 50 ms doubling to `maxMs`. @defaultValue 10 s */
export function delayAfter(attempts: number, maxMs: number = MAX_DELAY_MS): number {
  return Math.min(maxMs, FIRST_DELAY_MS * 2 ** Math.min(30, attempts));
}

/** A throttle slows down work that repeats. */
export class Throttle {
  readonly #rules: ThrottleRules;
  #strain = 0;
  #lastMs = -Infinity;

  constructor(rules: ThrottleRules) {
    this.#rules = rules;
  }

  /** Returns the milliseconds until the next time is allowed; 0 means now. */
  restMs(nowMs: number): number {
    const { free, perDoubling = 1 } = this.#rules;
    const strain = this.strainAt(nowMs);
    return strain < free ? 0 : Math.max(0, this.#lastMs + delayAfter(Math.floor((strain - free) / perDoubling)) - nowMs);
  }

  /** Notes that the work was done. Returns whether it is slowed down from now on, and was not before. */
  add(cost: number, nowMs: number): boolean {
    const before = this.strainAt(nowMs);
    this.#strain = before + cost;
    this.#lastMs = nowMs;
    return before < this.#rules.free && this.#strain >= this.#rules.free;
  }

  /** The strain as of now. */
  strainAt(nowMs: number): number {
    return nowMs - this.#lastMs > this.#rules.quietMs ? 0 : this.#strain;
  }
}
