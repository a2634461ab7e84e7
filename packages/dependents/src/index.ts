/**
 * `@treadle/dependents`: steps that keep the objects of an owner. Most programs import these names from `treadle`.
 * The core that converges one object is in `@treadle/dependents/unstable/core`.
 */

// The steps.
export { dependentApply } from "./dependent-apply.ts";
export { dependentApplyAll, type DependentApplyAllOptions, type OwnerOf } from "./dependent-apply-all.ts";
export type {
  Adoption,
  OnImmutable,
  AnyDependentStep,
  ClusterFacts,
  DeepPartial,
  DependentFields,
  DependentInputs,
  DependentOptions,
  DependentsOf,
  DependentStep,
  Desired,
  EachItem,
  GivenValues,
  GivenVars,
  SwitchProblem,
  SwitchRules,
} from "./types.ts";
export type { Gates } from "./gates.ts";

// Sets: many objects from one function.
export { dependentSet } from "./set/dependent-set.ts";
export { configured, type ConfiguredObject, type ObjectConfig, type RenderedObject } from "./set/configured.ts";
export { NoAnswer, type NoAnswerOptions } from "./set/render/no-answer.ts";
export { type Handover, handover, type Keeper } from "./set/handover.ts";
export { object } from "./set/object.ts";
export type { Manifest } from "./set/plan/member.ts";
export type {
  MemberRef,
  ObjectPolicies,
  ReconcilePolicy,
  RemovalPolicy,
  SetPolicies,
  StatusHint,
  UpdatePolicy,
} from "./set/policies/policies.ts";
export { type Edit, edited } from "./set/render/edited.ts";
export { manifests, type ManifestsOptions } from "./set/render/manifests.ts";
export { merged } from "./set/render/merged.ts";
export {
  fromSpec,
  type FromSpec,
  type SetState,
  setStatus,
  type SetStatusFields,
  specFields,
  type SetSpecFields,
  type WithSpec,
} from "./set/fragments.ts";
export type {
  Cluster,
  DependentSetOptions,
  GuardedKind,
  ObjectBody,
  Placement,
  Release,
  RenderContext,
  Renderer,
  ServedKinds,
  UnwatchedKind,
} from "./set/types.ts";

// Layers of a desired state, and gates.
export { layered } from "./layers/layered.ts";
export { type ContainerPredicate, containers, type ContainersOptions, onPods } from "./layers/pods.ts";
export { version } from "./layers/version.ts";
export type {
  ContainerPart,
  EditDraft,
  EntriesByKey,
  Layer,
  LayeredDesired,
  LayeredOptions,
  LayerInfo,
  LayerMerge,
  LayerPhase,
  MergePartial,
  PodsDraft,
  PodSpecPart,
} from "./layers/types.ts";

// The entries in the status of an owner.
export {
  type DependentEntry,
  type DependentIdentity,
  dependentsOf,
  type DependentState,
  worstDependent,
} from "./core/entries.ts";
