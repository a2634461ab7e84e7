/** What may be said of a handler and of its watches. */
import type { CachedAsMetadata, Kind, KubernetesObject, MetadataOf, ObjectOf, Ref } from "@treadle/apimachinery";
import type { Cache } from "./req.ts";

/** Options of `handler()`. */
export interface HandlerOptions {
  /** At most 63 characters: the limit of a finalizer's name part. @defaultValue `<plural>.<group>`, shortened with a hash where longer */
  readonly name?: string;
  /**
   * The names that the handler had before. What carries them counts as ours, and gets the present one: finalizers in one patch, labels
   * and fields of its objects, the annotation of step state; a lease that is named after the handler is held beside the new one.
   */
  readonly formerNames?: readonly string[];
  /** Other operators of the kind in whose place this handler comes; see docs/operations.md, "Taking over". */
  readonly takesOver?: readonly Predecessor[];
  /** The deadlines of a pass and its parts. */
  readonly deadlines?: Deadlines;
}

/** What another operator has left on the objects. */
export interface Predecessor {
  /** Count as ours: replaced by our own in one patch, never a moment without one; where it deletes, our cleanups run. */
  readonly finalizers?: readonly string[];
  /**
   * The names under which it wrote, by apply or by update (programs in Go without one of their own: `manager`). The
   * fields that they own of our objects become ours, so that what is wanted no more is removed; conditions that they wrote and
   * no step declares are dropped.
   */
  readonly fieldManagers?: readonly string[];
  /** The Lease of its leader election, in the namespace of our own: held, too, before this one works. */
  readonly lease?: string;
}

/** Milliseconds; all reach the step through `req.signal`. */
export interface Deadlines {
  /** Each phase of a step without `timeoutMs` of its own. @defaultValue 30_000 */
  readonly stepMs?: number;
  /** Everything before the posts. @defaultValue 120_000 */
  readonly passMs?: number;
  /** Posts and save together: an expired pass still gets its status stored. @defaultValue 10_000 */
  readonly saveMs?: number;
}

/**
 * Whom a change of a watched object concerns: by a function of it, by what the primaries name, by one of its labels, or by
 * its owners.
 * With `metadata: true` only metadata is watched, and given.
 */
export type HandlerWatchOptions<K extends Kind, T extends KubernetesObject = KubernetesObject> =
  | WatchByMap<K>
  | WatchByMapOfMetadata<K>
  | WatchByRefs<T>
  | WatchByLabel
  | WatchByOwner;

/** A watch that maps each object to the primaries that it concerns. */
export interface WatchByMap<K extends Kind> {
  /** Absent or false: `map` gets whole objects. */
  readonly metadata?: false;
  /**
   * The primaries that a change of `object` concerns; asked with the state before and after it. Must be pure. A reference
   * without a namespace means that of `object`.
   */
  map(object: WatchedOf<K>, cache: Cache): Iterable<Ref>;
}

/** A watch that maps the metadata of each object to the primaries that it concerns. */
export interface WatchByMapOfMetadata<K extends Kind> {
  /** Watches the metadata of the objects only. */
  readonly metadata: true;
  /** As in {@link WatchByMap}. */
  map(object: MetadataOf<K>, cache: Cache): Iterable<Ref>;
}

/** A watch of the objects that a primary refers to. */
export interface WatchByRefs<T extends KubernetesObject> {
  /** Whether the metadata is watched only. @defaultValue false */
  readonly metadata?: boolean;
  /** The objects that a primary names, in its own namespace unless told otherwise: a change of one wakes it. Must be pure. */
  refs(primary: T): Iterable<string | Ref>;
}

/** A watch of objects that name their primary by a label. */
export interface WatchByLabel {
  /** Whether the metadata is watched only. @defaultValue false */
  readonly metadata?: boolean;
  /** The key of a label of the watched object whose value is the name of a primary in the same namespace. */
  readonly label: string;
}

/** A watch of objects that name their primary as an owner. */
export interface WatchByOwner {
  /** Whether the metadata is watched only. @defaultValue false */
  readonly metadata?: boolean;
  /** Wakes the primaries among its owner references, controller or not; by kind, name and uid. For what steps make there is `owns`. */
  readonly owner: true;
}

/** What a watch is given of an object of kind `K`. */
export type WatchedOf<K> = K extends CachedAsMetadata ? MetadataOf<K> : ObjectOf<K>;
