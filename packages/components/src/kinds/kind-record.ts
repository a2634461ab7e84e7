/** A kind as components see it: a plain data record. Types only. */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import type { ComponentReason } from "../reasons.ts";

/**
 * The category of a kind decides its words. A `workload` runs (Healthy). A `task` runs to completion (Completed). An `integration`
 * depends on another controller (Operational). A `static` object is ready when it exists, and does not count for the condition.
 */
export type Category = "workload" | "task" | "integration" | "static";

/** The state of one object, in the words of its category. */
export interface ResourceState {
  /** The word. */
  readonly reason: ComponentReason;
  /** A sentence for people, without the name of the resource. */
  readonly message: string;
}

/** What `state` gets besides the object. */
export interface StateFacts {
  /** What the pass wrote: the object was created, it was changed, or there was nothing to write. */
  readonly operation: "created" | "updated" | "none";
  /** The paths of the fields that the pass changed, such as `spec.replicas`; empty unless `operation` is `updated`. */
  readonly changed: readonly string[];
  /** The word of the object in the last pass; `undefined` if it had none. */
  readonly previous: ComponentReason | undefined;
}

/** What is left of an object that has not converged in time. */
export type Grade = "Healthy" | "Degraded" | "Down";

/** The way to suspend an object. */
export interface Suspend {
  /** The fields that suspend the object. They are merged into its desired state as those of a last layer. @defaultValue none */
  readonly merge?: object;
  /** Whether the object is deleted when it is suspended; an absent object is then not created. @defaultValue false */
  readonly delete?: boolean;
}

/** A kind record describes one kind of resources. All functions are pure. */
export interface KindRecord<K extends Kind = Kind> {
  /** The kind. */
  readonly kind: K;
  /** The category. */
  readonly category: Category;
  /** Returns the state of a live object. @defaultValue from `health()`, in the words of the category */
  readonly state?: (live: ObjectOf<K>, facts: StateFacts) => ResourceState;
  /** Returns the grade of an object that has not converged within the grace period. @defaultValue the kind is not graded */
  readonly grace?: (live: ObjectOf<K>) => Grade;
  /** How an object is suspended. @defaultValue it cannot be suspended, and stays applied */
  readonly suspend?: Suspend;
  /** Returns whether a live object is suspended. @defaultValue it is, as soon as `suspend` is applied */
  readonly isSuspended?: (live: ObjectOf<K>) => boolean;
  /** Paths of fields that the server does not let change, such as `spec.template`. @defaultValue those that are known of the kind */
  readonly immutable?: readonly string[];
}

/** A {@link KindRecord} of any kind, as the engine of components uses it. Its functions are methods: records of all kinds fit it. */
export interface AnyKindRecord extends Pick<KindRecord, "kind" | "category" | "suspend" | "immutable"> {
  /** As {@link KindRecord.state}. */
  state?(live: KubernetesObject, facts: StateFacts): ResourceState;
  /** As {@link KindRecord.grace}. */
  grace?(live: KubernetesObject): Grade;
  /** As {@link KindRecord.isSuspended}. */
  isSuspended?(live: KubernetesObject): boolean;
}
