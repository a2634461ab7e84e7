/** The lines of a watch under its faults: frozen, twice, out of order, cut. */
import type { RecordedRequest } from "../requests.ts";
import { connectionReset } from "./answers.ts";
import type { FaultSet, OpenWatch } from "./faults.ts";
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
  readonly #cut = Promise.withResolvers<never>();
  /** What is to come before anything else. */
  readonly #next: string[] = [];

  constructor(lines: Lines, faults: FaultSet, target: Target) {
    this.#lines = lines;
    this.#faults = faults;
    this.#cut.promise.catch(() => undefined); // Nobody may be reading.
    this.#watch = {
      target,
      cut: () => {
        this.#cut.reject(connectionReset("injected, in the middle of a watch"));
        void this.close();
      },
    };
    this.#forget = faults.opened(this.#watch);
  }

  async next(): Promise<IteratorResult<string>> {
    return await Promise.race([this.#read(), this.#cut.promise]);
  }

  async close(): Promise<IteratorResult<string>> {
    this.#forget();
    await this.#lines.close();
    return { done: true, value: undefined };
  }

  async #read(): Promise<IteratorResult<string>> {
    const line = this.#next.shift() ?? (await this.#struck());
    while (this.#faults.isFrozen(this.#watch)) await this.#faults.changed();
    if (line !== undefined) return { done: false, value: line };
    this.#forget();
    return { done: true, value: undefined };
  }

  async #struck(): Promise<string | undefined> {
    const line = await this.#lines.next();
    if (line === undefined || this.#faults.isEmpty) return line;
    const target = eventTarget(line, this.#watch.target);
    const fault = target === undefined ? undefined : this.#faults.onEvent(target);
    if (fault?.type === "duplicateEvents") this.#next.push(line);
    if (fault?.type !== "reorderEvents") return line;
    const later = await this.#lines.nextWithin(this.#faults.clock, fault.ms ?? 1_000);
    if (later === undefined) return line;
    this.#next.push(line);
    return later;
  }
}

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
