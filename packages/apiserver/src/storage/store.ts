/**
 * The store: objects by kind, one counter of revisions, and a bounded history of changes for watches and consistent pages.
 * Everything is synchronous, so a request sees and leaves a consistent state. The store knows neither HTTP nor schemas.
 * Stored objects are frozen, and never shared with those of a caller.
 */
import type { Clock } from "@treadle/apimachinery";
import { freezeJson } from "../internal/json.ts";
import { History, type HistoryOptions } from "./history.ts";
import type { Draft, StoredObject } from "./stored-object.ts";
import { Representation } from "./representation.ts";

/** One version of one object. */
export interface Entry {
  readonly key: string;
  readonly namespace: string;
  readonly revision: number;
  readonly object: StoredObject;
  /** Representation of the object, made once for all readers. */
  readonly representation: Representation;
}

/** A change of one object. The entry of a deletion has the last state with the revision of the deletion. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** Time of the change, in milliseconds of the clock. */
  readonly timeMs: number;
}

export type ChangeListener = (change: Change) => void;

/** All collections and their common revision. */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<(id: string, change: Change) => void>();
  readonly #clock: Clock;
  readonly #history: HistoryOptions;
  // The first object must not get revision 1, because clients send "1" for "does not exist yet".
  #revision = 1;
  /** Oldest revisions of lists and watches, for collections that do not exist yet. */
  #listFloor = 0;
  #watchFloor = 0;

  constructor(clock: Clock, history: HistoryOptions) {
    this.#clock = clock;
    this.#history = history;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Returns the collection of an id (`plural.group`). It is empty when nothing was stored in it. */
  collection(id: string): Collection {
    const found = this.#collections.get(id);
    if (found !== undefined) return found;
    const isCached = !UNCACHED.has(id);
    const floors = { list: this.#listFloor, watch: isCached ? this.#watchFloor : this.#listFloor };
    const made = new Collection(new History(this.#history, isCached, floors), {
      current: () => this.#revision,
      advance: () => ++this.#revision,
      now: () => this.#clock.now(),
    });
    this.#collections.set(id, made);
    made.listen((change) => {
      for (const listener of this.#listeners) listener(id, change);
    });
    return made;
  }

  /**
   * Calls `listener` for each later change of any collection, after the earlier listeners of the collection, until the
   * returned function is called.
   */
  listen(listener: (id: string, change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  collections(): IterableIterator<Collection> {
    return this.#collections.values();
  }

  /** Forgets the history. Older watches and pages expire. */
  compact(): void {
    this.#listFloor = this.#revision;
    this.#watchFloor = this.#revision;
    for (const collection of this.#collections.values()) collection.compact();
  }

  /** Forgets the versions before a revision, as a compaction of etcd does. */
  compactTo(revision: number): void {
    this.#listFloor = Math.max(this.#listFloor, revision);
    for (const collection of this.#collections.values()) collection.compactTo(revision);
  }
}

/** Kinds without a watch cache on a real server. */
const UNCACHED: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);

interface Revisions {
  current(): number;
  advance(): number;
  /** Returns the time, in milliseconds. */
  now(): number;
}

/**
 * Maximum number of objects of a kind whose texts are kept. The texts of more objects would take as much memory as the
 * objects, and few tests read so many objects repeatedly.
 */
const MAX_WITH_TEXTS = 20_000;

/** The objects of one kind. Keys are `namespace/name` or `name`. Reads are in the order of keys, as with etcd. */
export class Collection {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<ChangeListener>();
  readonly #revisions: Revisions;
  readonly #history: History<Change>;
  #sorted: Entry[] | undefined;
  /** Representation of the last change, while the collection is too big to keep all texts. */
  #told: Representation | undefined;
  #snapshot: { readonly revision: number; readonly entries: readonly Entry[] } | undefined;

  constructor(history: History<Change>, revisions: Revisions) {
    this.#history = history;
    this.#revisions = revisions;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Changes that watches and lists of older versions can use. */
  get history(): Pick<History<Change>, "changesAfter" | "watchFloor" | "isCached" | "size"> {
    return this.#history;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Returns all objects in the order of their keys. */
  all(): readonly Entry[] {
    this.#sorted ??= [...this.#entries.values()].toSorted(byKey);
    return this.#sorted;
  }

  /** Returns the objects at a revision, or `undefined` when it is forgotten. */
  at(revision: number): readonly Entry[] | undefined {
    if (revision < this.#history.listFloor) return undefined;
    if (revision >= (this.#history.newest ?? 0)) return this.all();
    if (this.#snapshot?.revision === revision) return this.#snapshot.entries;
    const past = new Map(this.#entries);
    for (const { entry, previous } of this.#history.undone(revision)) {
      if (previous === undefined) past.delete(entry.key);
      else past.set(entry.key, previous);
    }
    const entries = [...past.values()].toSorted(byKey);
    this.#snapshot = { revision, entries };
    return entries;
  }

  /** Stores a new object. */
  create(draft: Draft): Entry {
    const entry = this.#commit(draft);
    this.#sorted = undefined;
    this.#entries.set(entry.key, entry);
    this.#publish("ADDED", entry, undefined);
    return entry;
  }

  /** Stores the next version of an object. */
  update(previous: Entry, draft: Draft): Entry {
    const entry = this.#commit(draft);
    this.#sorted = undefined;
    this.#entries.set(entry.key, entry);
    this.#publish("MODIFIED", entry, previous);
    return entry;
  }

  /** Deletes an object and returns its last state with the revision of the deletion. */
  delete(previous: Entry): Entry {
    const entry = this.#commit({ ...previous.object, metadata: { ...previous.object.metadata } });
    this.#sorted = undefined;
    this.#entries.delete(entry.key);
    this.#publish("DELETED", entry, previous);
    return entry;
  }

  /** Calls `listener` for each later change, in order, until the returned function is called. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets the history. */
  compact(): void {
    this.#history.forget(this.#revisions.current());
    this.#snapshot = undefined;
  }

  /** Forgets the versions before a revision. Watches keep what a watch cache has. */
  compactTo(revision: number): void {
    this.#history.compactTo(revision);
    if (this.#snapshot !== undefined && this.#snapshot.revision < revision) this.#snapshot = undefined;
  }

  /** Lets no watch begin before the current revision. Lists of older versions stay possible. */
  expireWatches(): void {
    this.#history.expireWatches(this.#revisions.current());
  }

  #commit(draft: Draft): Entry {
    const { name, namespace = "" } = draft.metadata;
    // Frozen before the counter moves: a value too deep to freeze must not use a revision.
    draft.metadata["resourceVersion"] = String(this.#revisions.current() + 1);
    // The server has set all fields of StoredMeta before.
    const object = freezeJson(draft) as unknown as StoredObject;
    const representation = new Representation(object);
    return { key: keyFor(namespace, name), namespace, revision: this.#revisions.advance(), object, representation };
  }

  #publish(type: Change["type"], entry: Entry, previous: Entry | undefined): void {
    const change = { type, revision: entry.revision, entry, previous, timeMs: this.#revisions.now() };
    this.#history.push(change);
    // All listeners of a change share its texts.
    this.#told?.release();
    this.#told = this.#entries.size > MAX_WITH_TEXTS ? change.entry.representation : undefined;
    for (const listener of this.#listeners) listener(change);
  }
}

/** Returns the key of an object in its collection. */
export function keyFor(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

function byKey(a: Entry, b: Entry): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}
