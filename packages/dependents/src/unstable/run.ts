/**
 * `@treadle/dependents/unstable/run`: converges a set without an operator, for programs that keep releases of objects. Not for operators;
 * it may change in any version.
 */
export { parseDuration } from "../set/policies/duration.ts";
export { clusterFacts } from "../run/facts.ts";
export { RunCluster } from "../run/cluster.ts";
export type { RunObject, RunProgress } from "../run/progress.ts";
export { type RunDecision, type RunReport, runSet, type RunSetOptions } from "../run/run-set.ts";
export type { StoredOwner } from "../run/stored-owner.ts";
export type { NewEntry } from "../core/entries.ts";
export type { Drift, Operation } from "../core/plan.ts";
export type { DependentIdentity, DependentState } from "../core/entries.ts";
export type { Phase } from "../set/pass/outcome.ts";
