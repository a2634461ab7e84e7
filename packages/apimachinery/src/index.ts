export type { Cache, CacheListOptions } from "./cache.ts";
export { type Clock, type FakeClock, fakeClock, isFakeClock, sleep, systemClock, type Timer } from "./clock.ts";
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
export { CustomResourceDefinition } from "./crd.ts";
export type {
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
export { crdOf, defineResource } from "./define-resource.ts";
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
export { DefinitionError, type DefinitionProblem, isDefinitionError } from "./definition-error.ts";
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
export {
  type FieldRequirement,
  type FieldRequirements,
  fieldText,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from "./field-selectors.ts";
export {
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  groupResourceOf,
  groupOf,
  gvkOf,
  gvrOf,
  isOfKind,
  parseApiVersion,
} from "./gvk.ts";
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
  type ResourceTraits,
  type SchemaProblem,
  type UntypedObject,
  type WriteOf,
} from "./kind.ts";
export { isMetadataOnly, metadataOf, metadataOnly, type MetadataOnlyKind } from "./metadata-only.ts";
export { compareResourceVersions } from "./resource-version.ts";
export {
  formatLabelSelector,
  isSelectorError,
  type LabelOperator,
  type LabelRequirement,
  type LabelRequirements,
  type LabelSelector,
  type LabelSelectorRequirement,
  labelRequirements,
  matchesLabels,
  parseLabelSelector,
  SelectorError,
} from "./label-selectors.ts";
export { conditionsWrittenBy, keepOwnManagedFields } from "./managed-fields.ts";
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
export type { ObjectMetaInput } from "./object-input.ts";
export { orAborted } from "./or-aborted.ts";
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
} from "./objects.ts";
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
export {
  applyJsonPatch,
  applyMergePatch,
  createMergePatch,
  isPatchError,
  jsonEqual,
  type JsonPatchOperation,
  PatchError,
} from "./patches.ts";
export { type Random, randomName, seededRandom, systemRandom } from "./random.ts";
export type { ApiRequest, ApiResponse, Transport } from "./transport.ts";
export { TurnBudget, type TurnBudgetOptions } from "./turn-budget.ts";
