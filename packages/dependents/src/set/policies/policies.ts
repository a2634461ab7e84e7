/** The policies of one object of a set: how it is ordered, adopted, updated and removed. Types and defaults. */
import type { Adoption } from "../../core/plan.ts";

/** How an existing object is updated. */
export type UpdatePolicy =
  /** Server-side apply: fields of other writers stay. */
  | "apply"
  /** Server-side apply that also takes the fields of listed field managers, so that fields which only they set are removed. */
  | "apply-and-reclaim"
  /** A PUT: fields of other writers are removed; finalizers stay. */
  | "replace"
  /** The object is deleted and created again. */
  | "recreate";

/** When an existing object is updated. */
export type ReconcilePolicy = "on-object-change" | "on-object-or-component-change" | "once";

/** What happens to an object that is not desired any more, and to all objects when the owner is deleted. */
export type RemovalPolicy =
  | "delete"
  | "orphan"
  /** The object stays when the set stops rendering it. */
  | "orphan-on-apply"
  /** The object stays when the owner is deleted. */
  | "orphan-on-delete";

/** Facts about the status of an object that its kind does not define, for `health()`. */
export interface StatusHint {
  /** The controller of the object sets `status.observedGeneration`: without it the object is not ready. @defaultValue false */
  readonly hasObservedGeneration?: boolean;
  /** The controller of the object sets the condition Ready: without it the object is not ready. @defaultValue false */
  readonly hasReadyCondition?: boolean;
  /** Conditions that must be True. @defaultValue none */
  readonly conditions?: readonly string[];
}

/** The policies that an operator or a custom resource sets for all objects of a set. */
export interface SetPolicies {
  /** Which existing objects may be taken. @defaultValue "ifUnowned" */
  readonly adopt?: Adoption;
  /** How an existing object is updated. @defaultValue "apply" */
  readonly update?: UpdatePolicy;
  /** When an existing object is updated. @defaultValue "on-object-change" */
  readonly reconcile?: ReconcilePolicy;
  /** What happens to an object that is removed. @defaultValue "delete" */
  readonly onRemoval?: RemovalPolicy;
  /**
   * Whether a namespace that objects use, and that the set does not render, is created when it is missing. It is never deleted.
   * @defaultValue "create" if Namespace is in `kinds`, else "fail"
   */
  readonly missingNamespaces?: "create" | "fail";
  /** Prefixes of the field managers whose fields "apply-and-reclaim" takes. @defaultValue ["kubectl"] */
  readonly reclaim?: readonly string[];
  /** Time after which an object of a kind that is not watched is applied again, in milliseconds. @defaultValue 60 minutes */
  readonly reapplyMs?: number;
}

/** Names an object of the set, for `after`: the object itself, or a text `Kind.group/name` or `Kind.group/namespace/name`. */
export type MemberRef =
  | string
  | {
      readonly apiVersion: string;
      readonly kind: string;
      readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
    };

/** The policies of one object. Annotations of the rendered object have the same meaning. */
export interface ObjectPolicies extends Omit<SetPolicies, "missingNamespaces" | "reclaim"> {
  /** The wave in which the object is applied, from -32768 to 32767. @defaultValue 0 */
  readonly apply?: number;
  /** The wave at whose end the object is purged: deleted, and not created again. @defaultValue it stays */
  readonly purge?: number;
  /** The order in which objects are removed, from -32768 to 32767. @defaultValue 0 */
  readonly remove?: number;
  /** Objects of the set that must be ready before this one is applied. @defaultValue none */
  readonly after?: readonly MemberRef[];
  /** Facts about the status of the object. @defaultValue none */
  readonly statusHint?: StatusHint;
}

/** The policies of one object with all defaults. */
export interface Policies {
  readonly apply: number;
  readonly purge: number | undefined;
  readonly remove: number;
  /** Keys of other objects of the set, as {@link memberKey} makes them. */
  readonly after: readonly string[];
  readonly adopt: Adoption;
  readonly update: UpdatePolicy;
  readonly reconcile: ReconcilePolicy;
  readonly onRemoval: RemovalPolicy;
  readonly statusHint: StatusHint | undefined;
  readonly reclaim: readonly string[];
  readonly reapplyMs: number;
}

/** The policies of an object that sets none. */
export const DEFAULT_POLICIES: Policies = Object.freeze({
  apply: 0,
  purge: undefined,
  remove: 0,
  after: Object.freeze([]),
  adopt: "ifUnowned",
  update: "apply",
  reconcile: "on-object-change",
  onRemoval: "delete",
  statusHint: undefined,
  reclaim: Object.freeze(["kubectl"]),
  reapplyMs: 3_600_000,
});
