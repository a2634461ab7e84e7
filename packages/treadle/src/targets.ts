/**
 * Target clusters: objects in another cluster, or in this one as another user. An entry point apart, because only some operators use it.
 * `@treadle/dependents/targets` has more.
 */
export {
  isTargetError,
  serviceAccount,
  type ServiceAccountOptions,
  type Target,
  type TargetAllowance,
  type TargetOptions,
  type Targets,
  targets,
  type TargetsOptions,
  type TargetUser,
  user,
} from "@treadle/dependents/targets";
