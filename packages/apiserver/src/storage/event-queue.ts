/**
 * Text that is produced now and read later: the body of a watch. What is waiting is bounded; a reader that falls too
 * far behind loses the stream (it ends after what it has read), as with the real server, and lists or watches again.
 */

export class EventQueue implements AsyncIterable<string> {
  readonly #limit: number;
  readonly #undo: (() => void)[] = [];
  #waiting: string[] = [];
  #first = 0;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /** Holds at most `limit` chunks. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Calls `undo` once, when the stream has ended, however it ends; at once where it has. */
  onEnd(undo: () => void): void {
    if (this.#hasEnded) undo();
    else this.#undo.push(undo);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Adds a chunk; more than the limit ends the stream and drops what is waiting. */
  push(chunk: string): void {
    if (this.#hasEnded) return;
    if (this.#waiting.length - this.#first >= this.#limit) {
      this.abort();
      return;
    }
    this.#waiting.push(chunk);
    this.#notify();
  }

  /** Adds chunks whatever their number: the beginning of a watch is as long as the state is big. */
  pushAll(chunks: Iterable<string>): void {
    if (this.#hasEnded) return;
    for (const chunk of chunks) this.#waiting.push(chunk);
    this.#notify();
  }

  /** No more chunks; those that are waiting can still be read. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const undo of this.#undo.splice(0)) undo();
    this.#notify();
  }

  /** Ends the stream and drops what is waiting. */
  abort(): void {
    this.#waiting = [];
    this.#first = 0;
    this.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.abort();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<IteratorResult<string>> {
    for (;;) {
      const chunk = this.#waiting[this.#first];
      if (chunk !== undefined) {
        this.#first++;
        if (this.#first === this.#waiting.length || this.#first > 1024) {
          this.#waiting.splice(0, this.#first);
          this.#first = 0;
        }
        return { done: false, value: chunk };
      }
      if (this.#hasEnded) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
