/** The error that a command shows without a stack: what is wrong, and what the user can do. */

/** Reports that a command cannot do its work. The message is one sentence or several lines, and says what to do. */
export class CliError extends Error {
  /** The name of the class. */
  override readonly name = "CliError";
}
