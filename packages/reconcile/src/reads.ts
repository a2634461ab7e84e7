/**
 * What a step reads of other objects, declared once: watch, reverse index, wake-up and the typed value in `req.reads`
 * all follow from the declaration.
 */
import type { Kind, KubernetesObject, ObjectOf, Ref } from "@treadle/apimachinery";

/** A declared read of a step for objects `T`; `R` is what the step gets. */
export interface Read<in T, out R> {
  readonly type: "one" | "many";
  readonly kind: Kind;
  /** In types only. */
  readonly $t?: (t: T) => void;
  readonly $r?: R;
}

/** Which objects `many` reads: those that carry all of these labels, in the primary's namespace unless told otherwise. */
export interface ManySelector {
  readonly matchLabels: Readonly<Record<string, string>>;
  /** `"*"` for all namespaces. @defaultValue the namespace of the primary */
  readonly namespace?: string;
}

export type Reads<T> = Readonly<Record<string, Read<T, unknown>>>;

// oxlint-disable-next-line typescript/no-explicit-any -- matches a read whatever its primary
type AnyPrimary = any;

/** `req.reads` for the declarations `D`. */
export type ReadsOf<D> = { readonly [K in keyof D]: D[K] extends Read<AnyPrimary, infer R> ? R : never };

/**
 * One object, named by the primary: by name in the primary's namespace, or by a full reference. `undefined` = none is named.
 * `ref` must be pure: it is asked for every primary when something changes, to find out whom to wake.
 */
export function one<T extends KubernetesObject, K extends Kind>(
  kind: K,
  ref: (object: T) => string | Ref | undefined,
): Read<T, ObjectOf<K> | undefined> {
  const read: OneRead = { type: "one", kind, ref: ref as OneRead["ref"] };
  return read;
}

/** All objects with the given labels. `select` must be pure, as in {@link one}. */
export function many<T extends KubernetesObject, K extends Kind>(
  kind: K,
  select: (object: T) => ManySelector,
): Read<T, readonly ObjectOf<K>[]> {
  const read: ManyRead = { type: "many", kind, select: select as ManyRead["select"] };
  return read;
}

/** A {@link Read} as the engine uses it, whatever the primary's type. */
export type AnyRead = OneRead | ManyRead;

export interface OneRead {
  readonly type: "one";
  readonly kind: Kind;
  readonly ref: (object: KubernetesObject) => string | Ref | undefined;
}

export interface ManyRead {
  readonly type: "many";
  readonly kind: Kind;
  readonly select: (object: KubernetesObject) => ManySelector;
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
  if (/[/%]/.test(name))
    throw new TypeError(
      `one(${read.kind.kind}) of ${object.kind} ${object.metadata.name}: ${JSON.stringify(name)} is no name: return { namespace, name }`,
    );
  const ref = inNamespaceOf(object, read.kind, namespace === undefined ? { name } : { name, namespace });
  if (read.kind.scope === "Namespaced" && ref.namespace === undefined) {
    throw new TypeError(
      `one(${read.kind.kind}) names ${JSON.stringify(name)} without a namespace, and ${object.kind} ${object.metadata.name} has none: return { name, namespace }`,
    );
  }
  return ref;
}

/** Which objects a {@link many} selects for this primary. @throws TypeError when a label has no value: it would select what lacks it. */
export function selectorOf(read: ManyRead, object: KubernetesObject): ManySelector {
  const selector = read.select(object);
  const unset = Object.entries(selector?.matchLabels ?? { matchLabels: undefined }).find(([, value]) => typeof value !== "string");
  if (unset !== undefined)
    throw new TypeError(`many(${read.kind.kind}) of ${object.kind} ${object.metadata.name}: the label ${unset[0]} has no value`);
  return selector;
}

/** `ref` with the primary's namespace where the kind has namespaces and none was given; without one where it has none. */
export function inNamespaceOf(object: KubernetesObject, kind: Kind, ref: Ref): Ref {
  if (kind.scope === "Cluster") return { name: ref.name };
  // `||`: an empty namespace means none, as everywhere in Kubernetes.
  const namespace = ref.namespace || object.metadata.namespace;
  return namespace === undefined ? { name: ref.name } : { name: ref.name, namespace };
}
