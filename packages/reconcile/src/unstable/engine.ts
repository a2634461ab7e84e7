/**
 * `@treadle/reconcile/unstable/engine`: what those need that run passes themselves (a controller, a test environment, a
 * generator of access rules). Not for operators; it may change in any version.
 */
export type { DeclaredWatch } from "../internal/collected.ts";
export type { Pipeline, PipelineConditions } from "../internal/pipeline.ts";
export { withoutSecrets } from "../internal/redact.ts";
export type { StepRuntime } from "../internal/step-runtime.ts";
export { type Fetch, Fetches } from "../fetches.ts";
export { managersOf, type Predecessors } from "../internal/predecessors.ts";
export { PERMISSION_VERBS } from "../permission.ts";
export { type AnyRead, type ManyRead, type OneRead, type ReadForm, type WatchForm, watchFormOf } from "../reads.ts";
export { factsOf, runStep, type RunStepOptions, stateAnnotation, type StepFacts, type StepRun } from "../run-step.ts";
export { declaredWatch } from "../handler.ts";
export { type PrimaryIndex, type Wake, type WakeLookup, wakeOfWatch, wakesOf, watchedKindsOf } from "../wake.ts";
