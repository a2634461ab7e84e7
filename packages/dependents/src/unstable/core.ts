/**
 * `@treadle/dependents/unstable/core`: converges, removes and reports single objects, without a step. For packages that keep
 * many objects of one owner. Not for operators; it may change in any version.
 */

// One object: its plan, and what became of it.
export { converge, remembered } from "../core/converge.ts";
export type { Adoption, Again, Converged, Drift, Once, Operation, Plan, Policy, Writes } from "../core/plan.ts";
export { immutableFieldsOf, type OnImmutable } from "../core/immutable.ts";
export type { TimeUse, Timing } from "../core/timing.ts";
export { type Asker, type Inputs, type SeenInputs, SharedInputs } from "../core/inputs.ts";

// Who asks, and what is remembered between passes.
export type { Context, ObjectCache, UnitInfo } from "../core/context.ts";
export {
  type Applied,
  DependentsMemory,
  type Given,
  type ObjectMemory,
  type Pace,
  type Refused,
  type Settled,
  type UnitMemory,
} from "../core/memory.ts";

// Removing objects, and leaving them behind.
export { type Kept, keptOf, mayHaveObjects, NONE, type Removal, remove, type Removed } from "../core/remove.ts";
export { release, type ReleaseOptions } from "../core/release.ts";
export { isMadeByUs, type Ownership, ownershipOf } from "../core/ownership.ts";

// Entries for the status of the owner.
export {
  type DependentEntry,
  type DependentIdentity,
  dependentsOf,
  type DependentState,
  entriesOfStep,
  type EntryOwner,
  mergeDependents,
  type NewEntry,
  type StepEntries,
  storedDependents,
  worstDependent,
} from "../core/entries.ts";
export { identityOf, marksOf, titleOf } from "../core/marks.ts";

// Calls of authors' functions, and the names of their answers in errors.
export { called, nameOfAnswer } from "../core/ask.ts";
