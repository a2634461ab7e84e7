/** The error of an invalid definition. It has all problems, so that an author fixes the definition once. */

/** One problem of a definition. */
export interface DefinitionProblem {
  /** The place in the definition, such as `spec.ports[].name` or `shortNames[0]`. */
  readonly path: string;
  /** The problem, as a clause. */
  readonly reason: string;
  /** The change that fixes the problem, as a sentence. */
  readonly fix: string;
}

const BRAND: symbol = Symbol.for("treadle.apimachinery.DefinitionError");

/** An invalid definition of a resource. `problems` has all problems, and `message` lists them. */
export class DefinitionError extends Error {
  /** The name of the class. */
  override readonly name = "DefinitionError";
  /** The code of the error. */
  readonly code = "ERR_DEFINITION";
  /** All problems of the definition. */
  readonly problems: readonly DefinitionProblem[];

  /** @param what the resource, for the message */
  constructor(what: string, problems: readonly DefinitionProblem[]) {
    const lines = problems.map(({ path, reason, fix }) => `  - ${path}: ${reason}. ${fix}`);
    super(`cannot define ${what}:\n${lines.join("\n")}`);
    this.problems = problems;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tells whether `error` is a {@link DefinitionError}, of this copy of the package or another. */
export function isDefinitionError(error: unknown): error is DefinitionError {
  return error instanceof Error && BRAND in error;
}
