/** What one run of a scenario is asked to do, and what came of it. */
import type { Entry } from "./journal.ts";
import type { Point } from "./fault-point.ts";
import type { ExplorationProblem } from "./exploration-problem.ts";
import type { ExploredOperator, ExploreOptions, Scenario } from "./scenario.ts";
import type { Json, Snapshot } from "./snapshot.ts";
import type { SeenEvent, Write } from "./fault-injector.ts";

/** What a run was to do. */
export interface Plan<External> {
  readonly operator: ExploredOperator<External>;
  readonly scenario: Scenario<External>;
  readonly options: ExploreOptions;
}

export interface RunOutcome {
  readonly point: Point;
  readonly journal: readonly Entry[];
  readonly writes: readonly Write[];
  readonly events: readonly SeenEvent[];
  readonly passes: number;
  /** How often the scenario waited for the operator, and went on then. */
  readonly waits: number;
  /** Whether every fault of the point did strike. */
  readonly hasStruck: boolean;
  /** Absent where the run broke before. */
  readonly end: End | undefined;
  /** What is wrong with the run by itself, without a comparison. */
  readonly problems: readonly ExplorationProblem[];
}

export interface End {
  readonly objects: Snapshot;
  readonly outside: Json;
  readonly effects: readonly string[];
  /** What the operator created before the deletion, each time that it did; as the objects are called. */
  readonly made: readonly string[];
  /** After the primaries were deleted; absent without deletion. */
  readonly deleted: Pick<End, "objects" | "outside" | "effects"> | undefined;
}
