/** Exploring operators that are to fail. */
import {
  explore,
  type Exploration,
  type ExploredOperator,
  type ExploreOptions,
  isExplorationError,
  type Scenario,
} from "@treadle/testing/explore";

/** What an exploration gives, also where it fails. */
export async function explored<W>(
  operator: ExploredOperator<W>,
  scenario: Scenario<W>,
  options: ExploreOptions = {},
): Promise<Exploration> {
  try {
    return await explore(operator, scenario, options);
  } catch (error) {
    if (isExplorationError(error)) return error.exploration;
    throw error;
  }
}

/** E.g. `crash: leak`: which faults broke what. */
export const found = ({ failures }: Exploration): readonly string[] =>
  [...new Set(failures.flatMap(({ id, problems }) => problems.map(({ type }) => `${id.replace(/@.*/, "")}: ${type}`)))].toSorted();
