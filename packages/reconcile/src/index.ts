/**
 * What operators use of the engine: steps, handlers, and the types of their parts. What runs passes, and what extends the engine, is
 * in `@treadle/reconcile/unstable/engine`.
 */

// Steps.
export { all, anyKind, type AnyStep, type NeedsOf, optional, type OptionalStep, type Step, step, type StepDefinition } from "./step.ts";
export type { Permission, PermissionVerb } from "./permission.ts";
export type { AnyResult, Continue, StepResult, Stop, Wait } from "./result.ts";

// Reads of other objects, declared by a step.
export {
  many,
  type ManyOf,
  type ManySelector,
  type IfNotServed,
  one,
  owned,
  type OneOf,
  type OwnedKind,
  type Read,
  type ReadOptions,
  type ReadProblem,
  type Reads,
  type ReadsOf,
  type SingleObject,
  through,
  type Through,
} from "./reads.ts";

// `req`, what a phase of a step is called with.
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
export type { KindWatch, WatchedKind } from "./kind-watch.ts";
export type {
  CleanupExit,
  ConditionArgument,
  Conditions,
  Declared,
  DeclaredIn,
  Exit,
  StepWithConditions,
  UndeclaredCondition,
} from "./condition.ts";

// Steps that many operators have.
export { conditions, type ConditionsOptions, type RankedCondition } from "./steps/conditions.ts";
export { defaults, type DefaultsOptions, type SpecOf } from "./steps/defaults.ts";
export { finalizer, type FinalizerOptions } from "./steps/finalizer.ts";
export { guard, type GuardOptions } from "./steps/guard.ts";
export { pause, PAUSED_ANNOTATION, type PauseOptions } from "./steps/pause.ts";
export { prerequisite, type PrerequisiteOptions } from "./steps/prerequisite.ts";
export { type Problem, validate, type ValidateOptions } from "./steps/validate.ts";

// Handlers.
export { type AnyHandler, type Handler, handler, type HandlerBuilder } from "./handler.ts";
export type {
  Deadlines,
  HandlerOptions,
  HandlerWatchOptions,
  Predecessor,
  WatchByLabel,
  WatchByMap,
  WatchByMapOfMetadata,
  WatchByOwned,
  WatchByOwner,
  WatchByRefs,
  WatchedOf,
} from "./handler-options.ts";

// Errors: what `build()` and passes throw, and what a step throws to choose the retry.
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

// Results of passes, for observers and tests.
export type { DrainRule, EventNote, UndeclaredUse } from "./env.ts";
export type { PassResult, PhaseReport, Requeue } from "./pass-result.ts";

// Annotations that users put on an object.
export { RECONCILE_REQUESTED_ANNOTATION, SKIP_CLEANUP_ANNOTATION } from "./build/names.ts";
