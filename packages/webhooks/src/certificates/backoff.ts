/** When something may be repeated: after a failure with a growing pause, and at once for the first times that nothing failed. */
import type { Clock } from "@treadle/apimachinery";
import { delayAfter } from "@treadle/workqueue";

/** Repetitions without a pause. A start takes two writes of the Secret and one of each configuration. */
const FREE = 5;
const PAUSES = { baseMs: 1_000, maxMs: 5 * 60_000 };
/** After this time without a repetition, the next ones are without a pause again. */
const QUIET_MS = 30 * 60_000;

/** The pauses of one operation. */
export class Backoff {
  readonly #clock: Clock;
  #count = 0;
  #lastMs = -Infinity;
  #nextAtMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Earliest time of the next attempt, in milliseconds since 1970. */
  get nextAtMs(): number {
    return this.#nextAtMs;
  }

  /** Notes a failed attempt, which always causes a pause. */
  failed(): void {
    this.#note(0);
  }

  /** Notes an attempt that did not fail, but that another writer may undo. */
  repeated(): void {
    this.#note(FREE);
  }

  /** Ends the pauses: what was tried has succeeded. */
  reset(): void {
    this.#count = 0;
    this.#nextAtMs = -Infinity;
  }

  #note(free: number): void {
    const now = this.#clock.now();
    this.#count = now - this.#lastMs > QUIET_MS ? 1 : this.#count + 1;
    this.#lastMs = now;
    this.#nextAtMs = this.#count > free ? now + delayAfter(PAUSES, this.#count - free - 1) : now;
  }
}
