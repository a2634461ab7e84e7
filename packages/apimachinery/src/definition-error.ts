/** What is wrong with a definition, all of it in one error: an author fixes a file once, not once per problem. */

export interface DefinitionProblem {
  /** Where, e.g. `spec.ports[].name` or `shortNames[0]`. */
  readonly path: string;
  readonly reason: string;
  /** What to write instead. */
  readonly fix: string;
}

const BRAND: symbol = Symbol.for("treadle.apimachinery.DefinitionError");

/** A resource cannot be defined as asked; `problems` has every reason, `message` shows them. */
export class DefinitionError extends Error {
  override readonly name = "DefinitionError";
  readonly code = "ERR_DEFINITION";
  readonly problems: readonly DefinitionProblem[];

  constructor(what: string, problems: readonly DefinitionProblem[]) {
    const lines = problems.map(({ path, reason, fix }) => `  - ${path}: ${reason}. ${fix}`);
    super(`cannot define ${what}:\n${lines.join("\n")}`);
    this.problems = problems;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether `error` is a {@link DefinitionError}, of this copy of the package or another. */
export function isDefinitionError(error: unknown): error is DefinitionError {
  return error instanceof Error && BRAND in error;
}
