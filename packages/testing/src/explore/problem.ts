/** What a run can break. */
export type Oracle =
  | "rest"
  | "scenario"
  | "end state"
  | "leak"
  | "made again"
  | "effects"
  | "status"
  | "fixed point"
  | "deletion"
  | "check";

export interface Problem {
  readonly oracle: Oracle;
  readonly lines: readonly string[];
}
