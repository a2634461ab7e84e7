/**
 * A kind: how an object type is named and reached, and, in its type parameters, what it looks like.
 * Kinds are plain data; {@link defineResource} and the built-in kinds make typed ones, {@link kind} untyped ones.
 */
import type { CustomResourceDefinition } from "./crd.ts";
import { pluralOf } from "./internal/resource-names.ts";
import type { KubernetesObject, Ref } from "./objects.ts";

/**
 * A kind: what the server returns (`Read`) and what a client may send (`Write`).
 * `$read` and `$write` exist in types only.
 */
export interface Kind<Read extends KubernetesObject = AnyRead, Write = AnyWrite> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /**
   * Set where the contents of objects do not belong in a cache, as of Secrets: they are watched as metadata, and what is
   * read whole is fetched. Of a kind of one's own: `{ ...MyKind, cachedAs: "metadata" as const }`.
   */
  readonly cachedAs?: "metadata";
  /** What {@link defineResource} knows of a kind; absent for kinds that Treadle did not define (built-in and foreign ones). */
  readonly resource?: ResourceTraits;
  readonly $read?: Read;
  readonly $write?: Write;
}

/** What a kind made by {@link defineResource} can say of itself and of its objects. */
export interface ResourceTraits {
  /** Whether its CRD keeps `status.steps`, so that steps may have state. */
  readonly stepState: boolean;
  /** The fields of the status that extensions of the engine own, such as `dependents`; its CRD keeps them. */
  readonly statusParts: readonly string[];
  /** How the spec of `object` breaks the schema of this version; empty when it fits. Never throws, never changes the object. */
  problems(object: KubernetesObject): readonly SchemaProblem[];
  /** The CRD, with all versions; the same frozen object each time. */
  crd(): CustomResourceDefinition;
}

/** One place of an object that breaks its schema. */
export interface SchemaProblem {
  /** E.g. `spec.ports[0].name`. */
  readonly path: string;
  readonly message: string;
}

// biome-ignore lint: `any` is what makes Kind<X, Y> assignable to plain Kind in both directions of variance.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyRead = any;
// oxlint-disable-next-line typescript/no-explicit-any
type AnyWrite = any;

/** A kind of which caches hold no more than metadata; see {@link Kind.cachedAs}. */
export interface CachedAsMetadata {
  readonly cachedAs: "metadata";
}

/** The object type the server returns for kind `K`. */
export type ObjectOf<K> = K extends Kind<infer Read, AnyWrite> ? Read : never;

/** What is left of an object of kind `K` that was read as metadata only. */
export type MetadataOf<K> = Pick<ObjectOf<K>, "apiVersion" | "kind" | "metadata">;

/** The object type a client may send for kind `K`. */
export type WriteOf<K> = K extends Kind<AnyRead, infer Write> ? Write : never;

/** `group/version`, or `version` alone for the core group: the `apiVersion` of its objects. */
export function apiVersionOf(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** `kind.group`, or `kind` alone for the core group: what distinguishes kinds whatever the version. */
export function groupKindOf(kind: Pick<Kind, "group" | "kind">): string {
  return kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** The URL path of a kind's collection, or of one object, without query. Segments are percent-encoded. */
export function pathOf(
  kind: Kind,
  target: { readonly namespace?: string | undefined; readonly name?: string; readonly subresource?: string } | Ref = {},
): string {
  const { namespace, name, subresource } = target as { namespace?: string; name?: string; subresource?: string };
  let path = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (kind.scope === "Namespaced" && namespace !== undefined && namespace !== "") path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${kind.plural}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  if (subresource !== undefined) path += `/${subresource}`;
  return path;
}

/**
 * A kind known only at run time; its objects are untyped beyond {@link KubernetesObject}.
 * `plural` defaults to the English plural of the kind, as code generators guess it; give it where that is wrong.
 */
export function kind(given: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string;
  readonly scope?: "Namespaced" | "Cluster";
  readonly cachedAs?: "metadata";
}): Kind<UntypedObject, UntypedObject> {
  return { ...given, plural: given.plural ?? pluralOf(given.kind), scope: given.scope ?? "Namespaced" };
}

/** An object of which only the common part is known. */
export interface UntypedObject extends KubernetesObject {
  readonly [field: string]: unknown;
}
