/** Lines of a stream of text, to be waited for as long as somebody likes: what comes later is not lost. */
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

  /** The next line, its end included; undefined at the end. */
  async next(): Promise<string | undefined> {
    this.#pending ??= this.#read();
    const pending = this.#pending;
    const line = await pending;
    if (this.#pending === pending) this.#pending = undefined;
    return line;
  }

  /** The same, or undefined where none came in time: it is the next one then. */
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
        // Half an event: the reader is to see that it is one.
        return rest === "" ? undefined : rest;
      }
      // Mostly one event comes alone.
      if (this.#rest === "" && value.length > 1 && value.indexOf("\n") === value.length - 1) return value;
      const pieces = (this.#rest + value).split(/(?<=\n)/);
      this.#rest = pieces.at(-1)?.endsWith("\n") === true ? "" : (pieces.pop() ?? "");
      this.#ready = pieces.filter((piece) => piece.trim() !== "");
    }
  }
}
