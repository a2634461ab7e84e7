export { type Clock, type FakeClock, fakeClock, sleep, systemClock, type Timer } from "./clock.ts";
export {
  ApiError,
  type ApiErrorCode,
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
export { apiVersionOf, groupKindOf, type Kind, kind, type ObjectOf, pathOf, type UntypedObject, type WriteOf } from "./kind.ts";
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
export { type Random, randomName, seededRandom, systemRandom } from "./random.ts";
export type { ApiRequest, ApiResponse, Transport } from "./transport.ts";
