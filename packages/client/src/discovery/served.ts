/** What a server says of a kind that it serves. */

/** A kind as discovery describes it. It is a {@link Kind}: calls take it as it is, and its objects are untyped. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** Empty where the server does not say. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** As RBAC names them: `get`, `list`, `watch`, ... */
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
}

export interface ServedSubresource {
  /** E.g. `status`. */
  readonly name: string;
  readonly verbs: readonly string[];
}
