/** What `converge()` is asked for, and what it answers. Types only. */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { HealthHint } from "@treadle/apimachinery/health";
import type { DependentState } from "./entries.ts";
import type { OnImmutable } from "./immutable.ts";
import type { Inputs, SharedInputs } from "./inputs.ts";

/**
 * Decides whether an object may be taken that this unit did not create. `ifUnowned`: an object without a controller;
 * `force`: an object of any owner.
 */
export type Adoption = "never" | "ifUnowned" | "force";

/**
 * How an existing object is written. `apply`: server-side apply, fields of other writers stay. `replace`: a PUT, fields of other
 * writers are removed and finalizers stay. `recreate`: the object is deleted, and created in a later pass.
 */
export type Writes = "apply" | "replace" | "recreate";

/** What the author allows for one object. It does not change while the process runs. */
export interface Policy {
  /** Kind of the object. */
  readonly kind: Kind;
  /** The object carries the marks of its owner, and is deleted with it. */
  readonly isOwned: boolean;
  /** The object is created when it is missing. */
  readonly isCreated: boolean;
  /** The object follows the desired state after it was created. */
  readonly isUpdated: boolean;
  /** A watch reports changes of the object. */
  readonly isWatched: boolean;
  /** An object that another writer is to create, and that does not exist, is a failure. @defaultValue it is waited for */
  readonly isAbsenceFailure?: boolean;
  /** Which existing objects may be taken. */
  readonly adopt: Adoption;
  /** How the owner is marked; `undefined`: by reference where that is possible, else by label. */
  readonly ownership: "reference" | "label" | undefined;
  /** A custom merge in place of server-side apply; `undefined` from it means that there is nothing to write. */
  readonly update: ((live: KubernetesObject, desired: object) => object | undefined) | undefined;
  /** The name of the kind in messages; `undefined`: the kind. */
  readonly displayName: string | undefined;
  /** What happens when the desired state changes a field that the server does not let change. */
  readonly onImmutable: OnImmutable;
  /** The paths of those fields, e.g. `spec.template`. */
  readonly immutableFields: readonly string[];
  /** How an existing object is written. A custom merge in `update` outweighs it. @defaultValue "apply" */
  readonly writes?: Writes;
  /** Prefixes of field managers whose fields an apply takes, so that a field which only they set is removed. @defaultValue none */
  readonly reclaims?: readonly string[];
  /**
   * An object of an earlier owner with the kind, namespace and name of this one counts as an object without owner, as after a
   * restored backup. @defaultValue false: it is foreign
   */
  readonly adoptsNamesake?: boolean;
  /** Facts about the status of the object that its kind does not tell. @defaultValue none */
  readonly hint?: HealthHint;
}

/** The memory of objects that are to run to completion once. It is stored with the owner. */
export interface Once {
  /** Returns the digest of the desired state that was seen complete; `undefined`: none. */
  done(target: Ref): string | undefined;
  /** Stores the digest of a desired state that is complete. Safe to repeat. */
  note(target: Ref, digest: string): void;
}

/** One object as it is to become. */
export interface Plan {
  /** What the author allows. */
  readonly policy: Policy;
  /** Name and namespace of the object. */
  readonly target: Ref;
  /** The object as the pass read it; `undefined`: it does not exist. */
  readonly live: KubernetesObject | undefined;
  /** The desired state; `undefined`: the author only looks at the object. It is not asked for when `inputs` are the same as last time. */
  readonly desired: (() => object) | undefined;
  /** The desired state before a supervisor changed it, for `once`. @defaultValue the desired state */
  readonly unadjusted?: object | undefined;
  /** Whether an apply is refused when the object has changed since it was read. @defaultValue false: no other writer has its fields */
  readonly isGuarded?: boolean | undefined;
  /** Everything, besides the owner, that the author's functions get; `undefined`: nothing is remembered between passes. */
  readonly inputs: Inputs | undefined;
  /** `inputs` as many objects of the unit share them; `undefined`: the unit has one object. */
  readonly shared?: SharedInputs | undefined;
  /** Answers `true`, or a sentence that says why the object is not ready yet. `undefined`: its health decides. */
  readonly readyWhen: ((live: KubernetesObject) => true | string) | undefined;
  /** Set for an object that is not created again after it was seen ready, unless the desired state changes. */
  readonly once?: Once | undefined;
  /** Whether an update that reverts a change by another writer names that writer; it costs a request. @defaultValue false */
  readonly reportsDrift?: boolean;
  /** Refines the state for the status of the owner. */
  readonly refine: ((state: DependentState, live: KubernetesObject | undefined) => DependentState) | undefined;
}

/** A change by other writers that was reverted. */
export interface Drift {
  /** The fields that had another value than the desired one, at most ten. */
  readonly paths: readonly string[];
  /** The other field managers of those fields; empty where the fields were removed. */
  readonly managers: readonly string[];
}

/** What a call of `converge()` did to the object. Field paths only, never values. */
export type Operation =
  | { readonly type: "created" }
  /** `drift` is absent where the desired state has changed, and without {@link Plan.reportsDrift}. */
  | { readonly type: "updated"; readonly paths: readonly string[]; readonly drift?: Drift }
  | { readonly type: "unchanged" };

/** When to look again: when the watch reports a change, with the backoff of waiting passes, or after so many milliseconds. */
export type Again = "watch" | "backoff" | number;

/** What `converge()` found or made. `dueAtMs`: when the author's functions want to be called again, in the clock's milliseconds. */
export type Converged =
  | {
      readonly type: "there";
      readonly live: KubernetesObject;
      readonly state: DependentState;
      readonly operation: Operation;
      readonly dueAtMs?: number | undefined;
    }
  | {
      /** The object was complete, and was deleted since: it is not created again. */
      readonly type: "done";
      readonly live: undefined;
      readonly state: DependentState;
      readonly operation: Operation;
      readonly dueAtMs?: number | undefined;
    }
  | {
      readonly type: "not yet";
      readonly live: KubernetesObject | undefined;
      readonly state: DependentState;
      readonly again: Again;
      /** The desired state is stored, and only the object's readiness is missing. */
      readonly isApplied: boolean;
      /** Why the object could not be converged, before `refine`; `undefined`: only its readiness is missing. */
      readonly cause: string | undefined;
      /** `live` is the object that the unit keeps: not a foreign one, and not one that is to be created again. */
      readonly isKept: boolean;
      readonly operation: Operation;
      readonly dueAtMs?: number | undefined;
    };
