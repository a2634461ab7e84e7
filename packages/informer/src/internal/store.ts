/**
 * The objects that an informer shows, by namespace and name, with incremental indexes. The view decides what is shown, and
 * objects are frozen before they are stored.
 */
import type { CacheListOptions, KubernetesObject } from "@treadle/apimachinery";

type KeyFunction<T> = (object: T) => readonly string[];

interface Index<T> {
  readonly keys: KeyFunction<T>;
  readonly entries: Map<string, Set<T>>;
}

/** Operators select by a few labels. An operator that generates label keys must not fill the memory with indexes. */
const MAX_LABEL_INDEXES = 16;

/** The store of one informer. */
export class Store<T extends KubernetesObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #indexes = new Map<string, Index<T>>();
  /** Indexes by label key, each made when a list first selects by the label. */
  readonly #labels = new Map<string, Index<T>>();
  readonly #onIndexError: (error: unknown) => void;
  #size = 0;

  constructor(onIndexError: (error: unknown) => void) {
    this.#onIndexError = onIndexError;
  }

  /** Number of objects. */
  get size(): number {
    return this.#size;
  }

  /** Returns the object, if there is one. */
  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** Returns the objects with these labels. It scans only the objects that have the rarest of the labels. */
  list(namespace: string | undefined, matchLabels: CacheListOptions["matchLabels"]): readonly T[] {
    const wanted = Object.entries(matchLabels ?? {});
    const found: T[] = [];
    const labelled = this.#labelled(wanted);
    const within = namespace === undefined ? this.#size : (this.#namespaces.get(namespace)?.size ?? 0);
    const candidates = labelled !== undefined && labelled.size < within ? labelled : undefined;
    for (const object of candidates ?? this.in(namespace)) {
      if (candidates !== undefined && namespace !== undefined && (object.metadata.namespace ?? "") !== namespace) continue;
      if (wanted.every(([label, value]) => object.metadata.labels?.[label] === value)) found.push(object);
    }
    return found;
  }

  /** The smallest set that contains all objects with these labels; `undefined` when no label has an index. */
  #labelled(labels: readonly (readonly [key: string, value: string])[]): ReadonlySet<T> | undefined {
    let smallest: ReadonlySet<T> | undefined;
    for (const [key, value] of labels) {
      const index = this.#labelIndex(key);
      if (index === undefined) continue;
      const objects: ReadonlySet<T> = index.entries.get(value) ?? new Set();
      if (smallest === undefined || objects.size < smallest.size) smallest = objects;
    }
    return smallest;
  }

  #labelIndex(key: string): Index<T> | undefined {
    const existing = this.#labels.get(key);
    if (existing !== undefined || this.#labels.size >= MAX_LABEL_INDEXES) return existing;
    const index: Index<T> = {
      keys: ({ metadata }) => {
        const value = metadata.labels?.[key];
        return value === undefined ? [] : [value];
      },
      entries: new Map(),
    };
    this.#labels.set(key, index);
    for (const object of this.in(undefined)) this.#file(index, object);
    return index;
  }

  /** Iterates over the objects of one namespace, or of all. Objects may be stored and removed meanwhile. */
  *in(namespace: string | undefined): IterableIterator<T> {
    if (namespace !== undefined) yield* this.#namespaces.get(namespace)?.values() ?? [];
    else for (const objects of this.#namespaces.values()) yield* objects.values();
  }

  /** Stores `object` in place of `previous`, the object of this name in the store. */
  put(object: T, previous: T | undefined): void {
    const namespace = object.metadata.namespace ?? "";
    let objects = this.#namespaces.get(namespace);
    if (objects === undefined) {
      objects = new Map();
      this.#namespaces.set(namespace, objects);
    }
    objects.set(object.metadata.name, object);
    if (previous === undefined) this.#size++;
    for (const index of this.#all()) {
      if (previous !== undefined) unfile(index, previous);
      this.#file(index, object);
    }
  }

  /** Removes an object. */
  remove(object: T): void {
    const namespace = object.metadata.namespace ?? "";
    const objects = this.#namespaces.get(namespace);
    if (objects?.delete(object.metadata.name) !== true) return;
    if (objects.size === 0) this.#namespaces.delete(namespace);
    this.#size--;
    for (const index of this.#all()) unfile(index, object);
  }

  /** Adds an index; see Informer.addIndex. */
  addIndex(name: string, keys: KeyFunction<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.keys === keys) return;
    if (existing !== undefined)
      throw new Error(`cannot add index ${JSON.stringify(name)}: an index of that name with another function exists; choose another name`);
    const index: Index<T> = { keys, entries: new Map() };
    this.#indexes.set(name, index);
    for (const object of this.in(undefined)) this.#file(index, object);
  }

  /** Removes an index. */
  removeIndex(name: string): void {
    this.#indexes.delete(name);
  }

  /** Returns the objects that have `key` in the index. */
  byIndex(name: string, key: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      const known = [...this.#indexes.keys()].map((n) => JSON.stringify(n)).join(", ");
      throw new Error(`there is no index ${JSON.stringify(name)}: add it with addIndex() first (known: ${known === "" ? "none" : known})`);
    }
    return [...(index.entries.get(key) ?? [])];
  }

  *#all(): IterableIterator<Index<T>> {
    yield* this.#indexes.values();
    yield* this.#labels.values();
  }

  #file(index: Index<T>, object: T): void {
    let keys: readonly string[];
    try {
      keys = index.keys(object);
    } catch (error) {
      this.#onIndexError(error);
      return;
    }
    for (const key of keys) {
      const entry = index.entries.get(key);
      if (entry === undefined) index.entries.set(key, new Set([object]));
      else entry.add(object);
    }
  }
}

/** Removes an object from an index. The keys are computed again, because storing them costs memory for every object and index. */
function unfile<T extends KubernetesObject>(index: Index<T>, object: T): void {
  let keys: readonly string[];
  try {
    keys = index.keys(object);
  } catch {
    return; // The function also threw when the object was added, and that was reported.
  }
  for (const key of keys) {
    const entry = index.entries.get(key);
    entry?.delete(object);
    if (entry?.size === 0) index.entries.delete(key);
  }
}
