/** Waiting that ends, for things that take too long. */
import type { Clock, Timer } from "@treadle/apimachinery";

/**
 * Aborts its signal when nobody touched it for the limit, or with the parent. The timer is not set anew at each touch
 * (a busy watch touches it thousands of times a second): it looks, when it fires, how long ago the last touch was.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  readonly #onParentAbort = (): void => this.#controller.abort(this.#parent.reason);
  readonly #tooQuiet: (limitMs: number) => Error;
  #limitMs: number;
  #touchedAt: number;
  #timer: Timer;

  constructor(clock: Clock, parent: AbortSignal, limit: { readonly ms: number; readonly tooQuiet: (limitMs: number) => Error }) {
    this.#clock = clock;
    this.#parent = parent;
    this.#limitMs = limit.ms;
    this.#tooQuiet = limit.tooQuiet;
    this.#touchedAt = clock.now();
    this.#timer = clock.after(this.#limitMs, () => this.#look());
    if (parent.aborted) this.#onParentAbort();
    parent.addEventListener("abort", this.#onParentAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  touch(): void {
    this.#touchedAt = this.#clock.now();
  }

  /** From now on another limit holds. */
  limit(ms: number): void {
    if (ms === this.#limitMs) return;
    this.#limitMs = ms;
    this.#timer.cancel();
    this.#look();
  }

  /** Aborts what is still under way. Idempotent. */
  end(reason?: unknown): void {
    this.#timer.cancel();
    this.#parent.removeEventListener("abort", this.#onParentAbort);
    this.#controller.abort(reason);
  }

  #look(): void {
    const restMs = this.#touchedAt + this.#limitMs - this.#clock.now();
    if (restMs > 0) this.#timer = this.#clock.after(restMs, () => this.#look());
    else this.end(this.#tooQuiet(this.#limitMs));
  }
}

/** Ends an iterator, whatever it says to that. */
export async function close(iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // It was to be ended, and it has.
  }
}
