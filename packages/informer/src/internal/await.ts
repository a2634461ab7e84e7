/** Limits for operations that may take too long. */
import { AbortableWaits, type Clock, type Timer } from "@treadle/apimachinery";

/**
 * Aborts its signal when it was not touched for the limit, or when the parent signal is aborted. A touch does not reset the
 * timer, because a busy watch touches it thousands of times a second. When the timer fires, it checks the time of the last touch.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #parent: AbortSignal;
  readonly #controller = new AbortController();
  readonly #waits = new AbortableWaits(this.#controller.signal);
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

  /** The signal that is aborted. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for a promise, but rejects as soon as the signal is aborted. One wait at a time. */
  until<T>(promise: Promise<T>): Promise<T> {
    return this.#waits.until(promise);
  }

  /** Records that the operation made progress. */
  touch(): void {
    this.#touchedAt = this.#clock.now();
  }

  /** Changes the limit. */
  limit(ms: number): void {
    if (ms === this.#limitMs) return;
    this.#limitMs = ms;
    this.#timer.cancel();
    this.#look();
  }

  /** Aborts the signal. Idempotent. */
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

/** Ends an iterator and ignores its errors. */
export async function close(iterator: AsyncIterator<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.();
  } catch {
    // The iterator has ended, as intended.
  }
}
