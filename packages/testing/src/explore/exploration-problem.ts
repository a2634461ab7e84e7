/** What can be wrong with a run. */

/** The type of a problem; docs/exploration.md lists what each one means. */
export type ExplorationProblemType =
  | "not idle"
  | "scenario"
  | "end state"
  | "leak"
  | "recreated"
  | "effects"
  | "status"
  | "fixed point"
  | "deletion"
  | "check";

/** A problem of a run. */
export interface ExplorationProblem {
  /** What is wrong. */
  readonly type: ExplorationProblemType;
  /** The details, line by line. */
  readonly lines: readonly string[];
}
