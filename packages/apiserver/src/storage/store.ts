/**
 * The store: objects by kind, one counter of revisions, and a bounded history of changes for watches and consistent pages.
 * Everything is synchronous, so a request sees and leaves a consistent state. The store knows neither HTTP nor schemas.
 * Stored objects are frozen, and never shared with those of a caller.
 */
import { freezeJson } from "../internal/json.ts";
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
}

export type ChangeListener = (change: Change) => void;

/** All collections and their common revision. */
export class Store {
  readonly #collections = new Map<string, Collection>();
  readonly #listeners = new Set<(id: string, change: Change) => void>();
  readonly #historyLimit: number;
  // The first object must not get revision 1, because clients send "1" for "does not exist yet".
  #revision = 1;
  /** Compacted revision, also for collections that do not exist yet. */
  #compacted = 0;

  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Returns the collection of an id (`plural.group`). It is empty when nothing was stored in it. */
  collection(id: string): Collection {
    const found = this.#collections.get(id);
    if (found !== undefined) return found;
    const made = new Collection(this.#historyLimit, this.#compacted, {
      current: () => this.#revision,
      advance: () => ++this.#revision,
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
    this.#compacted = this.#revision;
    for (const collection of this.#collections.values()) collection.compact();
  }
}

interface Revisions {
  current(): number;
  advance(): number;
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
  readonly #historyLimit: number;
  #history: Change[] = [];
  #compacted: number;
  #sorted: Entry[] | undefined;
  /** Representation of the last change, while the collection is too big to keep all texts. */
  #told: Representation | undefined;
  #snapshot: { readonly revision: number; readonly entries: readonly Entry[] } | undefined;

  constructor(historyLimit: number, compacted: number, revisions: Revisions) {
    this.#historyLimit = historyLimit;
    this.#compacted = compacted;
    this.#revisions = revisions;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Oldest revision that is still known. */
  get compactedRevision(): number {
    return this.#compacted;
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
    const last = this.#history.at(-1);
    if (revision >= (last?.revision ?? this.#compacted)) return this.all();
    if (this.#snapshot?.revision === revision) return this.#snapshot.entries;
    if (revision < this.#compacted) return undefined;
    const past = new Map(this.#entries);
    for (let i = this.#history.length - 1; i >= 0; i--) {
      const change = this.#history[i];
      if (change === undefined || change.revision <= revision) break;
      if (change.previous === undefined) past.delete(change.entry.key);
      else past.set(change.entry.key, change.previous);
    }
    const entries = [...past.values()].toSorted(byKey);
    this.#snapshot = { revision, entries };
    return entries;
  }

  /** Returns the changes after a revision, oldest first, or `undefined` when some of them are forgotten. */
  changesAfter(revision: number): readonly Change[] | undefined {
    if (revision < this.#compacted) return undefined;
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#history.slice(low);
  }

  /** Stores a new object. */
  create(draft: Draft): Entry {
    const entry = this.#commit(draft);
    this.#sorted = undefined;
    this.#entries.set(entry.key, entry);
    this.#publish({ type: "ADDED", revision: entry.revision, entry, previous: undefined });
    return entry;
  }

  /** Stores the next version of an object. */
  update(previous: Entry, draft: Draft): Entry {
    const entry = this.#commit(draft);
    this.#sorted = undefined;
    this.#entries.set(entry.key, entry);
    this.#publish({ type: "MODIFIED", revision: entry.revision, entry, previous });
    return entry;
  }

  /** Deletes an object and returns its last state with the revision of the deletion. */
  delete(previous: Entry): Entry {
    const entry = this.#commit({ ...previous.object, metadata: { ...previous.object.metadata } });
    this.#sorted = undefined;
    this.#entries.delete(entry.key);
    this.#publish({ type: "DELETED", revision: entry.revision, entry, previous });
    return entry;
  }

  /** Calls `listener` for each later change, in order, until the returned function is called. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  compact(): void {
    this.#history = [];
    this.#snapshot = undefined;
    this.#compacted = this.#revisions.current();
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

  #publish(change: Change): void {
    this.#history.push(change);
    // Dropped in blocks, because removing one element at a time would copy the array each time.
    if (this.#history.length > this.#historyLimit * 1.25) {
      const dropped = this.#history.splice(0, this.#history.length - this.#historyLimit);
      this.#compacted = dropped.at(-1)?.revision ?? this.#compacted;
    }
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
