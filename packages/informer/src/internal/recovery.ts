/** Decides what follows a failure of list or watch: how long to pause, whether to list again, and how. */
import { type Clock, isApiError, isExpired, isTooManyRequests, type Random } from "@treadle/apimachinery";
import { Backoff } from "./backoff.ts";
import { isVersionRefused, WentBackError } from "./failures.ts";

/** Maximum pause that a server may ask for. An error page during an outage may ask for hours. */
const RETRY_AFTER_MAX_MS = 60_000;
/** Up to this share of the pause is left out at random, because the option is the maximum pause. */
const NOT_SERVED_JITTER = 0.25;
/** A second 410 within this time is followed by a pause, as any other failure. */
const EXPIRED_AGAIN_MS = 10_000;
/** After so many failures in a row at one version (some three minutes of backoff), the version may be the reason: list again. */
const FAILURES_AT_VERSION = 10;
/** Weight of a silent watch on a server that sends bookmarks. After three in a row, the server may be behind our version: list again. */
const FAILURES_OF_SILENCE = 4;
/** Statuses with which a server refuses `sendInitialEvents` for good. */
const REFUSED: ReadonlySet<number> = new Set([400, 405, 406, 415, 422, 501]);

/** The attempt that failed. */
export interface Attempt {
  /** Whether the attempt requested all objects, by a list or by a stream of initial events. */
  readonly isListing: boolean;
  /** Whether the attempt was a stream of initial events. */
  readonly isStreaming: boolean;
}

/** The consequences of a failure. */
export interface Aftermath {
  /** Pause before the next attempt, in milliseconds. */
  readonly pauseMs: number;
  /** Whether the failure is reported. An expired version is not, because it is expected. */
  readonly isReported: boolean;
  /** Whether the next attempt lists. */
  readonly dropsVersion: boolean;
  /** How the next attempts request initial events. Absent: as before. */
  readonly initialEvents?: "skip once" | "never";
}

/** The options of a {@link Recovery}. */
export interface RecoveryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Maximum pause while the kind is not served, in milliseconds. */
  readonly kindRetryMs: number;
}

/** The failures of one reflector so far, and the pauses that follow them. */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #backoff: Backoff;
  /** Failures since the watch last reported a change at the version at which it began. */
  #failures = 0;
  #answeredAt: number;
  /** Time of the first response after the last failure. */
  #healthySince: number | undefined;
  #expiredAt = Number.NEGATIVE_INFINITY;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.random);
    this.#answeredAt = options.clock.now();
  }

  /** Time of the last response of the server, in milliseconds of the clock. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** Starts to measure. */
  begin(): void {
    this.#answeredAt = this.#options.clock.now();
  }

  /** Records a response of the server. */
  answered(): void {
    this.#answeredAt = this.#options.clock.now();
    this.#healthySince ??= this.#answeredAt;
  }

  /** Records a change of the objects: the version at which the watch began is valid. */
  progressed(): void {
    this.#failures = 0;
  }

  /** Records a watch that was silent although the server sends bookmarks. Returns whether to list again. */
  wasSilent(): boolean {
    return this.#failed(FAILURES_OF_SILENCE);
  }

  /** Records a failure and returns its consequences. */
  after(error: unknown, { isListing, isStreaming }: Attempt): Aftermath {
    const status = isApiError(error) ? error.status : undefined;
    const isTooMany = !isTooManyRequests(error) && this.#failed(1);
    // A kind that is removed and served again has another history.
    const isRefused = isExpired(error) || status === 404 || isVersionRefused(error) || error instanceof WentBackError;
    const dropsVersion = isTooMany || isRefused;
    if (isExpired(error) && !isListing) {
      // A version may expire at any time. If it happens again and again, a list without a pause would repeat forever.
      const sinceMs = this.#options.clock.now() - this.#expiredAt;
      this.#expiredAt = this.#options.clock.now();
      if (sinceMs >= EXPIRED_AGAIN_MS) return { pauseMs: 0, isReported: false, dropsVersion };
    }
    const isInitial = isStreaming && isListing;
    if (isInitial && status !== undefined && REFUSED.has(status))
      return { pauseMs: 0, isReported: false, dropsVersion, initialEvents: "never" };
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
