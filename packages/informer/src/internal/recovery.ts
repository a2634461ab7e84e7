/** What follows a failure of list or watch: how long to pause, whether to list again, and how. */
import { type Clock, isApiError, isExpired, isTooManyRequests, type Random } from "@treadle/apimachinery";
import { Backoff } from "./backoff.ts";
import { isVersionRefused, WentBackError } from "./failures.ts";

/** The longest pause of the back-off. A page that is served during an outage may ask for hours, and nothing but this would end them. */
const RETRY_AFTER_MAX_MS = 60_000;
/** Up to this part of the pause is left out at random: the pause is a promise of how long it takes at most. */
const NOT_SERVED_JITTER = 0.25;
/** A second 410 within this time waits like any failure. */
const EXPIRED_AGAIN_MS = 10_000;
/** So many failures in a row at one version (some three minutes of back-off) may be the version's: list. */
const FAILURES_AT_VERSION = 10;
/** Three silent watches in a row of a server that sends bookmarks say as much: it may be behind our version, and wait. */
const FAILURES_OF_SILENCE = 4;
/** Refusals of `sendInitialEvents` that will not change while the server runs. */
const REFUSED: ReadonlySet<number> = new Set([400, 405, 406, 415, 422, 501]);

/** What was tried. */
export interface Attempt {
  /** Everything was asked for, by a list or by a stream that begins with it. */
  readonly isListing: boolean;
  readonly isStreaming: boolean;
}

export interface Aftermath {
  readonly pauseMs: number;
  /** False for what belongs to the course of things. */
  readonly isReported: boolean;
  /** The next attempt lists. */
  readonly dropsVersion: boolean;
  /** Absent: as before. */
  readonly initialEvents?: "skip once" | "refused";
}

export interface RecoveryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The longest pause while the kind is not served. */
  readonly kindRetryMs: number;
}

export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #backoff: Backoff;
  /** Since the watch said anything at the version from which it began. */
  #failures = 0;
  #answeredAt: number;
  /** Since when there was no failure. */
  #healthySince: number | undefined;
  #expiredAt = Number.NEGATIVE_INFINITY;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.random);
    this.#answeredAt = options.clock.now();
  }

  /** When the server last said something, in milliseconds of the clock. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  begin(): void {
    this.#answeredAt = this.#options.clock.now();
  }

  /** The server said something. */
  answered(): void {
    this.#answeredAt = this.#options.clock.now();
    this.#healthySince ??= this.#answeredAt;
  }

  /** It told something of the objects: the version at which the watch began is good. */
  progressed(): void {
    this.#failures = 0;
  }

  /** A watch was silent, which bookmarks should have kept it from. Returns whether its version is to be dropped. */
  wasSilent(): boolean {
    return this.#failed(FAILURES_OF_SILENCE);
  }

  after(error: unknown, { isListing, isStreaming }: Attempt): Aftermath {
    const status = isApiError(error) ? error.status : undefined;
    const isTooMany = !isTooManyRequests(error) && this.#failed(1);
    // What was served once and is not now comes back with a history that we do not know.
    const isRefused = isExpired(error) || status === 404 || isVersionRefused(error) || error instanceof WentBackError;
    const dropsVersion = isTooMany || isRefused;
    if (isExpired(error) && !isListing) {
      // Versions do expire in the course of things; again and again is a fault, and no reason to list in a circle.
      const sinceMs = this.#options.clock.now() - this.#expiredAt;
      this.#expiredAt = this.#options.clock.now();
      if (sinceMs >= EXPIRED_AGAIN_MS) return { pauseMs: 0, isReported: false, dropsVersion };
    }
    const isInitial = isStreaming && isListing;
    if (isInitial && status !== undefined && REFUSED.has(status))
      return { pauseMs: 0, isReported: false, dropsVersion, initialEvents: "refused" };
    if (status === 404) return { pauseMs: this.#notServedMs(), isReported: true, dropsVersion };
    const skips = isInitial && !isTooManyRequests(error);
    return { pauseMs: this.#pauseMs(error), isReported: true, dropsVersion, ...(skips ? { initialEvents: "skip once" } : {}) };
  }

  #notServedMs(): number {
    const { kindRetryMs, random } = this.#options;
    return kindRetryMs * (1 - NOT_SERVED_JITTER * random.next());
  }

  #pauseMs(error: unknown): number {
    const backoffMs = this.#backoff.next(this.#healthySince === undefined ? 0 : this.#answeredAt - this.#healthySince);
    this.#healthySince = undefined;
    const askedMs = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
    return askedMs > 0 ? Math.min(askedMs, RETRY_AFTER_MAX_MS) : backoffMs;
  }

  #failed(weight: number): boolean {
    this.#failures += weight;
    return this.#failures >= FAILURES_AT_VERSION;
  }
}
