/** The stream of a watch with faults: frozen, duplicated, reordered, slow or cut. */
import { sleep } from "@treadle/apimachinery";
import type { RecordedRequest } from "../requests.ts";
import { connectionReset, failure } from "./answers.ts";
import type { FaultSet, OpenWatch, WatchEnd } from "./faults.ts";
import { Lines } from "./lines.ts";

type Target = Omit<RecordedRequest, "status">;

/** Applies faults to the lines of `source`, one line in each chunk. The return of the iterator closes the source. */
export function faultyStream(source: AsyncIterable<string>, faults: FaultSet, target: Target): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const stream = new FaultyStream(new Lines(source), faults, target);
      return { next: () => stream.next(), return: () => stream.close() };
    },
  };
}

class FaultyStream {
  readonly #lines: Lines;
  readonly #faults: FaultSet;
  readonly #watch: OpenWatch;
  readonly #forget: () => void;
  readonly #cut = Promise.withResolvers<WatchEnd>();
  /** Lines to deliver first. */
  readonly #next: string[] = [];
  /** The remaining pieces of a slow event, and the pause before each. */
  #pieces: string[] = [];
  #pauseMs = 0;
  /** The lines to deliver after the watch was cut; undefined before. */
  #last: string[] | undefined;

  constructor(lines: Lines, faults: FaultSet, target: Target) {
    this.#lines = lines;
    this.#faults = faults;
    this.#watch = {
      target,
      cut: (how) => {
        this.#cut.resolve(how);
        // A silent watch does not end; it stays open until the reader closes it.
        if (how !== "silence") void this.close();
      },
    };
    this.#forget = faults.opened(this.#watch);
  }

  async next(): Promise<IteratorResult<string>> {
    const read = this.#last === undefined ? this.#read() : undefined;
    read?.catch(() => undefined); // After a cut the result is not used.
    const first = await Promise.race([this.#cut.promise, ...(read === undefined ? [] : [read])]);
    return typeof first === "string" ? await this.#afterCut(first) : first;
  }

  async close(): Promise<IteratorResult<string>> {
    this.#forget();
    await this.#lines.close();
    return { done: true, value: undefined };
  }

  async #afterCut(how: WatchEnd): Promise<IteratorResult<string>> {
    if (how === "reset") throw connectionReset("injected, in the middle of a watch");
    if (how === "silence") return await this.#silence();
    this.#last ??= LAST_WORDS[how];
    const [line, ...rest] = this.#last;
    this.#last = rest;
    return line === undefined ? { done: true, value: undefined } : { done: false, value: line };
  }

  /** Rejects when the source reports that the reader has closed the watch. */
  async #silence(): Promise<never> {
    while ((await this.#lines.next()) !== undefined);
    return await new Promise<never>(() => {});
  }

  async #read(): Promise<IteratorResult<string>> {
    const line = (await this.#slowPiece()) ?? this.#next.shift() ?? (await this.#faulty());
    while (this.#faults.isFrozen(this.#watch)) await this.#faults.changed();
    if (line !== undefined) return { done: false, value: line };
    this.#forget();
    return { done: true, value: undefined };
  }

  async #slowPiece(): Promise<string | undefined> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) await sleep(this.#faults.clock, this.#pauseMs);
    return piece;
  }

  async #faulty(): Promise<string | undefined> {
    const line = await this.#lines.next();
    if (line === undefined || this.#faults.isEmpty) return line;
    const target = eventTarget(line, this.#watch.target);
    const fault = target === undefined ? undefined : this.#faults.onEvent(target);
    if (fault?.type === "duplicateEvents") this.#next.push(line);
    if (fault?.type === "slowEvents") return await this.#slowly(line, fault.ms ?? 1_000);
    if (fault?.type !== "reorderEvents") return line;
    const later = await this.#lines.nextWithin(this.#faults.clock, fault.ms ?? 1_000);
    if (later === undefined) return line;
    this.#next.push(line);
    return later;
  }

  /** Returns the first piece after a pause; the other pieces follow, each after a pause. */
  async #slowly(line: string, ms: number): Promise<string> {
    const size = Math.ceil(line.length / PIECES);
    const [first = "", ...rest] = line.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
    this.#pieces = rest;
    this.#pauseMs = ms / PIECES;
    await sleep(this.#faults.clock, this.#pauseMs);
    return first;
  }
}

/** The last lines of a watch that ends without a reset. */
const LAST_WORDS: Readonly<Record<Exclude<WatchEnd, "reset" | "silence">, string[]>> = {
  end: [],
  truncate: ['{"type":"MODIFIED","object":{"apiVersion":"v1","metad'],
  gone: [`{"type":"ERROR","object":${failure(410, "Expired", "too old resource version (injected)").body}}\n`],
};

/** Number of pieces of a slow event. */
const PIECES = 10;

/** Describes an event for the rules: the watch, with the name and namespace of the object. Undefined for a bookmark or an error. */
function eventTarget(line: string, target: Target): Target | undefined {
  try {
    const { type, object } = JSON.parse(line) as { readonly type?: string; readonly object?: { readonly metadata?: Partial<Target> } };
    if (type === "BOOKMARK" || type === "ERROR") return undefined;
    const { name, namespace } = object?.metadata ?? {};
    return { ...target, name, namespace };
  } catch {
    return undefined;
  }
}
