/** What an exploration found, as an error. */
import type { Exploration, ExplorationFailure } from "./exploration.ts";

const BRAND: symbol = Symbol.for("treadle.testing.ExplorationError");

/** At least one run failed; the message tells the story of the smallest and names the others. */
export class ExplorationError extends Error {
  override readonly name = "ExplorationError";
  readonly code = "ERR_EXPLORATION_FAILED";
  /** Those with the fewest faults first, and among them the earliest. */
  readonly failures: readonly ExplorationFailure[];
  readonly exploration: Exploration;

  constructor(exploration: Exploration) {
    const { failures, runs } = exploration;
    const [first, ...others] = failures;
    const rest =
      others.length === 0
        ? ""
        : `\n\n${others.length} more: ${others.map(({ id, problems }) => `${id} (${oracles(problems)})`).join(", ")}`;
    super(`explore: ${failures.length} of ${runs} runs failed.\n\n${first?.report ?? ""}${rest}`);
    this.failures = failures;
    this.exploration = exploration;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tests a brand, so errors of two copies of this package are recognised by each other. */
export function isExplorationError(error: unknown): error is ExplorationError {
  return typeof error === "object" && error !== null && BRAND in error;
}

function oracles(problems: ExplorationFailure["problems"]): string {
  return [...new Set(problems.map(({ type }) => type))].join(", ");
}
