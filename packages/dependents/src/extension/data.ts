/** The data and the findings of the extension behind dependentApply(). Types only. */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Cache } from "@treadle/reconcile";
import type { ChainPass, EndedPass, ExtendedStep, ExtensionPass, Probe, StepRuntime } from "@treadle/reconcile/unstable/engine";
import type { DependentIdentity, DependentState, NewEntry } from "../core/entries.ts";
import type { DependentsMemory } from "../core/memory.ts";
import type { Absence } from "../entry-condition.ts";
import type { Dependent } from "../dependent.ts";
import type { LiveObjects, METADATA_ONLY } from "../objects.ts";
import type { Course, SeenObject } from "../supervision.ts";

/** The name of an object as far as the options give it. A missing part is that of the owner. */
export interface FixedName {
  readonly kind: Kind;
  readonly name: string | undefined;
  /** `undefined` for a cluster-scoped kind, too. */
  readonly namespace: string | undefined;
}

/** The data that a step gives to the extension. */
export interface DependentData {
  /** The options of the step with their defaults; `undefined` for a step that keeps objects of several kinds. */
  readonly dependent: Dependent | undefined;
  /** The name of the one object that it creates; `undefined` if a function names it, and for a step with `each`. */
  readonly fixedName: FixedName | undefined;
  /** Whether it has entries in `status.dependents`. */
  readonly hasEntries: boolean;
  /** The groups of which it has its target; empty: it has none, or its own. */
  readonly targetGroups: ReadonlySet<StepRuntime>;
  /** Whether it keeps this object; `undefined`: that is not known. @throws what the author's functions throw */
  readonly keeps: (object: KubernetesObject, kind: Kind, ref: Ref) => boolean | undefined;
  /** Returns the problems of the step for objects of `primary`; each text names the fix. */
  readonly problems: (primary: Kind) => readonly string[];
  /** Returns the steps in `dependsOn`. Called when the handler is built: until then authors may add to their list. */
  readonly dependsOn: () => readonly (StepRuntime | undefined)[];
  /** Returns `isWanted` as a var, and writes nothing: for a step that must wait. `undefined`: the object is always desired. */
  readonly whetherWanted: Probe | undefined;
  /**
   * Returns the live objects in the cache, for a step that has reported no object in this pass; `METADATA_ONLY` if the cache has
   * nothing else of them.
   */
  readonly cached: (object: KubernetesObject, cache: Cache) => LiveObjects | typeof METADATA_ONLY;
  /** Returns the entries for objects that the pass has not seen. Never throws. */
  readonly entriesFor: (object: KubernetesObject, given: UnseenDependent) => readonly NewEntry[];
  /** Returns the entry for an object in the cache that the pass has not reached; `undefined`: it does not exist, or is not ours. Never throws. */
  readonly unreached: (given: UnreachedDependent) => NewEntry | undefined;
}

/** An object that an earlier pass has reported. */
export interface UnreachedDependent {
  readonly pass: Pick<DependentPass, "object" | "cache" | "handler">;
  /** The entry of that pass. */
  readonly entry: NewEntry;
}

export interface UnseenDependent {
  readonly state: DependentState;
  readonly error: unknown;
  /** The objects in the previous entries, for names that cannot be computed now. */
  readonly known: readonly DependentIdentity[];
}

/** The findings of the steps in one pass, by name of the step. */
export interface DependentFindings {
  readonly entries: Map<string, readonly NewEntry[] | "keep">;
  readonly live: Map<string, LiveObjects>;
  /** The steps whose entries show which of their objects failed. */
  readonly told: Set<string>;
  /** The steps whose objects are no longer desired, and still exist. */
  readonly unwanted: Set<string>;
  /** Why a step keeps no object. */
  readonly absences: Map<string, Absence>;
  /** The steps that each blocked part waits for. */
  readonly blockers: Map<StepRuntime, readonly StepRuntime[]>;
  /** The objects of supervised steps. */
  readonly seen: Map<string, readonly SeenObject[]>;
  /** The objects of supervised steps that are still to be removed, as messages name them. */
  readonly leaving: Map<string, readonly string[]>;
  /** The courses of supervised steps. */
  readonly courses: Map<string, Course>;
  /** The objects of supervised steps for which a delete was sent, and those that were released. */
  readonly removed: Map<string, { readonly deleted: readonly Ref[]; readonly released: readonly Ref[] }>;
}

export type DependentPass = ExtensionPass<DependentData, DependentsMemory, DependentFindings>;
export type DependentChain = ChainPass<DependentData, DependentsMemory, DependentFindings>;
export type DependentEnd = EndedPass<DependentData, DependentsMemory, DependentFindings>;
export type ExtendedDependent = ExtendedStep<DependentData>;
