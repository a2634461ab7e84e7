/** The result of an exploration. */
import type { ExplorationProblem } from "./exploration-problem.ts";
import type { PointType } from "./fault-point.ts";

/** The result of an exploration: its size, its time and its failures. */
export interface Exploration {
  /** Number of points tried, pairs included. */
  readonly points: number;
  /** Number of runs of the scenario: one for each point, and two references. */
  readonly runs: number;
  /** Real time, in seconds. */
  readonly seconds: number;
  /** CPU time of the process, in seconds; unlike `seconds` it does not depend on other processes. */
  readonly cpuSeconds: number;
  /** Number of points and failures of each type of point. */
  readonly byType: Readonly<Record<PointType | "pair", { readonly points: number; readonly failures: number }>>;
  /** Number of writes in the reference. */
  readonly writes: number;
  /** Number of watch events in the reference. */
  readonly events: number;
  /** Ids of points whose fault did not happen, because the run ended before it. */
  readonly missed: readonly string[];
  /** Number of points that `budgetMs` left out. */
  readonly leftOut: number;
  /** The failed runs, those with the fewest faults first. */
  readonly failures: readonly ExplorationFailure[];
  /** The numbers in one line. */
  readonly summary: string;
  /** Everything that happened in a replayed run; undefined without `replay`. */
  readonly report: string | undefined;
}

/** A run that failed. */
export interface ExplorationFailure {
  /** Id of the point, for `replay`. */
  readonly id: string;
  /** The problems of the run. */
  readonly problems: readonly ExplorationProblem[];
  /** A description for a person, with the call that replays the run. */
  readonly report: string;
}
