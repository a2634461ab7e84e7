/**
 * The shapes every Kubernetes object shares, as the API server sends them: plain JSON, read-only.
 * Nothing here reads or writes; a value of these types may be frozen and shared between passes.
 */

/** Who owns an object; `controller: true` names the one owner that manages it. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Which field manager last wrote which fields. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

/** `metadata` of an object. Times are RFC 3339 strings, as on the wire. */
export interface ObjectMeta {
  readonly name: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** What every stored object has. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** One page of a LIST, or the whole list when `metadata.continue` is absent. */
export interface KubernetesList<T extends KubernetesObject = KubernetesObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** Names an object of a known kind; `namespace` is absent for cluster-scoped kinds. */
export interface Ref {
  readonly name: string;
  readonly namespace?: string;
}

/** One entry of `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export type ConditionStatus = "True" | "False" | "Unknown";

/** What has no members to go into; a branded string is an object to the compiler, and stays as it is. */
type Scalar = string | number | boolean | null | undefined;

/** `T` with every property and element read-only, at any depth. Branded strings and numbers stay what they are. */
export type DeepReadonly<T> = T extends Scalar
  ? T
  : T extends readonly (infer U)[]
    ? readonly DeepReadonly<U>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

/** `T` with every property and element writable, at any depth: the type of a draft. */
export type Mutable<T> = T extends Scalar
  ? T
  : T extends readonly (infer U)[]
    ? Mutable<U>[]
    : T extends object
      ? { -readonly [K in keyof T]: Mutable<T[K]> }
      : T;

/** `namespace/name`, or `name` alone for a cluster-scoped object: the key of caches and queues. */
export function keyOf(ref: Ref): string {
  return ref.namespace === undefined || ref.namespace === "" ? ref.name : `${ref.namespace}/${ref.name}`;
}

/** The inverse of {@link keyOf}. */
export function refOf(key: string): Ref {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
