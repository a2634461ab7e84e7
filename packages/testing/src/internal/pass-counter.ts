/** Counts the passes of each key at the same time. Many passes of one object are a loop; many objects have many passes. */
import type { Clock } from "@treadle/apimachinery";

export class PassCounter {
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #countedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedAtMs = clock.now();
  }

  /** Counts a pass of `key`. Returns the number of its passes since time moved. */
  count(key: string): number {
    const now = this.#clock.now();
    if (now !== this.#countedAtMs) this.#counts.clear();
    this.#countedAtMs = now;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}
