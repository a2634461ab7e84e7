/**
 * What a step reads of other objects, declared once: watch, reverse index, wake-up and the typed value in `req.reads`
 * all follow from the declaration.
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

/** A declared read of a step for objects `T`; `R` is what the step gets. */
export interface Read<in T, out R> {
  /** Whether the read gives one object or several. */
  readonly type: "one" | "many";
  /** The kind of the objects. */
  readonly kind: Kind;
  /** In types only. */
  readonly $t?: (t: T) => void;
  /** For the compiler only: the type of `req.reads`. */
  readonly $r?: R;
}

/** How an object is read. Without options: from the cache. */
export interface ReadOptions {
  /**
   * Read from the server before each phase, inside the step's deadline, instead of from the cache. The watch still wakes:
   * for objects whose newest state a step must see. @defaultValue false
   */
  readonly live?: boolean;
  /** Only `apiVersion`, `kind` and `metadata`: for many or large objects whose contents do not matter. @defaultValue false */
  readonly metadata?: boolean;
  /**
   * False: no watch, so it is read live and its changes wake nobody: for kinds that one may get but not list. With
   * `live: false` there would be nothing to read from: a TypeError. @defaultValue true
   */
  readonly watch?: boolean;
}

/** Which objects `many` reads: those that carry all of these labels, in the primary's namespace unless told otherwise. */
export interface ManySelector {
  /** The labels that an object must have, with equal values. */
  readonly matchLabels: Readonly<Record<string, string>>;
  /** `"*"` for all namespaces that are watched. @defaultValue the namespace of the primary */
  readonly namespace?: string;
}

/** The reads of a step, by name. */
export type Reads<T> = Readonly<Record<string, Read<T, unknown>>>;

// oxlint-disable-next-line typescript/no-explicit-any -- matches a read whatever its primary
type AnyPrimary = any;

/** `req.reads` for the declarations `D`. */
export type ReadsOf<D> = { readonly [K in keyof D]: D[K] extends Read<AnyPrimary, infer R> ? R : never };

/** What {@link one} gives of an object of kind `K` with the options `O`. */
export type OneOf<K, O> = O extends { readonly metadata: true } ? MetadataOf<K> : ObjectOf<K>;

/** What {@link many} gives of each object: of kinds whose contents are in no cache, metadata. */
export type ManyOf<K, O> = K extends CachedAsMetadata ? MetadataOf<K> : OneOf<K, O>;

/**
 * One object, named by the primary: by name in the primary's namespace, or by a full reference. `undefined` = none is named,
 * or it does not exist. `ref` must be pure: it is asked for every primary when something changes, to find out whom to wake.
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
 * All objects with the given labels; what else they must have, `do` looks at. `select` must be pure, as in {@link one}.
 *
 * Of kinds that are {@link Kind.cachedAs} metadata, such as Secrets, it gives metadata only, also live. Whoever needs what is
 * in them names each by a {@link one}, or gets it by `req.client.get(Secret, metadata)`, which costs a request each time and
 * wants `permissions: [{ kind: Secret, verbs: ["get"] }]`.
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
 * All objects of a kind that this object owns: those that name it as their controller, and those with the owner labels of
 * the handler, in the namespaces where such objects may be. Looks through the cached objects of the namespace in each pass.
 *
 * It is a read: it gives no right to create them. The step that creates them says `owns`.
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

/** A {@link Read} as the engine uses it, whatever the primary's type. */
export type AnyRead = OneRead | ManyRead;

/** Where the value of a read comes from, and what must be watched for it. */
export interface ReadForm {
  /** `fetch`: from the server, once for each version that the cache of metadata knows. `live`: from the server, each time. */
  readonly source: "cache" | "fetch" | "live";
  /** The value is metadata only. */
  readonly isMetadata: boolean;
  /** What the cache must hold of the kind; `undefined`: it is not watched. */
  readonly watches: WatchForm | undefined;
  /** The kind by which the cache, and the server where the read is live, is asked. */
  readonly cacheKind: Kind;
  /** The kind to ask the server for. */
  readonly liveKind: Kind;
}

/** Of a watched object either everything is kept, or its metadata. */
export type WatchForm = "whole" | "metadata";

/** A read of one object. */
export interface OneRead extends ReadForm {
  /** The type of the read. */
  readonly type: "one";
  /** The kind of the object. */
  readonly kind: Kind;
  /** Returns the name of the object; undefined: none is read. */
  readonly ref: (object: KubernetesObject) => string | Ref | undefined;
}

/** A read of the objects with given labels. */
export interface ManyRead extends ReadForm {
  /** The type of the read. */
  readonly type: "many";
  /** The kind of the objects. */
  readonly kind: Kind;
  /** Returns what the objects have in common. */
  readonly select: (object: KubernetesObject) => ManySelector;
  /** Only those that the primary owns. */
  readonly isOwned: boolean;
}

/** What an object of this kind is watched as where its contents are not needed, or must not be kept. */
export function watchFormOf(kind: Kind, metadata: boolean = false): WatchForm {
  return metadata || isCachedAsMetadata(kind) ? "metadata" : "whole";
}

/**
 * Which object a {@link one} names for this primary; its namespace is filled in.
 *
 * @throws TypeError when neither the reference nor the primary has the namespace that the kind needs: nothing would ever be found.
 */
export function refOfRead(read: OneRead, object: KubernetesObject): Ref | undefined {
  // An object stored under an older schema may hold null, or nothing, where its type promises a text.
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

/** Which objects a {@link many} selects for this primary. @throws TypeError when a label has no value: it would select what lacks it. */
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

/** Whether the server could have an object, or a namespace, of this name at all. */
export function isSegment(text: string): boolean {
  return text !== "." && text !== ".." && !/[/%]/.test(text);
}

function requireSegment(text: string | null | undefined, what: "name" | "namespace", where: string): void {
  if (typeof text === "string" && !isSegment(text))
    throw misuse(
      "ERR_INVALID_REFERENCE",
      `${where}: ${JSON.stringify(text)} is no ${what}${what === "name" ? ": return { namespace, name }" : ""}`,
    );
}

/** `ref` with the primary's namespace where the kind has namespaces and none was given; without one where it has none. */
export function inNamespaceOf(object: KubernetesObject, kind: Kind, ref: Ref): Ref {
  if (kind.scope === "Cluster") return { name: ref.name };
  // `||`: an empty namespace means none, as everywhere in Kubernetes.
  const namespace = ref.namespace || object.metadata.namespace;
  return namespace === undefined ? { name: ref.name } : { name: ref.name, namespace };
}

/** `build()` says what is wrong with a kind that is none: that of a circle of imports is undefined. */
function isCachedAsMetadata(kind: Kind | undefined): boolean {
  return kind?.cachedAs === "metadata";
}

/** @throws TypeError for a read that is to come neither from a watch nor live. */
function formOf(kind: Kind, source: "cache" | "fetch", options: ReadOptions = {}): ReadForm {
  const { live = false, metadata = false, watch = true } = options;
  if (options.live === false && !watch)
    throw new TypeError(
      `a read of ${kind?.kind} says watch: false and live: false: what is not watched can only be read live, so leave one of them out`,
    );
  const isOnlyMetadata = metadata || source === "fetch";
  const reduced = metadataOnly(kind ?? {});
  const common = { isMetadata: metadata, liveKind: metadata ? reduced : kind };
  if (live || !watch) return { ...common, source: "live", watches: watch ? "metadata" : undefined, cacheKind: reduced };
  return { ...common, source, watches: isOnlyMetadata ? "metadata" : "whole", cacheKind: isOnlyMetadata ? reduced : kind };
}
