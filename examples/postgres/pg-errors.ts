/** Errors of PostgreSQL, as the operator understands them: what a person must fix, what the credentials forbid, and what is retried. */
import { DatabaseError } from "pg";
import { TerminalError } from "treadle";
import { CredentialsRefused } from "treadle/managed";

/**
 * Returns the error of a statement. Codes are those of the manual's appendix A.
 *
 * - 28xxx and 42501: the server refuses the credentials, or they lack a right.
 * - 42xxx and 22xxx: the statement is wrong, and stays wrong until the spec changes. Objects that do not exist yet are an exception.
 * - Others are retried: too many connections, a server that starts or stops, an owner that still has databases.
 */
export function pgError(action: string, error: unknown): Error {
  if (!(error instanceof DatabaseError)) return new Error(`cannot ${action}: ${networkMessage(error)}`, { cause: error });
  const { code = "", detail } = error;
  const message = `cannot ${action}: ${error.message}${detail === undefined || !NAMES_OBJECTS.has(code) ? "" : ` (${detail})`}`;
  if (code.startsWith("28") || code === "42501") return new CredentialsRefused(message, { cause: error });
  if (/^(22|42)/.test(code) && !MAY_APPEAR.has(code)) return new TerminalError(message, { code: "InvalidStatement", cause: error });
  return new Error(message, { cause: error });
}

/** Whether the statement failed because its object exists: `duplicate_database`, `duplicate_object`. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === "42P04" || error.code === "42710");
}

/** `undefined_object`: a role that another object of the cluster may still create. */
const MAY_APPEAR: ReadonlySet<string> = new Set(["42704"]);

/** `dependent_objects_still_exist`: the detail lists the objects. Details of other errors may contain values. */
const NAMES_OBJECTS: ReadonlySet<string> = new Set(["2BP01"]);

/** Node gives an empty message to the failure of several addresses. */
function networkMessage(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return message || code || String(error);
}
