/**
 * `@treadle/reconcile/unstable/engine`: for packages that extend the engine, and for those that run passes themselves (a
 * controller, a test environment, a generator of access rules). Not for operators; it may change in any version.
 */

// Extensions: what steps may have beyond their phases.
export type {
  AnyExtension,
  ChainPass,
  DebugNode,
  EndedPass,
  ExtendedHandler,
  ExtendedStep,
  Extension,
  ExtensionDefinition,
  ExtensionPass,
  Probe,
  StatusPart,
  StepFact,
  StepOrder,
  StepsRun,
} from "../extension.ts";
export {
  type CounterDefinition,
  DEFAULT_BUCKETS,
  type DeclaredMetric,
  type GaugeDefinition,
  type ObjectGaugeDefinition,
  type HistogramDefinition,
  type MetricDefinition,
  type MetricLabels,
  metricConflict,
} from "../metric.ts";
export { defineExtension, handOver, openingOf, partsOf } from "../define-extension.ts";
export type { HandOver, PassType, Progress, Setting } from "../record/progress.ts";
export { isTransientEnd, TRANSIENT_MS } from "../record/transient.ts";
export { type PauseFunction, type PauseRules, type PauseState, pauseStateOf, type StepPause } from "../record/pause.ts";
export { type WaitCause, waitBecause } from "../result.ts";

// Factories of steps.
export type { DeclaredCondition } from "../build/declared.ts";
export {
  defineStep,
  type HandlerSettings,
  leavesOf,
  type Parts,
  type PhaseFunction,
  type RawDefinition,
  runtimeOf,
  type StepRuntime,
  type Use,
} from "../build/step-runtime.ts";
export { type Misuse, misuse, type MisuseCode } from "../internal/misuse.ts";
export { defineComposite, type RawParts } from "../build/define-composite.ts";
export { defineLateStep, type LateDeclarations } from "../build/define-late-step.ts";
export type { Gives } from "../build/gives.ts";
export { entryHandlerOf } from "../build/names.ts";
export { type OtherCluster, unitManager } from "../pass/req-client.ts";
export { KindNotInstalled, servedVersionOf } from "../pass/served.ts";
export { requestedDelayOf } from "../pass/requeue.ts";
export { delayAfter, type ThrottleRules, Throttle } from "../internal/throttle.ts";
export type { Distinct, DoResult, GroupOf, Members, Problem, ProvidesOf, Startable } from "../step.ts";

// Texts without secrets.
export { changedPaths } from "../record/change-log.ts";
export { errorFields, errorsIn, MAX_ERROR_LENGTH, reasonOf, statusMessage, truncate, withoutSecrets } from "../internal/redact.ts";
export { SecretValues } from "../record/secret-values.ts";
export { hidingLogger, withContext } from "../pass/loggers.ts";

// Reads and watches of a handler.
export { inNamespaceOf, isSegment, refOfRead } from "../read-refs.ts";
export { Budget, isPromiseLike } from "../internal/deadline.ts";
export { TimeLimit } from "../internal/time-limit.ts";
export {
  type AnyRead,
  type ManyRead,
  type OneRead,
  type ReadForm,
  several,
  type SeveralRead,
  type WatchForm,
  watchFormOf,
} from "../reads.ts";
export type { DeclaredWatch } from "../build/collected.ts";
export { declaredWatch, isHandler, pipelineOf } from "../handler.ts";
export {
  type PrimaryIndex,
  type Trigger,
  type TriggerLookup,
  triggerOfWatch,
  triggersOf,
  watchedKindsOf,
  optionalKindsOf,
} from "../triggers.ts";
export { deepFreeze, type Fetch, Fetches } from "../fetches.ts";
export { Shared } from "../shared.ts";

// Watches of kinds that are known only at run time.
export { isKind, kindText, type KindWatch, type KindWatches, type WatchedKind, watchIdOf } from "../kind-watch.ts";

// Handlers as data, for tools.
export {
  describeHandler,
  type FactDescription,
  type HandlerDescription,
  type NamedKind,
  type NeedDescription,
  type PartsDescription,
  type ReadDescription,
  type StepDescription,
  type WatchDescription,
} from "../describe-handler.ts";

// Reads outside of a pass.
export { type ReadSources, resolveReads } from "../pass/read-outside.ts";

// Running passes.
export { KSTATUS_TYPES } from "../save/kstatus.ts";
export type { Rank } from "../save/ready-rank.ts";
export type { Circle, PartOrder } from "../build/order.ts";
export type { Pipeline, PipelineConditions } from "../build/pipeline.ts";
export { permissionProblems } from "../build/build-problems.ts";
export { managersOf, type Predecessors } from "../build/predecessors.ts";
export { type AllRights, PERMISSION_VERBS } from "../permission.ts";
export { createReconciler, type PassOptions, type Reconciler } from "../reconciler.ts";
export type { DrainRule, EventNote, PhaseWatch, ReconcilerEnv, RunningPhase, UndeclaredUse } from "../env.ts";
export type { PassResult, PhaseReport, Requeue, Strays } from "../pass-result.ts";
export { clientFor, type Phase } from "../pass/step-req.ts";
export { factsOf, runStep, type RunStepOptions, stateAnnotation, type StepFacts, type StepRun } from "../run-step.ts";
