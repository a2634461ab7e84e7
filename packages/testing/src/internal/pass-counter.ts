/** Passes of each key without time moving: the measure of a loop. Many objects make many passes; one makes few. */
import type { Clock } from "@treadle/apimachinery";

export class PassCounter {
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #countedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedAtMs = clock.now();
  }

  /** Notes a pass of `key`; the number of its passes since time moved last. */
  count(key: string): number {
    const now = this.#clock.now();
    if (now !== this.#countedAtMs) this.#counts.clear();
    this.#countedAtMs = now;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}
