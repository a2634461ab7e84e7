/** `@treadle/managed`: one step for what lives outside the cluster. Most programs import these names from `treadle`. */
export {
  managedSpec,
  type ManagedSpec,
  managedStatus,
  type ManagedStatus,
  managedTraits,
  type ManagedTraits,
  type ManagementPolicy,
} from "./fragments.ts";

// The provider: connection, limits, breaker.
export {
  type ConnectArgs,
  type Provider,
  provider,
  type ProviderOptions,
} from "./provider/provider.ts";
export type { Rate } from "./provider/rate.ts";
export { CredentialsRefused, isCredentialsRefused, isNotConnected, isThrottled, NotConnected, Throttled } from "./provider/errors.ts";
export { secretText } from "./provider/secret-text.ts";

// What is around the managed step.
export {
  reference,
  type Reference,
  type ReferenceName,
  type ReferenceOptions,
  type References,
  type ReferenceSelector,
  type ReferencesOf,
  type Resolve,
} from "./reference.ts";
export { connectionSecret, type ConnectionSecretOptions } from "./connection-secret.ts";
export { generatedSecret, generatedSecretName, type GeneratedSecretOptions } from "./generated-secret.ts";
export { providerConfigs, type ProviderConfigsOptions } from "./provider-configs.ts";

// The managed step.
export { managed } from "./managed.ts";
export type {
  CallArgs,
  CallResult,
  Comparable,
  CreateArgs,
  DeleteArgs,
  DesiredArgs,
  DesiredProblem,
  External,
  ExternalState,
  ExternalStateType,
  ManagedOptions,
  ManagedStep,
  NameArgs,
  ObserveArgs,
  OwnerArgs,
  RecoverArgs,
  RedactKey,
  Showable,
  SpecOf,
  StatusProblem,
  Unobserved,
  UpdateArgs,
} from "./types.ts";
export type { ExternalChange, ExternalVerb } from "./change.ts";
export { externalMetrics } from "./external-metrics.ts";
export { EXTERNAL_NAME_ANNOTATION, externalNames, type ExternalNames, POLL_INTERVAL_ANNOTATION, type ShortNameOptions } from "./names.ts";
