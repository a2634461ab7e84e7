/**
 * Kinds: how an object type is named and where the API server serves it. The type parameters are the shapes of its objects.
 * Kinds are plain data. {@link defineResource} and the built-in kinds are typed; {@link kind} makes all others.
 */
import type { CustomResourceDefinition } from "./crd-types.ts";
import { pluralOf } from "./internal/resource-names.ts";
import type { ObjectMetaInput } from "./object-input.ts";
import type { DeepReadonly, KubernetesObject, Ref } from "./objects.ts";

/** A kind of objects. The server returns objects of type `Read`; a client may send objects of type `Write`. */
export interface Kind<Read extends KubernetesObject = AnyRead, Write = AnyWrite> {
  /** API group; empty for the core group. */
  readonly group: string;
  /** API version, `v1`. */
  readonly version: string;
  /** Name of the kind, `Deployment`. */
  readonly kind: string;
  /** Plural in lower case, as in URLs: `deployments`. */
  readonly plural: string;
  /** Whether objects are in namespaces. */
  readonly scope: "Namespaced" | "Cluster";
  /**
   * `metadata` keeps the contents of the objects out of caches, as for Secrets. Only metadata is watched; a step that reads
   * whole objects fetches them. To set it for another kind: `{ ...MyKind, cachedAs: "metadata" as const }`.
   */
  readonly cachedAs?: "metadata";
  /** Traits of a kind that {@link defineResource} made; absent for all other kinds. */
  readonly resource?: ResourceTraits;
  /** Carries `Read` in the type. It is never set. */
  readonly $read?: Read;
  /** Carries `Write` in the type. It is never set. */
  readonly $write?: Write;
}

/** The steps of a handler that exist. */
export interface KeptSteps {
  /** How the part names the handler, former names included; `undefined` stands for the default name of the kind. */
  readonly handlers: readonly (string | undefined)[];
  /** The names of its steps. */
  readonly steps: ReadonlySet<string>;
}

/** Traits of a kind that {@link defineResource} made. */
export interface ResourceTraits {
  /** Whether the CRD has `status.steps`, so that steps may have state. */
  readonly stepState: boolean;
  /** Names of the status fields that extensions of the engine own, such as `dependents`. The CRD has these fields. */
  readonly statusParts: readonly string[];
  /**
   * Returns a part of the status without what removed steps left in it: for handlers that no longer have a step which keeps the part. It
   * returns the same value if nothing changes. Pure.
   */
  pruneStatusPart(field: string, stored: unknown, kept: KeptSteps): unknown;
  /**
   * Returns how the spec of `object` breaks the schema of this version; empty when it is valid. It never throws and never
   * changes the object.
   */
  problems(object: KubernetesObject): readonly SchemaProblem[];
  /**
   * Returns a copy of `object` with the defaults of its spec, as the server fills them in. An object with {@link problems} is returned
   * as it is. Pure.
   */
  withDefaults(object: KubernetesObject): KubernetesObject;
  /** Returns the CRD with all versions, the same frozen object each time. */
  crd(): CustomResourceDefinition;
  /** Returns the kinds of all versions by version, the hub first, for the kind of any version. The same frozen object each time. */
  versions(): Readonly<Record<string, Kind & { readonly resource: ResourceTraits }>>;
}

/** A field of an object that breaks its schema. */
export interface SchemaProblem {
  /** Path of the field, `spec.ports[0].name`. */
  readonly path: string;
  /** What is wrong, as zod reports it. */
  readonly message: string;
}

// biome-ignore lint: `any` is what makes Kind<X, Y> assignable to plain Kind in both directions of variance.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyRead = any;
// oxlint-disable-next-line typescript/no-explicit-any
type AnyWrite = any;

/** A kind whose objects are cached as metadata only; see {@link Kind.cachedAs}. */
export interface CachedAsMetadata {
  /** Only metadata of the objects is cached. */
  readonly cachedAs: "metadata";
}

/** The type of the objects that the server returns for kind `K`. */
export type ObjectOf<K> = K extends Kind<infer Read, AnyWrite> ? Read : never;

/** The type of an object of kind `K` that was read as metadata only. */
export type MetadataOf<K> = Pick<ObjectOf<K>, "apiVersion" | "kind" | "metadata">;

/** The type of the objects that a client may send for kind `K`. */
export type WriteOf<K> = K extends Kind<AnyRead, infer Write> ? Write : never;

/** Returns the `apiVersion` of the objects of a kind: `group/version`, or `version` alone in the core group. */
export function apiVersionOf(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** Returns `kind.group`, or `kind` alone in the core group. It identifies a kind in all its versions. */
export function groupKindOf(kind: Pick<Kind, "group" | "kind">): string {
  return kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
}

/**
 * Returns the id of a kind or of an object's kind: `apps/v1/Deployment`, or `v1/Secret` in the core group. Two versions
 * of one kind have two ids. Use it as a key of a map or set; it never throws.
 */
export function kindIdOf(of: Pick<Kind, "group" | "version" | "kind"> | Pick<KubernetesObject, "apiVersion" | "kind">): string {
  return `${"apiVersion" in of ? of.apiVersion : apiVersionOf(of)}/${of.kind}`;
}

/** Returns the URL path of the collection of a kind, or of one object, without a query. Segments are percent-encoded. */
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

/** What names a kind and where the server serves it. */
export interface KindNames {
  /** API group; empty for the core group. */
  readonly group: string;
  /** API version, `v1`. */
  readonly version: string;
  /** Name of the kind, `Certificate`. */
  readonly kind: string;
  /** Plural in lower case, as in URLs. @defaultValue the English plural of the kind, as code generators guess it */
  readonly plural?: string;
  /** Whether objects are in namespaces. @defaultValue `Namespaced` */
  readonly scope?: "Namespaced" | "Cluster";
  /** Keeps the contents of the objects out of caches: see {@link Kind.cachedAs}. */
  readonly cachedAs?: "metadata";
}

/**
 * Returns a kind whose CRD another project installs. With `kind<T>`, `T` has the fields of its objects besides apiVersion, kind and metadata, as
 * they are on the wire: `kind<{ spec: CertificateSpec; status?: CertificateStatus }>({ ... })`. Nothing checks objects against `T`.
 */
export function kind(given: KindNames): Kind<UntypedObject, UntypedObject>;
/** Returns a kind with the fields of `T`. */
export function kind<T extends object>(given: KindNames): Kind<TypedObject<T>, TypedInput<T>>;
export function kind(given: KindNames): Kind {
  return { ...given, plural: given.plural ?? pluralOf(given.kind), scope: given.scope ?? "Namespaced" };
}

/** An object with the fields of `T`, as the server returns it. The fields that all objects have are ours, also where `T` declares them. */
export type TypedObject<T> = KubernetesObject & DeepReadonly<Omit<T, "apiVersion" | "kind" | "metadata">>;

/** An object with the fields of `T`, as a client may send it. */
export type TypedInput<T> = {
  /** Optional: it follows from the kind. */
  readonly apiVersion?: string;
  /** Optional: it follows from the kind. */
  readonly kind?: string;
  /** Metadata of the object. */
  readonly metadata: ObjectMetaInput;
} & DeepReadonly<Omit<T, "apiVersion" | "kind" | "metadata">>;

/** An object whose fields besides the common part are unknown. */
export interface UntypedObject extends KubernetesObject {
  /** Any other field, whose type is unknown. */
  readonly [field: string]: unknown;
}
