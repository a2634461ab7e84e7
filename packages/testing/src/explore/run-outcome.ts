/** The plan and the outcome of one run of a scenario. */
import type { Entry, SeenEvent, Write } from "./journal.ts";
import type { Point } from "./fault-point.ts";
import type { ExplorationProblem } from "./exploration-problem.ts";
import type { ExploredOperator, ExploreOptions, Scenario } from "./scenario.ts";
import type { Json, Snapshot } from "./snapshot.ts";

/** The input of each run. */
export interface Plan<External> {
  readonly operator: ExploredOperator<External>;
  readonly scenario: Scenario<External>;
  readonly options: ExploreOptions;
}

/** The outcome of a run. */
export interface RunOutcome {
  readonly point: Point;
  readonly journal: readonly Entry[];
  readonly writes: readonly Write[];
  readonly events: readonly SeenEvent[];
  readonly passes: number;
  /** Number of waits of the scenario that were followed by an action. */
  readonly waits: number;
  /** Whether every fault of the point has happened. */
  readonly hasHappened: boolean;
  /** The end; undefined if the run stopped before. */
  readonly end: End | undefined;
  /** Problems of the run itself, without a comparison. */
  readonly problems: readonly ExplorationProblem[];
}

/** The state at the end of a run. */
export interface End {
  readonly objects: Snapshot;
  readonly outside: Json;
  readonly effects: readonly string[];
  /** An id for each creation of an object before the deletion. */
  readonly made: readonly string[];
  /** The state after the deletion of the primaries; undefined without deletion. */
  readonly deleted: Pick<End, "objects" | "outside" | "effects"> | undefined;
}
