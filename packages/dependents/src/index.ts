/**
 * `@treadle/dependents`: steps that keep the objects of an owner. Most programs import these names from `treadle`.
 * The core that converges one object is in `@treadle/dependents/unstable/core`.
 */

// The steps.
export { dependentApply } from "./dependent-apply.ts";
export { dependentApplyAll, type DependentApplyAllOptions } from "./dependent-apply-all.ts";
export type {
  Adoption,
  OnImmutable,
  AnyDependentStep,
  DeepPartial,
  DependentInputs,
  DependentOptions,
  DependentsOf,
  DependentStep,
  Desired,
} from "./types.ts";

// The entries in the status of an owner.
export {
  type DependentEntry,
  type DependentIdentity,
  dependentsOf,
  type DependentState,
  worstDependent,
} from "./core/entries.ts";
