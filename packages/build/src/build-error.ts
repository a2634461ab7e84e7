/** The errors of a build. Each names the place in the sources and what to do. */

/** Kinds of failures of a build. */
export type OperatorBuildErrorCode =
  /** The entry does not exist, or is not a program. */
  | "ERR_BUILD_ENTRY"
  /** The sources do not parse, or a name that they import does not exist. */
  | "ERR_BUILD_SOURCE"
  /** The sources need something that a bundle cannot have. */
  | "ERR_BUILD_UNSUPPORTED"
  /** The folder for the output cannot be used. */
  | "ERR_BUILD_OUT";

/** Reports why a program cannot be built. */
export class OperatorBuildError extends Error {
  static {
    this.prototype.name = "OperatorBuildError";
  }

  /** What failed. */
  readonly code: OperatorBuildErrorCode;
  /** Each problem as one line: `file:line: what; what to do`. */
  readonly problems: readonly string[];

  constructor(code: OperatorBuildErrorCode, problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.code = code;
    this.problems = problems;
  }
}
