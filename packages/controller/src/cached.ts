/** Limits what the caches of a manager hold. By default they hold all objects in the watched namespaces, without managedFields. */
import type { FieldPath, Kind, ObjectOf } from "@treadle/apimachinery";
import type { InformerOptions } from "@treadle/informer";

/** Which objects of a kind are cached, and which of their fields. */
export interface CachedOptions<K extends Kind = Kind> {
  /**
   * Caches only objects with these labels; other objects do not exist for the steps that read, own or watch the kind. An
   * object that loses the labels leaves the cache. If it is a primary, it gets no pass and no cleanup any more. If a step
   * applies it, the step finds it on the server, and restores labels that are part of the desired state.
   */
  readonly labelSelector?: InformerOptions["labelSelector"];
  /** Caches only objects with these fields, if the server can select by them: `"type=kubernetes.io/tls"`. */
  readonly fieldSelector?: string;
  /**
   * The fields that are kept besides `apiVersion`, `kind` and `metadata`; all others are dropped before they are stored.
   * Steps then read `undefined` from a field that is not named here, although its type has it. Not for kinds that a handler
   * reconciles or owns. To cache metadata only, use `metadataOnly(Kind)`, or `{ metadata: true }` in a read.
   */
  readonly keep?: readonly FieldPath<ObjectOf<K>>[];
}

/** An entry of `createManager({ cache })`, made by {@link cached}. The paths of an object literal are checked at run time only. */
export interface CachedKind extends Omit<CachedOptions, "keep"> {
  /** The kind. */
  readonly kind: Kind;
  /** The paths of the fields that are kept; all fields without it. */
  readonly keep?: readonly string[];
}

/**
 * Limits what is cached of a kind, for all handlers of a manager. Use it for kinds with very many or very large objects.
 * `cached(Pod, { labelSelector: { app: "web" }, keep: ["spec.nodeName", "status.phase"] })`
 */
export function cached<K extends Kind>(kind: K, options: CachedOptions<K>): CachedKind {
  return { kind, ...options };
}
