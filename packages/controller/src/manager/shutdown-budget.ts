/**
 * Divides the time of a graceful stop. Passes have two thirds of it to finish, and a sixth for posts and saves after their
 * signals were aborted. Runnables have the rest except a fifteenth, which is for the lease.
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

  /** Starts to count. */
  start(): void {
    this.#startedMs ??= this.#clock.now();
  }

  /** Remaining time for the stop of a runnable, in milliseconds. */
  forRunnables(): number {
    return Math.max(0, Math.floor((this.totalMs * 14) / 15) - this.#spentMs());
  }

  /** Remaining time for everything after the runnables, in milliseconds. */
  forTheRest(): number {
    return Math.max(0, this.totalMs - this.#spentMs());
  }

  #spentMs(): number {
    const now = this.#clock.now();
    return now - (this.#startedMs ?? now);
  }
}
