/** A gate in front of a watch, which holds back all lines, or one event until the next event of its object. */
import { Lines } from "../faults/lines.ts";
import { turn } from "../internal/turns.ts";

/** An event of a watch. */
export interface WatchedEvent {
  readonly type: string;
  readonly key: string;
  readonly line: string;
  /** Number of the change in its watch, from 1; undefined for the initial list and for bookmarks. */
  readonly number: number | undefined;
  /** Whether the event belongs to the initial list, including the bookmark at its end. */
  readonly isInitial: boolean;
}

/** The decisions of a run about the events of a watch. */
export interface GateKeeper {
  /** Whether the process was killed, so that it gets no more events. */
  readonly isDead: boolean;
  /** Number of turns of the event loop before the next line is delivered; the seed decides. */
  turns(): number;
  /** Counts a change of this watch. Returns its number. */
  count(): number;
  /** Whether a fault withholds this event. */
  isSkipped(number: number): boolean;
  /** Resolves when all watches go on; undefined if they do. Without an event it is about the end of the watch. */
  thawed(event: WatchedEvent | undefined): Promise<void> | undefined;
  /** Called when an event is withheld. The returned promise resolves if it must be delivered before another event replaces it. */
  hold(event: WatchedEvent): Promise<void>;
  /** Called when another event replaces the withheld one. */
  replaced(event: WatchedEvent, by: WatchedEvent): void;
  /** Called before the delivery of an event. */
  delivered(event: WatchedEvent): void;
}

/** Returns an event as journals name it. */
export function described(watch: string, { number, type, key }: WatchedEvent): string {
  return `${watch}#${number} (${type} ${key})`;
}

/** Puts a gate in front of a watch. @param hasInitialEvents the stream begins with a list, which a bookmark ends */
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

  /** Withholds an event, and collects the lines up to the event that replaces it, or up to the end of the watch. */
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

/** Merges two events of an object as a list after both would show them. */
function merge(first: WatchedEvent, second: WatchedEvent): WatchedEvent {
  if (second.type === "DELETED") return second;
  const type = first.type === "ADDED" ? "ADDED" : first.type === "DELETED" ? "MODIFIED" : second.type;
  return { ...second, type, line: `${JSON.stringify({ ...(JSON.parse(second.line) as object), type })}\n` };
}
