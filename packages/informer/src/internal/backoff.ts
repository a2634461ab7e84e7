/** The reflector's exponential back-off, with client-go's numbers (tools/cache/reflector.go). */
import type { Random } from "@treadle/apimachinery";

const FIRST_MS = 800;
const LAST_MS = 30_000;
const FACTOR = 2;
/** Up to this part of a delay is added to it at random, so that informers do not come back all at once. */
const JITTER = 1;
const RESET_AFTER_HEALTHY_MS = 120_000;

export class Backoff {
  readonly #random: Random;
  #nextMs = FIRST_MS;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The delay before the next attempt, after one that went well for `healthyMs` before it failed. */
  next(healthyMs: number): number {
    if (healthyMs >= RESET_AFTER_HEALTHY_MS) this.#nextMs = FIRST_MS;
    const base = this.#nextMs;
    this.#nextMs = Math.min(LAST_MS, base * FACTOR);
    return base + base * JITTER * this.#random.next();
  }
}
