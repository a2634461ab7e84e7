/**
 * The body of a watch: text that is produced now and read later. The number of waiting chunks is limited. A reader that is
 * too slow loses the stream, as with the real server, and must list or watch again.
 */

/** Takes a chunk. A promise: the reader accepts the next chunk when it resolves. */
export type Sink = (chunk: string) => Promise<void> | undefined;

/** Gives each chunk of a stream to `sink`, and resolves at the end of the stream. A queue does this without a promise for each chunk. */
export async function readInto(stream: AsyncIterable<string>, sink: Sink): Promise<void> {
  if (stream instanceof EventQueue) return await stream.readInto(sink);
  for await (const chunk of stream) {
    const busy = sink(chunk);
    if (busy !== undefined) await busy;
  }
}

export class EventQueue implements AsyncIterable<string> {
  readonly #limit: number;
  readonly #undo: (() => void)[] = [];
  #waiting: string[] = [];
  #first = 0;
  #hasEnded = false;
  #wake: (() => void) | undefined;
  /** Number of chunks that readers took, of all queues of a kind. */
  readonly #taken: { value: number };

  /** Creates a queue for at most `limit` chunks. Each chunk that its reader takes increases `taken`. */
  constructor(limit: number, taken: { value: number } = { value: 0 }) {
    this.#limit = limit;
    this.#taken = taken;
  }

  /** Calls `undo` once when the stream ends, or at once when it has ended. */
  onEnd(undo: () => void): void {
    if (this.#hasEnded) undo();
    else this.#undo.push(undo);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Adds a chunk. Above the limit it ends the stream and drops the waiting chunks. */
  push(chunk: string): void {
    if (this.#hasEnded) return;
    if (this.#waiting.length - this.#first >= this.#limit) {
      this.abort();
      return;
    }
    this.#waiting.push(chunk);
    this.#notify();
  }

  /** Adds any number of chunks: a watch can begin with all existing objects. */
  pushAll(chunks: Iterable<string>): void {
    if (this.#hasEnded) return;
    for (const chunk of chunks) this.#waiting.push(chunk);
    this.#notify();
  }

  /** Ends the stream after the waiting chunks. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const undo of this.#undo.splice(0)) undo();
    this.#notify();
  }

  /** Ends the stream and drops the waiting chunks. */
  abort(): void {
    this.#waiting = [];
    this.#first = 0;
    this.end();
  }

  /** Gives each chunk to `sink` as soon as it is pushed, and resolves at the end. Rejects, and ends the stream, when `sink` fails. */
  readInto(sink: Sink): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        this.abort();
        reject(error);
      };
      const flush = (): void => {
        try {
          for (let chunk = this.#take(); chunk !== undefined; chunk = this.#take()) {
            const busy = sink(chunk);
            if (busy !== undefined) return void busy.then(flush).catch(fail);
          }
        } catch (error) {
          return fail(error);
        }
        if (this.#hasEnded) resolve();
        else this.#wake = flush;
      };
      flush();
    });
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
      const chunk = this.#take();
      if (chunk !== undefined) return { done: false, value: chunk };
      if (this.#hasEnded) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(): string | undefined {
    const chunk = this.#waiting[this.#first];
    if (chunk === undefined) return undefined;
    this.#taken.value++;
    this.#first++;
    if (this.#first === this.#waiting.length || this.#first > 1024) {
      this.#waiting.splice(0, this.#first);
      this.#first = 0;
    }
    return chunk;
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
