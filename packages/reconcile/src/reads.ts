/**
 * Declared reads of other objects. The watch, the reverse index, the triggers and the typed value in `req.reads` all follow
 * from one declaration.
 */
import {
  type CachedAsMetadata,
  type Kind,
  type KubernetesObject,
  type MetadataOf,
  metadataOnly,
  type ObjectOf,
  type Ref,
} from "@treadle/apimachinery";

/** A read declares which other objects a step for objects `T` uses; `R` is the type of the value in `req.reads`. */
export interface Read<in T, out R> {
  /** Whether the read gives one object or several. */
  readonly type: "one" | "many";
  /** The kind of the objects. */
  readonly kind: Kind;
  /** A marker that exists in types only. */
  readonly $t?: (t: T) => void;
  /** For the compiler only: the type of `req.reads`. */
  readonly $r?: R;
}

/** The options of a read. Without options an object is read from the cache. */
export interface ReadOptions {
  /**
   * Whether the object is read from the server before each phase, within the deadline of the step. A change of the object still
   * triggers a pass. For objects whose newest state a step must see. @defaultValue false
   */
  readonly live?: boolean;
  /** Whether only `apiVersion`, `kind` and `metadata` are read: for many or large objects whose contents do not matter. @defaultValue false */
  readonly metadata?: boolean;
  /**
   * Whether the kind is watched. Without a watch the object is read live, and its changes trigger no pass: for kinds that the
   * operator may get but not list. With `live: false` it is a TypeError. @defaultValue true
   */
  readonly watch?: boolean;
  /** What happens while the server does not serve the kind; see {@link IfNotServed}. @defaultValue "wait" */
  readonly ifNotServed?: IfNotServed;
}

/**
 * Decides what a step does while the server does not serve a kind, or refuses its watch. `wait`: the step waits. `skip`: the step
 * runs, its reads of the kind are absent, and `req.isServed(kind)` returns false. When the kind can be watched, a pass starts.
 */
export type IfNotServed = "wait" | "skip";

/** An owned kind is an entry of `owns` with options. A plain kind is the same entry without options. */
export interface OwnedKind {
  /** The kind of the objects that the step creates. */
  readonly kind: Kind;
  /** What happens while the server does not serve the kind. @defaultValue "wait" */
  readonly ifNotServed?: IfNotServed;
}

/** A selector says which objects `many` reads: those with all of these labels. */
export interface ManySelector {
  /** The labels that an object must have, with equal values. */
  readonly matchLabels: Readonly<Record<string, string>>;
  /** The namespace of the objects; `"*"` means all namespaces that are watched. @defaultValue the namespace of the primary */
  readonly namespace?: string;
}

/** These are the reads of a step, by name. */
export type Reads<T> = Readonly<Record<string, Read<T, unknown>>>;

// oxlint-disable-next-line typescript/no-explicit-any -- matches a read whatever its primary
type AnyPrimary = any;

/** This is the type of `req.reads` for the declarations `D`. */
export type ReadsOf<D> = { readonly [K in keyof D]: D[K] extends Read<AnyPrimary, infer R> ? R : never };

/** This is the type that {@link one} reads for the kind `K` with the options `O`. */
export type OneOf<K, O> = O extends { readonly metadata: true } ? MetadataOf<K> : ObjectOf<K>;

/** This is the type that {@link many} reads for each object. It is metadata for kinds that are cached as metadata. */
export type ManyOf<K, O> = K extends CachedAsMetadata ? MetadataOf<K> : OneOf<K, O>;

/** A reference in the object of another read of the same step; {@link through} makes it. */
export interface Through<in T extends KubernetesObject> {
  /** Marks what `through()` made. */
  readonly type: "through";
  /** For the compiler only: the primaries of the first read. */
  readonly $t?: (t: T) => void;
}

/** This type is a sentence that the compiler prints for a read that cannot be used. */
export interface ReadProblem<M extends string> {
  readonly "treadle: this read cannot be used here": M;
}

/** This type accepts the value of a {@link one}; for a list it is a sentence with the fix. */
export type SingleObject<R> = [R] extends [readonly unknown[]] ? ReadProblem<"it reads several objects: go through a one()"> : unknown;

/** These are the parts of a {@link Through}. */
interface ThroughParts extends Through<KubernetesObject> {
  readonly read: OneRead;
  readonly ref: OneRead["ref"];
}

