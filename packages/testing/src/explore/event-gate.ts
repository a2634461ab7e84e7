/** The lines of a watch, which may be held back: all of them, or one event until the next one of its object. */
import { Lines } from "../faults/lines.ts";
import { turn } from "../internal/turns.ts";

export interface WatchedEvent {
  readonly type: string;
  readonly key: string;
  readonly line: string;
  /** Undefined for what belongs to the first list, and for bookmarks. */
  readonly number: number | undefined;
  /** Part of the list that a watch begins with, the bookmark that ends it included. */
  readonly isInitial: boolean;
}

/** What a gate asks of the run that it is part of. */
export interface GateKeeper {
  /** Nobody hears of anything any more. */
  readonly isDead: boolean;
  /** After how many turns of the event loop the next line is told: the order of things is the seed's. */
  turns(): number;
  /** The number of a change that arrived on this watch. */
  count(): number;
  /** Whether this event is the one that is never to be seen. */
  isSkipped(number: number): boolean;
  /** Resolves when nothing holds the event back any more (or, without one, the end of the watch). */
  thawed(event: WatchedEvent | undefined): Promise<void> | undefined;
  /** An event is withheld until another replaces it (the promise is to be given up then), or until the returned promise says that none will. */
  hold(event: WatchedEvent): Promise<void>;
  replaced(event: WatchedEvent, by: WatchedEvent): void;
  delivered(event: WatchedEvent): void;
}

/** @param hasInitialEvents the stream begins with a list, up to the bookmark that ends it */
export function gated(source: AsyncIterable<string>, keeper: GateKeeper, hasInitialEvents: boolean): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const gate = new EventGate(new Lines(source), keeper, hasInitialEvents);
      return { next: () => gate.next(), return: () => gate.close() };
    },
  };
}

class EventGate {
  readonly #lines: Lines;
  readonly #keeper: GateKeeper;
  #isInitial: boolean;
  #ready: WatchedEvent[] = [];

  constructor(lines: Lines, keeper: GateKeeper, isInitial: boolean) {
    this.#lines = lines;
    this.#keeper = keeper;
    this.#isInitial = isInitial;
  }

  async next(): Promise<IteratorResult<string>> {
    const event = this.#ready.shift() ?? (await this.#arriving());
    for (let turns = this.#keeper.turns(); turns > 0; turns--) await turn();
    for (let thawed = this.#keeper.thawed(event); thawed !== undefined; thawed = this.#keeper.thawed(event)) await thawed;
    if (event === undefined) return { done: true, value: undefined };
    this.#keeper.delivered(event);
    return { done: false, value: event.line };
  }

  async close(): Promise<IteratorResult<string>> {
    await this.#lines.close();
    return { done: true, value: undefined };
  }

  async #arriving(): Promise<WatchedEvent | undefined> {
    for (;;) {
      const event = await this.#read();
      if (event?.number === undefined || !this.#keeper.isSkipped(event.number)) return event;
      await this.#withhold(event);
      const first = this.#ready.shift();
      if (first !== undefined) return first;
    }
  }

  /** Fills what is ready: with what came up to the event that replaces this one, or with all if none does. */
  async #withhold(event: WatchedEvent): Promise<void> {
    const released = this.#keeper.hold(event).then(() => "released" as const);
    const later: WatchedEvent[] = [];
    for (;;) {
      const next = await Promise.race([this.#lines.arrived().then(() => "arrived" as const), released]);
      if (next === "released") {
        this.#ready = [event, ...later];
        return;
      }
      const one = await this.#read();
      if (one === undefined) {
        this.#ready = [event, ...later];
        return;
      }
      if (one.key !== event.key || one.number === undefined) {
        later.push(one);
        continue;
      }
      this.#keeper.replaced(event, one);
      this.#ready = [...later, merge(event, one)];
      return;
    }
  }

  async #read(): Promise<WatchedEvent | undefined> {
    const line = await this.#lines.next();
    if (this.#keeper.isDead) return await new Promise<never>(() => undefined);
    if (line === undefined) return undefined;
    const { type, object } = JSON.parse(line) as ParsedEvent;
    const { name = "", namespace, annotations } = object.metadata ?? {};
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const isInitial = this.#isInitial;
    const isChange = type !== "BOOKMARK" && type !== "ERROR" && !isInitial;
    if (type === "BOOKMARK" && annotations?.["k8s.io/initial-events-end"] === "true") this.#isInitial = false;
    return { type, key, line, number: isChange ? this.#keeper.count() : undefined, isInitial };
  }
}

interface ParsedEvent {
  readonly type: string;
  readonly object: {
    readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly annotations?: Readonly<Record<string, string>> };
  };
}

/** What a list would tell that came after both. Of an object that came and went that it is absent: to whom it was never there that is no news. */
function merge(first: WatchedEvent, second: WatchedEvent): WatchedEvent {
  if (second.type === "DELETED") return second;
  const type = first.type === "ADDED" ? "ADDED" : first.type === "DELETED" ? "MODIFIED" : second.type;
  return { ...second, type, line: `${JSON.stringify({ ...(JSON.parse(second.line) as object), type })}\n` };
}
