/** The codes of errors of the system. */

/** Returns the code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Codes of a machine that lacks memory, processes, files or space for the moment, and of a file that is being replaced. */
const SHORTAGES: readonly (string | undefined)[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ENOSPC", "EDQUOT", "EIO", "ETXTBSY"];

/** Returns whether a retry may succeed although no input changes. */
export function isShortage(error: unknown): boolean {
  return SHORTAGES.includes(codeOf(error));
}
