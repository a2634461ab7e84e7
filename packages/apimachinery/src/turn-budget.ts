/**
 * Limits how much work one turn of the event loop does. Work that never waits for I/O keeps timers, sockets and signals
 * waiting; with a budget it yields to them after some milliseconds or some pieces.
 */
import { type Clock, systemClock } from "./clock.ts";

/** How much work one turn of the event loop may do. Without a limit, a {@link TurnBudget} never yields. */
export interface TurnBudgetOptions {
  /** Maximum time of work in one turn, in milliseconds. @defaultValue no limit */
  readonly maxMs?: number;
  /** Maximum number of pieces of work in one turn. @defaultValue no limit */
  readonly maxPieces?: number;
  /** The clock that measures `maxMs`. @defaultValue {@link systemClock}: the work takes real time even when time is virtual */
  readonly clock?: Pick<Clock, "elapsed">;
}

/**
 * The budget of one turn of the event loop. Several loops may share one, and then together they take no more than one would.
 *
 * Guarantees: the first piece of work in a turn begins the budget, and the end of the turn renews it. So a loop that waits
 * for I/O anyway never pays for an extra turn.
 */
export class TurnBudget {
  readonly #maxMs: number;
  readonly #maxPieces: number;
  readonly #clock: Pick<Clock, "elapsed">;
  #startedMs: number | undefined;
  #pieces = 0;

  constructor(options: TurnBudgetOptions = {}) {
    this.#maxMs = options.maxMs ?? Number.POSITIVE_INFINITY;
    this.#maxPieces = options.maxPieces ?? Number.POSITIVE_INFINITY;
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether this turn's budget is used up: {@link rest} before the next piece of work. */
  get isSpent(): boolean {
    if (this.#startedMs === undefined) return false;
    if (this.#pieces >= this.#maxPieces) return true;
    return this.#maxMs !== Number.POSITIVE_INFINITY && this.#clock.elapsed() - this.#startedMs >= this.#maxMs;
  }

  /** Counts one piece of work that is about to begin. */
  count(): void {
    this.#pieces++;
    this.#begin();
  }

  /** Uses up the time of this turn: it did other long work before, such as parsing a large response. */
  spend(): void {
    this.#begin();
    if (this.#isLimited) this.#startedMs = Number.NEGATIVE_INFINITY;
  }

  /** Waits until the event loop has turned once. */
  async rest(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /**
   * Waits for the next turn if this one's budget is used up, then counts one piece of work.
   * @throws the signal's reason when it is aborted, before or while waiting.
   */
  async next(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.isSpent) {
      await this.rest();
      signal?.throwIfAborted();
    }
    this.count();
  }

  /** Calls `run` for each item within the budget. Stops early, without an error, when `signal` is aborted. */
  async each<T>(items: Iterable<T>, signal: AbortSignal, run: (item: T) => void): Promise<void> {
    for (const item of items) {
      if (this.isSpent) await this.rest();
      if (signal.aborted) return;
      this.count();
      run(item);
    }
  }

  get #isLimited(): boolean {
    return this.#maxMs !== Number.POSITIVE_INFINITY || this.#maxPieces !== Number.POSITIVE_INFINITY;
  }

  #begin(): void {
    if (this.#startedMs !== undefined || !this.#isLimited) return;
    this.#startedMs = this.#clock.elapsed();
    setImmediate(() => {
      this.#startedMs = undefined;
      this.#pieces = 0;
    });
  }
}
