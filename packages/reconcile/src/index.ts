export type { CleanupExit, Conditions, Declared, DeclaredIn, Exit, UndeclaredCondition } from "./condition.ts";
export {
  BuildError,
  isReconcileError,
  isRetryAfterError,
  isTerminalError,
  ReconcileError,
  type ReconcileErrorCode,
  RetryAfterError,
  TerminalError,
} from "./errors.ts";
export { type AnyHandler, type Handler, handler, type HandlerBuilder } from "./handler.ts";
export type { PassResult, PhaseReport, Requeue, Strays } from "./pass-result.ts";
export { type Permission, type PermissionVerb } from "./permission.ts";
export {
  many,
  type ManyOf,
  type ManySelector,
  one,
  owned,
  type OneOf,
  type Read,
  type ReadOptions,
  type Reads,
  type ReadsOf,
} from "./reads.ts";
export { createReconciler, type PassOptions, type Reconciler } from "./reconciler.ts";
export type { DrainRule, EventNote, PhaseWatch, ReconcilerEnv, RunningPhase, UndeclaredUse } from "./env.ts";
export type {
  Deadlines,
  HandlerOptions,
  Predecessor,
  WatchByLabel,
  WatchByMap,
  WatchByMapOfMetadata,
  WatchByOwner,
  WatchByRefs,
  WatchedOf,
  HandlerWatchOptions,
} from "./handler-options.ts";
export type {
  ActiveReq,
  ApplyOptions,
  Cache,
  CleanupReq,
  DoReq,
  Drafts,
  GateReq,
  Logger,
  Outcome,
  PostReq,
  Req,
  ReqBase,
  ReqClient,
  StatusOf,
} from "./req.ts";
export type { AnyResult, Continue, StepResult, Stop, Wait } from "./result.ts";
export {
  all,
  anyKind,
  type AnyStep,
  type DoResult,
  type NeedsOf,
  type Problem,
  type ProvidesOf,
  type Startable,
  type Step,
  step,
  type StepDefinition,
} from "./step.ts";
export { conditions, type ConditionsOptions } from "./steps/conditions.ts";
export { defaults, type DefaultsOptions } from "./steps/defaults.ts";
export { finalizer, type FinalizerOptions } from "./steps/finalizer.ts";
export { guard, type GuardOptions } from "./steps/guard.ts";
export { pause, PAUSED_ANNOTATION, type PauseOptions } from "./steps/pause.ts";
export { prerequisite, type PrerequisiteOptions } from "./steps/prerequisite.ts";
export { validate, type ValidateOptions } from "./steps/validate.ts";
export { RECONCILE_REQUESTED_ANNOTATION, SKIP_CLEANUP_ANNOTATION } from "./build/names.ts";
