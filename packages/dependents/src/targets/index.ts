/**
 * `@treadle/dependents/targets`: objects in another cluster, or in this one as another user. Loaded where it is used.
 */
export { isTargetError } from "./target-error.ts";
export { type Targets, targets, type TargetsOptions } from "./targets.ts";
export type {
  KnownTarget,
  RefusedTarget,
  StoredUser,
  Target,
  TargetAllowance,
  TargetConnection,
  TargetDefinition,
  TargetEntry,
  TargetIdentity,
  TargetOptions,
  TargetServices,
  TargetUser,
  TargetWatches,
  TargetWatchHold,
} from "./types.ts";
export { serviceAccount, type ServiceAccountOptions, user } from "./users.ts";
