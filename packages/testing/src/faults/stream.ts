/** The lines of a watch under its faults: frozen, twice, out of order, slow, cut. */
import { sleep } from "@treadle/apimachinery";
import type { RecordedRequest } from "../requests.ts";
import { connectionReset, failure } from "./answers.ts";
import type { FaultSet, OpenWatch, WatchEnd } from "./faults.ts";
import { Lines } from "./lines.ts";

type Target = Omit<RecordedRequest, "status">;

/** The lines of `source`, one in each chunk. Whoever leaves closes the source. */
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
  /** What is to come before anything else. */
  readonly #next: string[] = [];
  /** What is left of a slow event, and how long each piece of it takes. */
  #pieces: string[] = [];
  #pauseMs = 0;
  /** What is left to say since it was cut; undefined while it was not. */
  #last: string[] | undefined;

  constructor(lines: Lines, faults: FaultSet, target: Target) {
    this.#lines = lines;
    this.#faults = faults;
    this.#watch = {
      target,
      cut: (how) => {
        this.#cut.resolve(how);
        // Who hears nothing does not hear of the end either: it stays open until the reader goes.
        if (how !== "silence") void this.close();
      },
    };
    this.#forget = faults.opened(this.#watch);
  }

  async next(): Promise<IteratorResult<string>> {
    const read = this.#last === undefined ? this.#read() : undefined;
    read?.catch(() => undefined); // Of no interest once it is cut.
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

  /** Rejects when the reader has gone, as far as the source knows of it. */
  async #silence(): Promise<never> {
    while ((await this.#lines.next()) !== undefined);
    return await new Promise<never>(() => {});
  }

  async #read(): Promise<IteratorResult<string>> {
    const line = (await this.#slowPiece()) ?? this.#next.shift() ?? (await this.#struck());
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

  async #struck(): Promise<string | undefined> {
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

  /** Its first piece, later; the others are next, each as late. */
  async #slowly(line: string, ms: number): Promise<string> {
    const size = Math.ceil(line.length / PIECES);
    const [first = "", ...rest] = line.match(new RegExp(`.{1,${size}}`, "gs")) ?? [];
    this.#pieces = rest;
    this.#pauseMs = ms / PIECES;
    await sleep(this.#faults.clock, this.#pauseMs);
    return first;
  }
}

/** What a watch still says before its end, where it ends in good order. */
const LAST_WORDS: Readonly<Record<Exclude<WatchEnd, "reset" | "silence">, string[]>> = {
  end: [],
  truncate: ['{"type":"MODIFIED","object":{"apiVersion":"v1","metad'],
  gone: [`{"type":"ERROR","object":${failure(410, "Expired", "too old resource version (injected)").body}}\n`],
};

/** Into how many pieces a slow event falls. */
const PIECES = 10;

/** An event as rules see it: the watch, with the name and namespace of the object; undefined for what is no event of an object. */
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
