/** Discovery data of a kind. */

/** Describes a kind as discovery does. It is a {@link Kind} that calls take, with untyped objects. */
export interface ServedKind {
  /** API group; empty for the core group. */
  readonly group: string;
  /** Version, such as `v1`. */
  readonly version: string;
  /** Name of the kind, such as `Pod`. */
  readonly kind: string;
  /** Plural name in URLs, such as `pods`. */
  readonly plural: string;
  /** Whether objects belong to a namespace. */
  readonly scope: "Namespaced" | "Cluster";
  /** Singular name, such as `pod`; empty where the server gives none. */
  readonly singular: string;
  /** Short names, such as `po`. */
  readonly shortNames: readonly string[];
  /** Categories, such as `all`. */
  readonly categories: readonly string[];
  /** Verbs as in RBAC: `get`, `list`, `watch`, ... */
  readonly verbs: readonly string[];
  /** Subresources of the objects. */
  readonly subresources: readonly ServedSubresource[];
}

/** Describes a subresource of a kind. */
export interface ServedSubresource {
  /** Name, such as `status`. */
  readonly name: string;
  /** Verbs as in RBAC. */
  readonly verbs: readonly string[];
}
