/** The lines of a text stream, with waits that may time out without losing a line. */
import type { Clock } from "@treadle/apimachinery";

export class Lines {
  readonly #source: AsyncIterator<string>;
  #ready: string[] = [];
  #rest = "";
  #pending: Promise<string | undefined> | undefined;
  #hasEnded = false;

  constructor(source: AsyncIterable<string>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns the next line with its line end; undefined at the end of the stream. */
  async next(): Promise<string | undefined> {
    this.#pending ??= this.#read();
    const pending = this.#pending;
    const line = await pending;
    if (this.#pending === pending) this.#pending = undefined;
    return line;
  }

  /** Returns the next line, or undefined after a timeout; then the line remains the next one. */
  async nextWithin(clock: Clock, ms: number): Promise<string | undefined> {
    const pending = (this.#pending ??= this.#read());
    const late = Symbol("late");
    const { promise, resolve } = Promise.withResolvers<typeof late>();
    const timer = clock.after(ms, () => resolve(late));
    const first = await Promise.race([pending, promise]);
    timer.cancel();
    if (first === late) return undefined;
    this.#pending = undefined;
    return first;
  }

  /** Waits for the next line without taking it. */
  async arrived(): Promise<void> {
    await (this.#pending ??= this.#read());
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    await this.#source.return?.();
  }

  async #read(): Promise<string | undefined> {
    for (;;) {
      const line = this.#ready.shift();
      if (line !== undefined) return line;
      if (this.#hasEnded) return undefined;
      const { done, value } = await this.#source.next();
      if (done === true) {
        this.#hasEnded = true;
        const rest = this.#rest;
        this.#rest = "";
        // The reader must get the half event at the end of a truncated stream.
        return rest === "" ? undefined : rest;
      }
      // A chunk usually has a single event.
      if (this.#rest === "" && value.length > 1 && value.indexOf("\n") === value.length - 1) return value;
      const pieces = (this.#rest + value).split(/(?<=\n)/);
      this.#rest = pieces.at(-1)?.endsWith("\n") === true ? "" : (pieces.pop() ?? "");
      this.#ready = pieces.filter((piece) => piece.trim() !== "");
    }
  }
}
