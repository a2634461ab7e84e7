/** The error of a failed exploration. */
import type { Exploration, ExplorationFailure } from "./exploration.ts";

const BRAND: symbol = Symbol.for("treadle.testing.ExplorationError");

/** The error of an exploration with failed runs. The message has the report of the smallest failure and the ids of the others. */
export class ExplorationError extends Error {
  /** The name of the class. */
  override readonly name = "ExplorationError";
  /** The code of the error. */
  readonly code = "ERR_EXPLORATION_FAILED";
  /** The failed runs, those with the fewest faults first. */
  readonly failures: readonly ExplorationFailure[];
  /** The result of the exploration. */
  readonly exploration: Exploration;

  constructor(exploration: Exploration) {
    const { failures, runs } = exploration;
    const [first, ...others] = failures;
    const rest =
      others.length === 0
        ? ""
        : `\n\n${others.length} more: ${others.map(({ id, problems }) => `${id} (${typesOf(problems)})`).join(", ")}`;
    super(`explore: ${failures.length} of ${runs} runs failed.\n\n${first?.report ?? ""}${rest}`);
    this.failures = failures;
    this.exploration = exploration;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether a value is an {@link ExplorationError}, also one of another copy of this package. */
export function isExplorationError(error: unknown): error is ExplorationError {
  return typeof error === "object" && error !== null && BRAND in error;
}

function typesOf(problems: ExplorationFailure["problems"]): string {
  return [...new Set(problems.map(({ type }) => type))].join(", ");
}
