/**
 * The shapes that every Kubernetes object shares, as the API server sends them: plain JSON, read-only.
 * A value of these types may be frozen and shared between passes.
 */

/** A reference to an owner of an object. At most one reference of an object has `controller: true`: its owner manages the object. */
export interface OwnerReference {
  /** The owner's group and version. */
  readonly apiVersion: string;
  /** The owner's kind. */
  readonly kind: string;
  /** The owner's name. A namespaced owner is in the namespace of the object. */
  readonly name: string;
  /** The owner's uid. */
  readonly uid: string;
  /** Whether this owner manages the object. */
  readonly controller?: boolean;
  /** Whether a foreground deletion of the owner waits for the object. */
  readonly blockOwnerDeletion?: boolean;
}

/** The fields that one field manager last wrote with one operation. */
export interface ManagedFieldsEntry {
  /** The name of the field manager. */
  readonly manager?: string;
  /** How the manager wrote the fields. */
  readonly operation?: "Apply" | "Update";
  /** The version of the object in which `fieldsV1` names the fields. */
  readonly apiVersion?: string;
  /** Time of the last change of this entry. */
  readonly time?: string;
  /** The format of `fieldsV1`, always `FieldsV1`. */
  readonly fieldsType?: string;
  /** The fields, as a tree of `f:`, `k:` and `v:` keys. */
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  /** The subresource that was written; absent for the object itself. */
  readonly subresource?: string;
}

/** The `metadata` of an object. Times are RFC 3339 strings, as on the wire. */
export interface ObjectMeta {
  /** Name, unique among the objects of one kind in a namespace. */
  readonly name: string;
  /** Prefix from which the server made the name. */
  readonly generateName?: string;
  /** Namespace; absent for cluster-scoped objects. */
  readonly namespace?: string;
  /** Id of this object, never used again for another one. */
  readonly uid?: string;
  /** Number that the server increases with each change of the desired state. */
  readonly generation?: number;
  /** Version of the object, changed by every write. */
  readonly resourceVersion?: string;
  /** Time when the object was created. */
  readonly creationTimestamp?: string;
  /** Time when the deletion was requested; present while finalizers keep the object. */
  readonly deletionTimestamp?: string;
  /** Seconds that the object has to end before it is removed. */
  readonly deletionGracePeriodSeconds?: number;
  /** Labels, by which selectors find the object. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations, for which no selector exists. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Finalizers; the server removes a deleted object only when none is left. */
  readonly finalizers?: readonly string[];
  /** Owners; the garbage collector removes the object when all of them are deleted. */
  readonly ownerReferences?: readonly OwnerReference[];
  /** Which field manager wrote which fields. */
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** The part that every stored object has. */
export interface KubernetesObject {
  /** Group and version, `apps/v1`; the version alone in the core group. */
  readonly apiVersion: string;
  /** Name of the kind, `Deployment`. */
  readonly kind: string;
  /** Name, labels and everything else that objects of all kinds have. */
  readonly metadata: ObjectMeta;
}

/** One page of a LIST, or the whole list when `metadata.continue` is absent. */
export interface KubernetesList<T extends KubernetesObject = KubernetesObject> {
  /** Group and version of the list. */
  readonly apiVersion: string;
  /** Kind of the list, `DeploymentList`. */
  readonly kind: string;
  /** Version of the list, and how to get the next page. */
  readonly metadata: {
    /** Version of the whole list, from which a watch can begin. */
    readonly resourceVersion?: string;
    /** Token of the next page; absent or empty on the last page. */
    readonly continue?: string;
    /** Number of objects on the pages to come, if the server knows it. */
    readonly remainingItemCount?: number;
  };
  /** The objects of this page. */
  readonly items: readonly T[];
}

/** A reference to an object of a known kind. */
export interface Ref {
  /** Name of the object. */
  readonly name: string;
  /** Namespace of the object; absent for cluster-scoped kinds. */
  readonly namespace?: string;
}

/** One entry of `status.conditions`. */
export interface Condition {
  /** The aspect that the condition describes, `Ready`. */
  readonly type: string;
  /** Whether the aspect holds. */
  readonly status: ConditionStatus;
  /** The reason, as one CamelCase word for programs. */
  readonly reason: string;
  /** The details, as text for people. */
  readonly message: string;
  /** Time when `status` last changed. */
  readonly lastTransitionTime: string;
  /** The `metadata.generation` that the condition describes. */
  readonly observedGeneration?: number;
}

/** The status of a condition. */
export type ConditionStatus = "True" | "False" | "Unknown";

/** A value of JSON without members, or `undefined`. To the compiler a branded string is an object; it must stay as it is. */
export type Scalar = string | number | boolean | null | undefined;

/** `T` with every property and element read-only, at any depth. Branded strings and numbers stay as they are. */
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

/** Returns the key of an object in caches and queues: `namespace/name`, or `name` alone for a cluster-scoped object. */
export function keyOf(ref: Ref): string {
  return ref.namespace === undefined || ref.namespace === "" ? ref.name : `${ref.namespace}/${ref.name}`;
}

/** Returns the reference for a key that {@link keyOf} made. */
export function refOf(key: string): Ref {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
