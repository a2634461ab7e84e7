/**
 * Throttle: slows down what is done again and again without a result. The first times are free, then each next one waits
 * for a delay that doubles. After a quiet time everything is free again. Holds no timer.
 */

/** How a throttle works. */
export interface ThrottleRules {
  /** The strain up to which nothing waits. */
  readonly free: number;
  /** How much strain doubles the delay. @defaultValue 1 */
  readonly perDoubling?: number;
  /** After so many milliseconds without {@link Throttle.add} the strain is 0 again. */
  readonly quietMs: number;
}

/** As the backoff of waiting passes: 50 ms doubling to 10 s. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 10_000;

/** The delay before attempt `attempts` + 1: 50 ms doubling to 10 s. */
export function delayAfter(attempts: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(30, attempts));
}

/** Slows down what repeats, by key. */
export class Throttle {
  readonly #rules: ThrottleRules;
  #strain = 0;
  #lastMs = -Infinity;

  constructor(rules: ThrottleRules) {
    this.#rules = rules;
  }

  /** Milliseconds until the next time is allowed; 0: now. */
  restMs(nowMs: number): number {
    const { free, perDoubling = 1 } = this.#rules;
    const strain = this.strainAt(nowMs);
    return strain < free ? 0 : Math.max(0, this.#lastMs + delayAfter(Math.floor((strain - free) / perDoubling)) - nowMs);
  }

  /** Notes that it was done. Returns whether it is slowed down from now on, and was not before. */
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