/**
 * Names an object by another object that the same step reads: `one(Secret, through(config, (c) => c.spec.secret))`. The read
 * `config` must be in the `reads` of that step, under any name. Chains may have any length.
 *
 * `ref` is called with the object that the first read gives, and must be pure. A name alone means the namespace of that object;
 * if it is cluster-scoped, that of the primary. The value is `undefined` if the first read gives no object.
 *
 * A pass starts when the named object changes, and when the first read names or gives another object.
 *
 * @throws TypeError when `read` was not made by `one()`, or `ref` is not a function (untyped code).
 */
export function through<T extends KubernetesObject, R>(
  read: Read<T, R> & SingleObject<R>,
  ref: (object: NonNullable<R>) => string | Ref | undefined,
): Through<T> {
  const first = read as Partial<AnyRead> | undefined;
  if (first?.type !== "one")
    throw new TypeError("through: the first argument must be a read that one() made: through(config, (config) => name)");
  if (typeof ref !== "function")
    throw new TypeError(`through: the second argument must be a function of the ${first.kind?.kind} that returns a name or a reference`);
  const parts: ThroughParts = { type: "through", read: first as OneRead, ref: ref as unknown as OneRead["ref"] }; // It gets the object that `read` gives.
  return parts;
}

/**
 * Declares a read of one object that the primary names: by name in the primary's namespace, or by a full reference. The value
 * is `undefined` if the primary names no object, or if the object does not exist. `ref` must be pure: the engine calls it for
 * every primary to build an index of references. With {@link through} another read of the step names the object.
 *
 * An object of a kind that is {@link Kind.cachedAs} metadata, such as a Secret, is fetched once for each version of it.
 */
export function one<T extends KubernetesObject, K extends Kind, const O extends ReadOptions = {}>(
  kind: K,
  ref: ((object: T) => string | Ref | undefined) | Through<T>,
  options?: O,
): Read<T, OneOf<K, O> | undefined> {
  const source = isCachedAsMetadata(kind) && options?.metadata !== true ? "fetch" : "cache";
  const named = isThrough(ref) ? { ref: ref.ref, through: ref.read } : { ref: ref as OneRead["ref"], through: undefined };
  const read: OneRead = { type: "one", kind, ...named, ...formOf(kind, source, options) };
  return read;
}

/**
 * Declares a read of all objects with the given labels. `select` must be pure, as in {@link one}.
 *
 * For kinds that are {@link Kind.cachedAs} metadata, such as Secrets, the values are metadata only, also live. To read the
 * contents, name each object by a {@link one}, or call `req.client.get(Secret, metadata)`. The call costs a request each time
 * and needs `permissions: [{ kind: Secret, verbs: ["get"] }]`.
 */
export function many<T extends KubernetesObject, K extends Kind, const O extends ReadOptions = {}>(
  kind: K,
  select: (object: T) => ManySelector,
  options?: O,
): Read<T, readonly ManyOf<K, O>[]> {
  const metadata = isCachedAsMetadata(kind) || options?.metadata === true;
  const form = formOf(kind, "cache", { ...options, metadata });
  const read: ManyRead = { type: "many", kind, select: select as ManyRead["select"], isOwned: false, ...form };
  return read;
}

/**
 * Declares a read of all objects of a kind that the primary owns: those that name it as their controller, and those with the
 * owner labels of the handler. Each pass looks through the cached objects of the namespace.
 *
 * The read gives no right to create the objects. The step that creates them declares `owns`.
 */
export function owned<K extends Kind, const O extends Pick<ReadOptions, "metadata" | "ifNotServed"> = {}>(
  kind: K,
  options?: O,
): Read<KubernetesObject, readonly ManyOf<K, O>[]> {
  const metadata = isCachedAsMetadata(kind) || options?.metadata === true;
  const form = formOf(kind, "cache", { ...options, metadata });
  const read: ManyRead = { type: "many", kind, select: () => ({ matchLabels: {} }), isOwned: true, ...form };
  return read;
}

/**
 * Declares a read of several objects that the primary names. The value is the list of the objects in the order of `refs`, with
 * `undefined` for an object that does not exist. For factories of steps. `refs` must be pure, as in {@link one}, and may throw.
 */
