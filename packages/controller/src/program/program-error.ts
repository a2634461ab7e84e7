/** The error of a tool that loads the module of an operator. */

/** Kinds of failures to load a module. */
export type ProgramErrorCode =
  /** The module does not exist, or is not a file. */
  | "ERR_PROGRAM_NOT_FOUND"
  /** The module threw while it was loaded, or cannot be loaded by Node. */
  | "ERR_PROGRAM_FAILED"
  /** The module does not have what was asked for. */
  | "ERR_PROGRAM_EMPTY";

/** Reports why the module of an operator cannot be used. The message names the module, and the file and line of its error if they are known. */
export class ProgramError extends Error {
  /** The name of the class. */
  override readonly name = "ProgramError";
  /** What went wrong. */
  readonly code: ProgramErrorCode;

  /** @param options `cause`: what the module threw */
  constructor(code: ProgramErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
