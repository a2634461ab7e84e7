/**
 * What stops all calls of a credential for a time: the provider asked for a pause (429), or it refuses the credentials (401, 403).
 * Both take the time as an argument and set no timer.
 */

const PAUSE = { baseMs: 1000, maxMs: 60_000 };
const OPEN = { baseMs: 60_000, maxMs: 300_000 };

/** The time after which another object may probe, if the probe never reported its result. */
const PROBE_MS = 60_000;

/** The time after which an object asks again while another one probes. */
const PROBE_ASK_MS = 1000;

/** A pause for all calls, after an answer that the provider has too many. */
export class Pause {
  #untilMs = Number.NEGATIVE_INFINITY;
  #attempts = 0;

  /** Returns the milliseconds until the end of the pause; 0: nothing is paused. */
  restMs(nowMs: number): number {
    return Math.max(0, this.#untilMs - nowMs);
  }

  /** Begins a pause, or makes it longer. */
  start(nowMs: number, retryAfterMs: number): void {
    if (retryAfterMs > 0) {
      this.#untilMs = Math.max(this.#untilMs, nowMs + retryAfterMs);
    } else if (nowMs >= this.#untilMs) {
      // Calls that were sent before the pause also end with 429. They are no reason for a longer one.
      this.#untilMs = nowMs + doubled(PAUSE, this.#attempts++);
    }
  }

  /** Makes the next pause short again. The answer of a call that was sent before the pause says nothing. */
  succeeded(nowMs: number): void {
    if (nowMs >= this.#untilMs) this.#attempts = 0;
  }
}

/** A breaker stops all calls after a refusal, and then lets one call probe the credentials. */
export class Breaker {
  #untilMs: number | undefined;
  #attempts = 0;
  #probe: { readonly key: string; readonly endMs: number } | undefined;

  /** Whether the next call is the probe. */
  get isOpen(): boolean {
    return this.#untilMs !== undefined;
  }

  /** Returns the milliseconds until the object may ask again; 0: it may call. */
  restMs(nowMs: number): number {
    if (this.#untilMs === undefined) return 0;
    if (nowMs < this.#untilMs) return this.#untilMs - nowMs;
    if (this.#probe === undefined || nowMs >= this.#probe.endMs) return 0;
    return Math.min(PROBE_ASK_MS, this.#probe.endMs - nowMs);
  }

  /** Records that this object makes the probe. */
  probes(key: string, nowMs: number): void {
    this.#probe = { key, endMs: nowMs + PROBE_MS };
  }

  /** Ends a probe that has no result, because its pass is over: the next object may probe. */
  ended(key: string): void {
    if (this.#probe?.key === key) this.#probe = undefined;
  }

  /** Opens the breaker, and returns whether it did. Refusals of calls that were sent before it opened do not make the time longer. */
  refused(nowMs: number): boolean {
    if (this.#untilMs !== undefined && nowMs < this.#untilMs) return false;
    this.#untilMs = nowMs + doubled(OPEN, this.#attempts++);
    this.#probe = undefined;
    return true;
  }

  /** Closes the breaker, unless the success is of a call that was sent before it opened. */
  succeeded(nowMs: number): void {
    if (this.#untilMs === undefined || nowMs >= this.#untilMs) this.close();
  }

  /** Closes the breaker at once. */
  close(): void {
    this.#untilMs = undefined;
    this.#probe = undefined;
    this.#attempts = 0;
  }
}

function doubled({ baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number }, attempts: number): number {
  return Math.min(maxMs, baseMs * 2 ** attempts);
}