export function several(kind: Kind, refs: (object: KubernetesObject) => readonly Ref[], options?: ReadOptions): SeveralRead {
  const source = isCachedAsMetadata(kind) && options?.metadata !== true ? "fetch" : "cache";
  return { type: "several", kind, refs, ...formOf(kind, source, options) };
}

/** This is a {@link Read} as the engine uses it, for any type of primary. */
export type AnyRead = OneRead | ManyRead | SeveralRead;

/** This form of a read says where its value comes from, and what must be watched. */
export interface ReadForm {
  /** The source of the value. `fetch`: the server, once for each version in the cache of metadata. `live`: the server, each time. */
  readonly source: "cache" | "fetch" | "live";
  /** Whether the value is metadata only. */
  readonly isMetadata: boolean;
  /** The part of the objects that the cache must hold; `undefined` if the kind is not watched. */
  readonly watches: WatchForm | undefined;
  /** The kind with which the cache is asked. */
  readonly cacheKind: Kind;
  /** The kind to ask the server for. */
  readonly liveKind: Kind;
  /** What the step does while the server does not serve the kind. */
  readonly ifNotServed: IfNotServed;
}

/** The form of a watch: the cache holds whole objects, or their metadata. */
export type WatchForm = "whole" | "metadata";

/** This is a read of one object. */
export interface OneRead extends ReadForm {
  /** The type of the read. */
  readonly type: "one";
  /** The kind of the object. */
  readonly kind: Kind;
  /** Returns the name of the object, or `undefined` if no object is to be read. */
  readonly ref: (object: KubernetesObject) => string | Ref | undefined;
  /** The read whose object `ref` is called with; `undefined` means the primary. */
  readonly through: OneRead | undefined;
}

/** This is a read of several objects that the primary names. */
export interface SeveralRead extends ReadForm {
  /** The type of the read. */
  readonly type: "several";
  /** The kind of the objects. */
  readonly kind: Kind;
  /** Returns the names of the objects, each with its namespace. */
  readonly refs: (object: KubernetesObject) => readonly Ref[];
}

/** This is a read of the objects with given labels. */
export interface ManyRead extends ReadForm {
  /** The type of the read. */
  readonly type: "many";
  /** The kind of the objects. */
  readonly kind: Kind;
  /** Returns what the objects have in common. */
  readonly select: (object: KubernetesObject) => ManySelector;
  /** Whether only objects that the primary owns are read. */
  readonly isOwned: boolean;
}

/** Returns the form of a watch of the kind: metadata if the contents are not needed, or must not be cached. */
export function watchFormOf(kind: Kind, metadata: boolean = false): WatchForm {
  return metadata || isCachedAsMetadata(kind) ? "metadata" : "whole";
}

function isThrough(ref: unknown): ref is ThroughParts {
  return typeof ref === "object" && ref !== null && (ref as Partial<ThroughParts>).type === "through";
}

/** Tolerates what is not a kind, such as `undefined` from a circle of imports: `build()` reports it. */
function isCachedAsMetadata(kind: Kind | undefined): boolean {
  return kind?.cachedAs === "metadata";
}

/** @throws TypeError for a read with `watch: false` and `live: false`. */
function formOf(kind: Kind, source: "cache" | "fetch", options: ReadOptions = {}): ReadForm {
  const { live = false, metadata = false, watch = true, ifNotServed = "wait" } = options;
  if (ifNotServed !== "wait" && ifNotServed !== "skip")
    throw new TypeError(`a read of ${kind?.kind} has ifNotServed ${JSON.stringify(ifNotServed)}: use "wait" or "skip"`);
  if (options.live === false && !watch)
    throw new TypeError(
      `a read of ${kind?.kind} has watch: false and live: false: a kind without a watch can only be read live, so leave one of them out`,
    );
  const isOnlyMetadata = metadata || source === "fetch";
  const reduced = metadataOnly(kind ?? {});
  const common = { isMetadata: metadata, liveKind: metadata ? reduced : kind, ifNotServed };
  if (live || !watch) return { ...common, source: "live", watches: watch ? "metadata" : undefined, cacheKind: reduced };
  return { ...common, source, watches: isOnlyMetadata ? "metadata" : "whole", cacheKind: isOnlyMetadata ? reduced : kind };
}
