/**
 * The objects that an informer shows, by namespace and name, with incremental indexes. Holds what it is given: freezing
 * and deciding what is shown happen before.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Select } from "../informer.ts";

type KeyFunction<T> = (object: T) => readonly string[];

interface Index<T> {
  readonly keys: KeyFunction<T>;
  readonly entries: Map<string, Set<T>>;
}

export class Store<T extends KubernetesObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onIndexError: (error: unknown) => void;
  #size = 0;

  constructor(onIndexError: (error: unknown) => void) {
    this.#onIndexError = onIndexError;
  }

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** Allocates nothing but its result. */
  list(namespace: string | undefined, matchLabels: Select["matchLabels"]): readonly T[] {
    const wanted = Object.entries(matchLabels ?? {});
    const found: T[] = [];
    for (const object of this.in(namespace)) {
      if (wanted.every(([label, value]) => object.metadata.labels?.[label] === value)) found.push(object);
    }
    return found;
  }

  /** The objects of one namespace, or of all; objects may be put and removed meanwhile. */
  *in(namespace: string | undefined): IterableIterator<T> {
    if (namespace !== undefined) yield* this.#namespaces.get(namespace)?.values() ?? [];
    else for (const objects of this.#namespaces.values()) yield* objects.values();
  }

  /** Stores `object` in the place of `previous`, which is what was there. */
  put(object: T, previous: T | undefined): void {
    const namespace = object.metadata.namespace ?? "";
    let objects = this.#namespaces.get(namespace);
    if (objects === undefined) {
      objects = new Map();
      this.#namespaces.set(namespace, objects);
    }
    objects.set(object.metadata.name, object);
    if (previous === undefined) this.#size++;
    for (const index of this.#indexes.values()) {
      if (previous !== undefined) unfile(index, previous);
      this.#file(index, object);
    }
  }

  remove(object: T): void {
    const namespace = object.metadata.namespace ?? "";
    const objects = this.#namespaces.get(namespace);
    if (objects?.delete(object.metadata.name) !== true) return;
    if (objects.size === 0) this.#namespaces.delete(namespace);
    this.#size--;
    for (const index of this.#indexes.values()) unfile(index, object);
  }

  addIndex(name: string, keys: KeyFunction<T>): void {
    const existing = this.#indexes.get(name);
    if (existing?.keys === keys) return;
    if (existing !== undefined)
      throw new Error(`cannot add index ${JSON.stringify(name)}: an index of that name with another function exists; choose another name`);
    const index: Index<T> = { keys, entries: new Map() };
    this.#indexes.set(name, index);
    for (const object of this.in(undefined)) this.#file(index, object);
  }

  byIndex(name: string, key: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      const known = [...this.#indexes.keys()].map((n) => JSON.stringify(n)).join(", ");
      throw new Error(`there is no index ${JSON.stringify(name)}: add it with addIndex() first (known: ${known === "" ? "none" : known})`);
    }
    return [...(index.entries.get(key) ?? [])];
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

/** Keys are computed anew rather than remembered: remembering them costs memory for every object and index. */
function unfile<T extends KubernetesObject>(index: Index<T>, object: T): void {
  let keys: readonly string[];
  try {
    keys = index.keys(object);
  } catch {
    return; // It threw when the object was filed, too, and was reported then.
  }
  for (const key of keys) {
    const entry = index.entries.get(key);
    entry?.delete(object);
    if (entry?.size === 0) index.entries.delete(key);
  }
}
