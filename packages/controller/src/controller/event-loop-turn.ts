/**
 * Limits how many passes the workers of a controller run in one turn of the event loop. Passes that only read the cache
 * are promise jobs: without a limit, no timer, socket or signal would get its turn.
 */
import type { Clock } from "@treadle/apimachinery";

/** With the 6 ms that informers take of a turn at most, and what reading takes, it stays at some 10 ms. */
const SLICE_MS = 2;
/** In virtual time no pass takes any. */
const PASSES = 100;

/** The current turn of the event loop. */
export class EventLoopTurn {
  readonly #clock: Clock;
  #startedMs: number | undefined;
  #passes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A pass is about to begin. */
  began(): void {
    this.#passes++;
    if (this.#startedMs !== undefined) return;
    this.#startedMs = this.#clock.elapsed();
    setImmediate(() => {
      this.#startedMs = undefined;
      this.#passes = 0;
    });
  }

  /** The passes have used it up: {@link rest} before the next one. */
  get isOver(): boolean {
    return this.#startedMs !== undefined && (this.#passes >= PASSES || this.#clock.elapsed() - this.#startedMs >= SLICE_MS);
  }

  /** Lets the event loop turn once. */
  async rest(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
