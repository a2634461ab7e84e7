/**
 * The vocabulary that all packages of Treadle share: objects, kinds, custom resources, selectors, conditions, ownership,
 * patches, errors of the API, and time as a service. Plain data and pure functions; nothing here opens a connection.
 *
 * Built-in kinds are in `@treadle/apimachinery/kinds`.
 */

// Objects and references.
export {
  type Condition,
  type ConditionStatus,
  type DeepReadonly,
  keyOf,
  type KubernetesList,
  type KubernetesObject,
  type ManagedFieldsEntry,
  type Mutable,
  type ObjectMeta,
  type OwnerReference,
  type Ref,
  refOf,
  type Scalar,
} from "./objects.ts";
export type { ObjectMetaInput } from "./object-input.ts";
export { compareResourceVersions } from "./resource-version.ts";

// Kinds: what an object type is called, where it is served, and what its objects look like.
export {
  apiVersionOf,
  type CachedAsMetadata,
  groupKindOf,
  type Kind,
  kind,
  kindIdOf,
  type MetadataOf,
  type ObjectOf,
  pathOf,
  type KeptSteps,
  type ResourceTraits,
  type SchemaProblem,
  type KindNames,
  type TypedInput,
  type TypedObject,
  type UntypedObject,
  type WriteOf,
} from "./kind.ts";
export { isMetadataOnly, metadataOf, metadataOnly, type MetadataOnlyKind } from "./metadata-only.ts";
export {
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  groupOf,
  groupResourceOf,
  gvkOf,
  gvrOf,
  isOfKind,
  parseApiVersion,
} from "./gvk.ts";

// Custom resources, declared with zod.
export { crdOf, defineResource } from "./define-resource.ts";
export type { HubOf, KnownHub, NoVersions, VersionsProblem } from "./hub-version.ts";
export { DefinitionError, type DefinitionProblem, isDefinitionError } from "./definition-error.ts";
export type {
  ColumnPath,
  CustomResource,
  CustomResourceInput,
  EngineStatus,
  FieldPath,
  InputOf,
  NoFields,
  OutputOf,
  PrinterColumnInput,
  ReservedStatusField,
  Resource,
  ResourceCommon,
  ResourceDefinition,
  ResourceOf,
  VersionDefinition,
  VersionedResource,
  VersionedResourceDefinition,
  VersionOf,
} from "./resource-definition.ts";

// The CRD that follows from such a declaration.
export { CustomResourceDefinition } from "./crd.ts";
export type {
  ConversionWebhook,
  CrdOptions,
  CustomResourceDefinitionInput,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  JsonSchema,
  PrinterColumn,
  ScaleSubresource,
  ValidationRule,
} from "./crd-types.ts";

// Conditions.
export {
  CONDITION_LIMITS,
  type ConditionInput,
  conditionProblems,
  equalConditions,
  findCondition,
  formatTime,
  isConditionReason,
  isConditionTrue,
  mergeConditions,
  setCondition,
} from "./conditions.ts";

// Owners of objects and of fields.
export {
  canReference,
  controllerReference,
  type Ownership,
  ownerAnnotations,
  ownerId,
  ownerIdLabel,
  ownerLabels,
  ownership,
} from "./ownership.ts";
export { conditionsWrittenBy, keepOwnManagedFields } from "./managed-fields.ts";

// Selectors.
export {
  formatLabelSelector,
  isSelectorError,
  type LabelOperator,
  type LabelRequirement,
  type LabelRequirements,
  labelRequirements,
  type LabelSelector,
  type LabelSelectorRequirement,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
} from "./label-selectors.ts";
export {
  type FieldRequirement,
  type FieldRequirements,
  fieldText,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from "./field-selectors.ts";

// Combinations of event predicates and of gates.
export { and, type CombinedGate, type Gate, not, or } from "./gates.ts";

// Checks of names.
export {
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  isDns1123Label,
  isDns1123Subdomain,
  labelKeyProblems,
  labelValueProblems,
  MAX_LABEL_LENGTH,
  MAX_SUBDOMAIN_LENGTH,
  shortenName,
} from "./names.ts";

// Patches.
export {
  applyJsonPatch,
  applyMergePatch,
  createMergePatch,
  isPatchError,
  jsonEqual,
  type JsonPatchOperation,
  PatchError,
} from "./patches.ts";
export { createJsonPatch } from "./json-patch-of.ts";

// Errors of the API, and guards for them.
export {
  ApiError,
  type ApiErrorCode,
  conflictsOf,
  type FieldConflict,
  isAborted,
  isAlreadyExists,
  isApiError,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isKindNotServed,
  isNotFound,
  isTooManyRequests,
  type Status,
  type StatusCause,
} from "./errors.ts";

// Services that are passed as parameters, so that tests run in virtual time and without a network.
export { type Clock, type FakeClock, fakeClock, isFakeClock, sleep, systemClock, type Timer } from "./clock.ts";
export { type Random, randomName, seededRandom, systemRandom } from "./random.ts";
export type { ApiRequest, ApiResponse, Transport } from "./transport.ts";
export type { Cache, CacheListOptions } from "./cache.ts";

// Waiting, and sharing the event loop.
export { AbortableWaits, orAborted } from "./or-aborted.ts";
export { TurnBudget, type TurnBudgetOptions } from "./turn-budget.ts";
