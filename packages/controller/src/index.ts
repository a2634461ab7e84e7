/**
 * `@treadle/controller`: the runtime of an operator. A manager runs handlers, each with a controller; sources, runnables,
 * probes, metrics, leader election and settings belong to it.
 */

// The manager and its options.
export type { Addable, AddOptions, Manager, ManagerAddress, ManagerAddresses, ManagerState, ManagerStatus } from "./manager.ts";
export { createManager } from "./manager/operator-manager.ts";
export type {
  DryRunOptions,
  ManagerClientOptions,
  ManagerOptions,
  MetricsOptions,
  ServerOptions,
  TlsFiles,
} from "./manager-options.ts";
export type { CertificateSource, CertifiedKey } from "./certificate-source.ts";
export { isManagerError, ManagerError, type ManagerErrorCode } from "./manager-error.ts";
export { cached, type CachedKind, type CachedOptions } from "./cached.ts";
export type { DrainedOptions, HeldObject } from "./manager/drain.ts";
export type { DryWrite } from "./dry-run/dry-write.ts";
export type { LeaderElectionOptions } from "./leader-election/options.ts";
export type { LeadershipStatus } from "./leader-election/election.ts";
export type { Check } from "./servers/probes.ts";
export type { SettleOptions } from "./manager/settle.ts";
export { createLogger, type LogFormat, type LogOptions } from "./log.ts";

// Controllers: which passes run, and when.
export type { Controller, ControllerStatus } from "./controller.ts";
export type { ControllerOptions } from "./controller-options.ts";
export type { SchedulingOptions } from "./driver/scheduling-options.ts";
export type { PassReport } from "./pass-report.ts";
export { and, not, or } from "@treadle/apimachinery";
export {
  annotationsChanged,
  deletionChanged,
  generationChanged,
  labelsChanged,
  type Predicate,
  resourceVersionChanged,
} from "./predicates.ts";

// Sources: what starts passes besides events.
export type { Source, SourceEnv } from "./sources/source.ts";
export { type Channel, channel, type ChannelOptions } from "./sources/channel.ts";
export {
  type DynamicWatches,
  dynamicWatches,
  type DynamicWatchesOptions,
  type OwnedWatches,
  type Watch,
} from "./sources/dynamic-watches.ts";
export { poll, type PollOptions } from "./sources/poll.ts";

// Runnables: what runs besides controllers.
export type { NamedWork, Runnable, RunnableEnv } from "./runnable.ts";
export { type HttpService, httpService, type HttpServiceOptions } from "./runnables/http-service.ts";
export { periodic, type PeriodicOptions } from "./runnables/periodic.ts";
export type { Every, Recurrence, Schedule, Scheduled } from "./runnables/recurring.ts";

// The rights of an operator.
export type { Leases } from "./rbac/leases.ts";
export type { RbacManifest } from "./rbac/bound-role.ts";
export { rbacManifests, type RbacManifestsOptions } from "./rbac/manifests.ts";
export { type Right, rightsOf, type RightsOptions } from "./rbac/rights.ts";
export { type PolicyRule, type RbacRules, rbacRules, type RbacRulesOptions } from "./rbac/rules.ts";

// Tools.
export { type InspectedManager, inspectManagers } from "./inspect-managers.ts";
export { migrateStoredVersions, type StoredVersions, type StoredVersionsOptions } from "./migrate-stored-versions.ts";
