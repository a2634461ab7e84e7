/**
 * The queued keys: ready, delayed, or held back because their last work still runs. Each key is here at most once. The caller
 * gives the time, so this needs no clock.
 */
import type { QueueListeners } from "../options.ts";
import { Heap, type Placed } from "./heap.ts";
import { Ready, type ReadyKey } from "./ready.ts";

/** A key that is ready, delayed, or waits for its holder. */
export interface Entry extends ReadyKey, Placed {
  readonly key: string;
  /** Order of entries that are due at the same time. */
  readonly sequence: number;
  state: "ready" | "delayed" | "held";
  /** Time at which it becomes, or became, ready. */
  dueAt: number;
}

export interface PendingOptions {
  readonly groupOf: (key: string) => string;
  /** Whether the key is held by a worker. */
  readonly isRunning: (key: string) => boolean;
  readonly listeners: QueueListeners;
}

export class Pending {
  readonly #options: PendingOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #ready = new Ready<Entry>();
  readonly #delayed = new Heap<Entry>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.sequence < b.sequence));
  #held = 0;
  #sequence = 0;

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Number of entries that are due, held or not. */
  get due(): number {
    return this.#ready.size + this.#held;
  }

  get delayed(): number {
    return this.#delayed.size;
  }

  get nextDueAt(): number | undefined {
    return this.#delayed.first?.dueAt;
  }

  all(): Entry[] {
    return [...this.#entries.values()];
  }

  /** Inserts `key`. For a key that is here already, the earlier time and the higher priority win. */
  insert(key: string, at: { readonly dueAt: number; readonly priority: number | undefined; readonly now: number }): void {
    const { dueAt, priority, now } = at;
    const known = this.#entries.get(key);
    if (known === undefined) return this.#insertNew(key, { dueAt, priority: priority ?? 0, now });
    if (priority !== undefined && priority > known.priority) this.#raise(known, priority);
    if (known.state === "delayed" && dueAt < known.dueAt) this.#hasten(known, dueAt, now);
  }

  /** Removes and returns the next ready entry. */
  shift(now: number): Entry | undefined {
    this.collectDue(now);
    const entry = this.#ready.shift();
    if (entry === undefined) return undefined;
    this.#entries.delete(entry.key);
    this.#reportDepth(entry.priority);
    return entry;
  }

  /** Makes the entries ready that are due. */
  collectDue(now: number): void {
    for (let entry = this.#delayed.first; entry !== undefined && entry.dueAt <= now; entry = this.#delayed.first) {
      this.#delayed.remove(entry);
      this.#makeReady(entry);
    }
  }

  /** Reports that no worker holds `key`. */
  released(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== "held") return;
    this.#held--;
    this.#makeReady(entry);
  }

  /** Removes `key`, unless it waits for its holder. Returns false when nothing changed. */
  remove(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.state === "held") return false;
    this.#forget(entry);
    return true;
  }

  dropDelayed(): void {
    for (let entry = this.#delayed.first; entry !== undefined; entry = this.#delayed.first) this.#forget(entry);
  }

  dropAll(): void {
    for (const entry of this.#entries.values()) this.#forget(entry);
  }

  #insertNew(key: string, at: { readonly dueAt: number; readonly priority: number; readonly now: number }): void {
    const { dueAt, priority, now } = at;
    const entry: Entry = {
      key,
      group: this.#options.groupOf(key),
      priority,
      dueAt,
      sequence: this.#sequence++,
      state: "delayed",
      place: -1,
      next: undefined,
      previous: undefined,
    };
    this.#entries.set(key, entry);
    this.#options.listeners.onAdded?.(key, priority);
    if (dueAt > now) this.#delayed.push(entry);
    else this.#makeReady(entry);
  }

  /** Raises the priority. A ready key becomes the last one of its new priority. */
  #raise(entry: Entry, priority: number): void {
    if (entry.state === "ready") {
      this.#ready.remove(entry);
      this.#reportDepth(entry.priority);
      entry.priority = priority;
      this.#ready.push(entry);
      this.#reportDepth(priority);
    } else {
      entry.priority = priority;
    }
  }

  /** Sets an earlier time for a delayed key. */
  #hasten(entry: Entry, dueAt: number, now: number): void {
    entry.dueAt = dueAt;
    if (dueAt > now) {
      this.#delayed.update(entry);
    } else {
      this.#delayed.remove(entry);
      this.#makeReady(entry);
    }
  }

  /** Makes an entry ready, or held back while a worker holds its key. It must be in no collection but `#entries`. */
  #makeReady(entry: Entry): void {
    if (this.#options.isRunning(entry.key)) {
      entry.state = "held";
      this.#held++;
    } else {
      entry.state = "ready";
      this.#ready.push(entry);
      this.#reportDepth(entry.priority);
    }
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.key);
    if (entry.state === "delayed") this.#delayed.remove(entry);
    else if (entry.state === "held") this.#held--;
    else {
      this.#ready.remove(entry);
      this.#reportDepth(entry.priority);
    }
  }

  #reportDepth(priority: number): void {
    const { listeners } = this.#options;
    if (listeners.onDepth !== undefined) listeners.onDepth(priority, this.#ready.sizeAt(priority));
  }
}
