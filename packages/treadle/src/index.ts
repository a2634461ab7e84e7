/**
 * What most operators need, from one place. Everything here belongs to a package that can be used alone and has more:
 * @treadle/apimachinery, @treadle/client, @treadle/reconcile, @treadle/dependents, @treadle/components and @treadle/controller. Built-in kinds: `treadle/kinds`.
 */

// Resources and objects.
export {
  type Condition,
  controllerReference,
  crdOf,
  defineResource,
  type Kind,
  keyOf,
  kind,
  type KubernetesObject,
  metadataOnly,
  type ObjectOf,
  ownerLabels,
  ownership,
  type Ref,
  type WriteOf,
} from "@treadle/apimachinery";

// How an object is, by its own status.
export { type Health, health, type HealthHint, type HealthOptions } from "@treadle/apimachinery/health";

// Errors of the API, and how to tell them apart.
export {
  ApiError,
  isAlreadyExists,
  isApiError,
  isConflict,
  isForbidden,
  isInvalid,
  isKindNotServed,
  isNotFound,
} from "@treadle/apimachinery";
export { isTransient } from "@treadle/client";

// Steps and handlers.
export { all, anyKind, handler, many, one, optional, owned, type Permission, step, through } from "@treadle/reconcile";
export type {
  CleanupReq,
  DoReq,
  GateReq,
  Handler,
  HandlerBuilder,
  KindWatch,
  OptionalStep,
  Outcome,
  PostReq,
  RankedCondition,
  Req,
  ReqClient,
  Step,
  StepResult,
} from "@treadle/reconcile";

// Steps that many operators have.
export { conditions, defaults, finalizer, guard, pause, prerequisite, validate } from "@treadle/reconcile";
export { dependentApply, dependentApplyAll } from "@treadle/dependents";

// Features with one lifecycle and one condition each.
export {
  component,
  type ComponentOf,
  type ComponentReason,
  componentReasons,
  type ComponentStep,
  type KindRecord,
  type OwnerInput,
  type RenderedObject,
} from "@treadle/components";

// A desired state in layers, and gates for them. `and`, `or` and `not` combine gates as well as predicates.
export {
  containers,
  type Gates,
  type Layer,
  layered,
  type LayeredDesired,
  type LayerMerge,
  type LayerPhase,
  type MergePartial,
  onPods,
  version,
} from "@treadle/dependents";
export type { Gate } from "@treadle/apimachinery";

// Sets: many objects from one function, what renders them, and fields of the custom resource for it.
export {
  type Cluster,
  dependentSet,
  type DependentSetOptions,
  type Edit,
  edited,
  fromSpec,
  type GuardedKind,
  type Handover,
  handover,
  type Keeper,
  type Manifest,
  manifests,
  type ManifestsOptions,
  type MemberRef,
  merged,
  object,
  type ObjectBody,
  type ObjectPolicies,
  type Placement,
  type ReconcilePolicy,
  type Release,
  type RemovalPolicy,
  type RenderContext,
  type Renderer,
  type ServedKinds,
  type SetPolicies,
  type SetState,
  setStatus,
  specFields,
  type StatusHint,
  type UnwatchedKind,
  type UpdatePolicy,
} from "@treadle/dependents";

// Objects of a set with what their author decides in code.
export {
  configured,
  type ConfiguredObject,
  type ObjectConfig,
} from "@treadle/dependents";

// What an object says of its dependents.
export {
  type DependentEntry,
  type DependentInputs,
  type DependentOptions,
  type DependentState,
  type DependentStep,
  type Desired,
  type EachItem,
  type GivenValues,
  type GivenVars,
  dependentsOf,
  type OnImmutable,
  worstDependent,
} from "@treadle/dependents";

// What a step throws to say more than "it failed".
export { RetryAfterError, TerminalError } from "@treadle/reconcile";

// The process around the handlers, and connections of one's own.
export {
  createManager,
  type ControllerOptions,
  type Manager,
  type ManagerOptions,
  type PassReport,
  periodic,
} from "@treadle/controller";
export { type Client, connect, createClient } from "@treadle/client";

// A change that is made anew when it conflicts. @treadle/client has more.
export { modify } from "@treadle/client";

// Which events of a primary start a pass: `manager.add(handler, { predicate: or(generationChanged, labelsChanged) })`.
export {
  and,
  annotationsChanged,
  deletionChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  type Predicate,
  resourceVersionChanged,
} from "@treadle/controller";

// The rights of an operator, from what its handlers declare; `treadle-rbac` prints them as YAML.
export { type RbacManifest, rbacManifests, type RbacManifestsOptions } from "@treadle/controller";
