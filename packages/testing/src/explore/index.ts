/**
 * `@treadle/testing/explore`: fault exploration. Runs a scenario once without a fault and once for each fault at each write and
 * event, and checks that all runs end in the same state. docs/exploration.md describes it.
 */
export type { ExternalEffects } from "./external-effects.ts";
export type { Exploration, ExplorationFailure } from "./exploration.ts";
export { ExplorationError, isExplorationError } from "./exploration-error.ts";
export type { ExplorationProblem, ExplorationProblemType } from "./exploration-problem.ts";
export { explore } from "./explore.ts";
export type { PointType, WriteFault } from "./fault-point.ts";
export type {
  ExplorationProgress,
  ExploredCluster,
  ExploredOperator,
  ExploredParts,
  ExploreOptions,
  ExternalContext,
  Scenario,
} from "./scenario.ts";
export type { IgnoredPath } from "./snapshot.ts";
