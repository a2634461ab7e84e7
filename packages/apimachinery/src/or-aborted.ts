/**
 * Waits for `promise`, but rejects with the signal's reason as soon as the signal is aborted. Use it for work that does not
 * watch the signal itself. The work goes on after the abort; its later rejection is not reported as unhandled.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
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
 * Waits for promises one after another, each like {@link orAborted}, with one listener on the signal. For streams with thousands of parts a
 * second. Assumption: one wait at a time. Call `end` after the last wait, unless the signal was aborted.
 */
export class AbortableWaits {
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#reject?.(this.#signal?.reason);
  #reject: ((reason: unknown) => void) | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Settles like `promise`. @throws the signal's reason, also in all later waits */
  until<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject;
      if (this.#signal?.aborted === true) this.#onAbort();
      promise.then(resolve, reject);
    });
  }

  /** Removes the listener. */
  end(): void {
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}
