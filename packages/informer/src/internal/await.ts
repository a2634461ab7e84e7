/** Waiting that ends: for things that may never answer, and for those that take too long. */
import type { Clock, Timer } from "@treadle/apimachinery";

/** What `promise` gives, or a rejection with the signal's reason as soon as it is aborted. Late failures are ignored. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const end = (): void => signal.removeEventListener("abort", onAbort);
    promise.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

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
