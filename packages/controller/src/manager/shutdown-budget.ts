/**
 * How the time of a graceful stop is shared out. Passes have two thirds of it to finish, and a sixth for posts and saves
 * after their signals were aborted; runnables have what is left but a fifteenth, which is for the lease.
 */
import type { Clock } from "@treadle/apimachinery";

export class ShutdownBudget {
  readonly totalMs: number;
  readonly politeMs: number;
  readonly abortedMs: number;
  readonly #clock: Clock;
  #startedMs: number | undefined;

  constructor(clock: Clock, totalMs: number) {
    this.#clock = clock;
    this.totalMs = totalMs;
    this.politeMs = Math.floor((totalMs * 2) / 3);
    this.abortedMs = Math.floor(totalMs / 6);
  }

  /** The stop begins. */
  start(): void {
    this.#startedMs ??= this.#clock.now();
  }

  /** How long the stop of a runnable may take now. */
  forRunnables(): number {
    return Math.max(0, Math.floor((this.totalMs * 14) / 15) - this.#spentMs());
  }

  /** How long the end of everything may take that comes after the runnables. */
  forTheRest(): number {
    return Math.max(0, this.totalMs - this.#spentMs());
  }

  #spentMs(): number {
    const now = this.#clock.now();
    return now - (this.#startedMs ?? now);
  }
}
