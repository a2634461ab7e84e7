/** The exponential backoff of a reflector, with the numbers of client-go (tools/cache/reflector.go). */
import type { Random } from "@treadle/apimachinery";

const FIRST_MS = 800;
const LAST_MS = 30_000;
const FACTOR = 2;
/** Up to this share of a delay is added at random, so that informers do not retry all at once. */
const JITTER = 1;
const RESET_AFTER_HEALTHY_MS = 120_000;

/** The delays between failed attempts of one reflector. */
export class Backoff {
  readonly #random: Random;
  #nextMs = FIRST_MS;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns the delay before the next attempt, in milliseconds. The failed attempt worked for `healthyMs` before. */
  next(healthyMs: number): number {
    if (healthyMs >= RESET_AFTER_HEALTHY_MS) this.#nextMs = FIRST_MS;
    const base = this.#nextMs;
    this.#nextMs = Math.min(LAST_MS, base * FACTOR);
    return base + base * JITTER * this.#random.next();
  }
}
