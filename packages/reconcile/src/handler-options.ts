/** The options of a handler and of its watches. */
import type { CachedAsMetadata, Kind, KubernetesObject, MetadataOf, ObjectOf, Ref } from "@treadle/apimachinery";
import type { Cache } from "./req.ts";

/** The options of `handler()`. */
export interface HandlerOptions {
  /** The name of the handler, at most 63 characters (the limit of a finalizer's name). @defaultValue `<plural>.<group>`, shortened with a hash if it is longer */
  readonly name?: string;
  /**
   * The former names of the handler. Objects with a mark of a former name are ours, and get the present name: finalizers (in one
   * patch), labels and fields of its objects, the annotation of step state. A lease with a former name is held next to the new one.
   */
  readonly formerNames?: readonly string[];
  /** The other operators of the kind that this handler replaces; see docs/operations.md, "Taking over". */
  readonly takesOver?: readonly Predecessor[];
  /** The deadlines of a pass and its parts. */
  readonly deadlines?: Deadlines;
}

/** A predecessor is another operator that this handler replaces, described by the marks that it left on the objects. */
export interface Predecessor {
  /** Its finalizers. One patch replaces each by our finalizer. If an object with it is deleted, our cleanups run. */
  readonly finalizers?: readonly string[];
  /**
   * Its field managers, for apply and for update (the default of programs in Go is `manager`). The fields that they own become
   * ours, so that fields which are no longer desired are removed. Conditions that they wrote and no step declares are dropped.
   */
  readonly fieldManagers?: readonly string[];
  /** The Lease of its leader election, in the namespace of our Lease. Our operator holds it as well before it works. */
  readonly lease?: string;
}

/** Deadlines limit the parts of a pass, in milliseconds. A step sees each of them as `req.signal`. */
export interface Deadlines {
  /** Maximum time of a phase of a step without `timeoutMs`, in milliseconds. @defaultValue 30_000 */
  readonly stepMs?: number;
  /** Maximum time of everything before the posts, in milliseconds. @defaultValue 120_000 */
  readonly passMs?: number;
  /** Maximum time of posts and save together, in milliseconds. An expired pass still stores its status. @defaultValue 10_000 */
  readonly saveMs?: number;
}

/**
 * These options map a change of a watched object to the primaries that it concerns: by a function, by references of the
 * primaries, by a label, by owner references, or by ownership. With `metadata: true` only metadata is watched and passed to the function.
 */
export type HandlerWatchOptions<K extends Kind, T extends KubernetesObject = KubernetesObject> =
  | WatchByMap<K>
  | WatchByMapOfMetadata<K>
  | WatchByRefs<T>
  | WatchByLabel
  | WatchByOwner
  | WatchByOwned;

/** This watch maps each object to the primaries that it concerns. */
export interface WatchByMap<K extends Kind> {
  /** Whether `map` gets metadata instead of whole objects. @defaultValue false */
  readonly metadata?: false;
  /**
   * Returns the primaries that a change of `object` concerns. Called with the state before and after the change. Must be pure.
   * A reference without a namespace means the namespace of `object`.
   */
  map(object: WatchedOf<K>, cache: Cache): Iterable<Ref>;
}

/** This watch maps the metadata of each object to the primaries that it concerns. */
export interface WatchByMapOfMetadata<K extends Kind> {
  /** Whether only the metadata is watched. */
  readonly metadata: true;
  /** As in {@link WatchByMap}. */
  map(object: MetadataOf<K>, cache: Cache): Iterable<Ref>;
}

/** This watch triggers a pass when an object changes that the primary refers to. */
export interface WatchByRefs<T extends KubernetesObject> {
  /** Whether the metadata is watched only. @defaultValue false */
  readonly metadata?: boolean;
  /** Returns the objects that a primary refers to; a name without a namespace means the namespace of the primary. Must be pure. */
  refs(primary: T): Iterable<string | Ref>;
}

/** This watch is for objects that name their primary by a label. */
export interface WatchByLabel {
  /** Whether the metadata is watched only. @defaultValue false */
  readonly metadata?: boolean;
  /** The key of a label of the watched object whose value is the name of a primary in the same namespace. */
  readonly label: string;
}

/** This watch is for objects that name their primary as an owner. */
export interface WatchByOwner {
  /** Whether the metadata is watched only. @defaultValue false */
  readonly metadata?: boolean;
  /** Triggers the primaries in the owner references of the object, controller or not, by uid. For objects that steps create, use `owns`. */
  readonly owner: true;
}

/** This watch is for objects that the handler's primaries own: as `owns` of a step, for kinds that no step declares. */
export interface WatchByOwned {
  /** Whether the metadata is watched only. @defaultValue false */
  readonly metadata?: boolean;
  /** Triggers the primary that is the controller of the object, by uid, or that the owner label of the handler names. */
  readonly owned: true;
}

/** This type is what the function of a watch gets of an object of kind `K`. */
export type WatchedOf<K> = K extends CachedAsMetadata ? MetadataOf<K> : ObjectOf<K>;
