/** What the caches of a manager hold of a kind: by default, of every object that is in the watched namespaces, all but managedFields. */
import type { FieldPath, Kind, ObjectOf } from "@treadle/apimachinery";
import type { InformerOptions } from "@treadle/informer";

export interface CachedOptions<K extends Kind = Kind> {
  /**
   * Only objects with these labels; the others do not exist for any step that reads, owns or watches the kind. An object
   * that loses its labels is gone from the cache: of a primary no pass runs any more, and no cleanup; a dependent is found
   * on the server, and gets its labels back where they belong to what is desired.
   */
  readonly labelSelector?: InformerOptions["labelSelector"];
  /** Only objects with these fields, as far as the server can select by them: `"type=kubernetes.io/tls"`. */
  readonly fieldSelector?: string;
  /**
   * Which fields are kept besides `apiVersion`, `kind` and `metadata`; all others are dropped before they are stored.
   * Steps read less than the type says: of a field that is not named here `undefined`. Not for kinds that a handler
   * reconciles or owns. For nothing but metadata: `metadataOnly(Kind)`, or `{ metadata: true }` of a read.
   */
  readonly keep?: readonly FieldPath<ObjectOf<K>>[];
}

/** What {@link cached} gives, for `createManager({ cache })`; a literal will do, too, and has its paths checked at run time only. */
export interface CachedKind extends Omit<CachedOptions, "keep"> {
  readonly kind: Kind;
  readonly keep?: readonly string[];
}

/**
 * Says what of a kind is cached, for all handlers of a manager: where a cluster has very many, or very large ones.
 * `cached(Pod, { labelSelector: { app: "web" }, keep: ["spec.nodeName", "status.phase"] })`
 */
export function cached<K extends Kind>(kind: K, options: CachedOptions<K>): CachedKind {
  return { kind, ...options };
}
