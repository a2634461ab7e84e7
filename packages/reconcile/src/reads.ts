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
import { misuse } from "./internal/misuse.ts";

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

/**
 * Declares a read of one object that the primary names: by name in the primary's namespace, or by a full reference. The value
 * is `undefined` if the primary names no object, or if the object does not exist. `ref` must be pure: the engine calls it for
 * every primary to build an index of references.
 *
 * An object of a kind that is {@link Kind.cachedAs} metadata, such as a Secret, is fetched once for each version of it.
 */
export function one<T extends KubernetesObject, K extends Kind, const O extends ReadOptions = {}>(
  kind: K,
  ref: (object: T) => string | Ref | undefined,
  options?: O,
): Read<T, OneOf<K, O> | undefined> {
  const source = isCachedAsMetadata(kind) && options?.metadata !== true ? "fetch" : "cache";
  const read: OneRead = { type: "one", kind, ref: ref as OneRead["ref"], ...formOf(kind, source, options) };
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
export function owned<K extends Kind, const O extends Pick<ReadOptions, "metadata"> = {}>(
  kind: K,
  options?: O,
): Read<KubernetesObject, readonly ManyOf<K, O>[]> {
  const metadata = isCachedAsMetadata(kind) || options?.metadata === true;
  const form = formOf(kind, "cache", { metadata });
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

/**
 * Returns the object that a {@link one} names for this primary, with its namespace filled in.
 *
 * @throws TypeError when neither the reference nor the primary has the namespace that the kind needs.
 */
export function refOfRead(read: OneRead, object: KubernetesObject): Ref | undefined {
  // An object that was stored under an older schema may hold null, or nothing, although its type promises a text.
  const given: string | Partial<Ref> | null | undefined = read.ref(object);
  const { name, namespace } = typeof given === "string" ? { name: given } : (given ?? {});
  if (name === undefined || name === null || name === "") return undefined;
  requireSegment(name, "name", `one(${read.kind.kind}) of ${object.kind} ${object.metadata.name}`);
  const ref = inNamespaceOf(object, read.kind, namespace === undefined ? { name } : { name, namespace });
  if (read.kind.scope === "Namespaced" && ref.namespace === undefined) {
    throw misuse(
      "ERR_INVALID_REFERENCE",
      `one(${read.kind.kind}) names ${JSON.stringify(name)} without a namespace, and ${object.kind} ${object.metadata.name} has none: return { name, namespace }`,
    );
  }
  requireSegment(ref.namespace, "namespace", `one(${read.kind.kind}) of ${object.kind} ${object.metadata.name}`);
  return ref;
}

/** Returns the objects that a read names for this primary. @throws what the function of the read throws */
export function refsOfRead(read: OneRead | SeveralRead, object: KubernetesObject): readonly Ref[] {
  if (read.type === "several") return read.refs(object);
  const ref = refOfRead(read, object);
  return ref === undefined ? [] : [ref];
}

/** Returns the selector of a {@link many} for this primary. @throws TypeError when a label has no value: it would select objects without it. */
export function selectorOf(read: ManyRead, object: KubernetesObject): ManySelector {
  const selector = read.select(object);
  const unset = Object.entries(selector?.matchLabels ?? { matchLabels: undefined }).find(([, value]) => typeof value !== "string");
  if (unset !== undefined)
    throw misuse(
      "ERR_INVALID_REFERENCE",
      `many(${read.kind.kind}) of ${object.kind} ${object.metadata.name}: the label ${unset[0]} has no value`,
    );
  requireSegment(selector.namespace, "namespace", `many(${read.kind.kind}) of ${object.kind} ${object.metadata.name}`);
  return selector;
}

/** Whether `text` can be the name of an object or a namespace. */
export function isSegment(text: string): boolean {
  return text !== "." && text !== ".." && !/[/%]/.test(text);
}

function requireSegment(text: string | null | undefined, what: "name" | "namespace", where: string): void {
  if (typeof text === "string" && !isSegment(text))
    throw misuse(
      "ERR_INVALID_REFERENCE",
      `${where}: ${JSON.stringify(text)} is not a ${what}${what === "name" ? ": return { namespace, name }" : ""}`,
    );
}

/** Completes `ref` with the namespace of the primary if the kind is namespaced; removes the namespace if it is not. */
export function inNamespaceOf(object: KubernetesObject, kind: Kind, ref: Ref): Ref {
  if (kind.scope === "Cluster") return { name: ref.name };
  // `||`: an empty namespace means none, as everywhere in Kubernetes.
  const namespace = ref.namespace || object.metadata.namespace;
  return namespace === undefined ? { name: ref.name } : { name: ref.name, namespace };
}

/** Tolerates what is not a kind, such as `undefined` from a circle of imports: `build()` reports it. */
function isCachedAsMetadata(kind: Kind | undefined): boolean {
  return kind?.cachedAs === "metadata";
}

/** @throws TypeError for a read with `watch: false` and `live: false`. */
function formOf(kind: Kind, source: "cache" | "fetch", options: ReadOptions = {}): ReadForm {
  const { live = false, metadata = false, watch = true } = options;
  if (options.live === false && !watch)
    throw new TypeError(
      `a read of ${kind?.kind} has watch: false and live: false: a kind without a watch can only be read live, so leave one of them out`,
    );
  const isOnlyMetadata = metadata || source === "fetch";
  const reduced = metadataOnly(kind ?? {});
  const common = { isMetadata: metadata, liveKind: metadata ? reduced : kind };
  if (live || !watch) return { ...common, source: "live", watches: watch ? "metadata" : undefined, cacheKind: reduced };
  return { ...common, source, watches: isOnlyMetadata ? "metadata" : "whole", cacheKind: isOnlyMetadata ? reduced : kind };
}
