/** Reads from local copies of objects, as informers keep them. Types only: the implementations are in other packages. */
import type { Kind, ObjectOf } from "./kind.ts";
import type { Ref } from "./objects.ts";

/** Which objects a list from a cache returns: every given criterion must match. */
export interface CacheListOptions {
  /** The namespace of the objects. @defaultValue all namespaces that the cache covers */
  readonly namespace?: string;
  /** Labels that the objects have, with these values. */
  readonly matchLabels?: Readonly<Record<string, string>>;
}

/** Reads objects from a local cache. Objects are frozen and shared; a read never sends a request. */
export interface Cache {
  /**
   * Returns the object, or `undefined` when the cache has none of this name.
   * @throws when the cache does not hold the kind, or does not cover the namespace
   */
  get<K extends Kind>(kind: K, ref: Ref): ObjectOf<K> | undefined;
  /**
   * Returns the objects that match.
   * @throws when the cache does not hold the kind, or does not cover the namespace
   */
  list<K extends Kind>(kind: K, options?: CacheListOptions): readonly ObjectOf<K>[];
}
