/**
 * Cuts long synchronous work into slices. A slice begins with the first question in a turn of the event loop and ends
 * with the turn, so a loop that waits for I/O anyway never pays for an extra turn. Several loops may share one pacer.
 */
export class Pacer {
  readonly #sliceMs: number;
  readonly #now: () => number;
  #startedAt: number | undefined;

  /**
   * @param sliceMs Processor time, so the real clock counts and not the injected one. @defaultValue 6, which leaves room below 10 ms for what the turn began with (a chunk of a stream) and for the last object
   * Infinite in virtual time, where every run has to be like the last: what was slow once must not change the order of things.
   */
  constructor(sliceMs = 6, now: () => number = () => performance.now()) {
    this.#sliceMs = sliceMs;
    this.#now = now;
  }

  /** True when this turn has been used up: {@link rest} before the next piece of work. */
  get isDue(): boolean {
    if (this.#sliceMs === Number.POSITIVE_INFINITY) return false;
    const now = this.#now();
    if (this.#startedAt !== undefined) return now - this.#startedAt >= this.#sliceMs;
    this.#startedAt = now;
    setImmediate(() => {
      this.#startedAt = undefined;
    });
    return false;
  }

  /** What this turn began with took its time already: the parsing of a page. The next piece of work is of another one. */
  used(): void {
    void this.isDue;
    this.#startedAt = Number.NEGATIVE_INFINITY;
  }

  /** Lets the event loop turn once. */
  async rest(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
