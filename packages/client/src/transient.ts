/** Decides which failures end without a change of the request, the object or the rights. */
import { conflictsOf, isApiError } from "@treadle/apimachinery";
import { type ConnectionErrorCode, isConnectionError } from "./connection-error.ts";

const CONNECTION_CODES: ReadonlySet<ConnectionErrorCode> = new Set([
  "ERR_UNREACHABLE",
  "ERR_CONNECTION_LOST",
  "ERR_TIMEOUT",
  "ERR_INVALID_RESPONSE",
  "ERR_STREAM_TRUNCATED",
]);

/** Codes of Node and of undici, which other HTTP clients give as well. */
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/**
 * Returns whether a failure is transient: a conflict of versions (409), too many requests (429), an error of the server (5xx), a
 * timeout, or a lost or refused connection. An error counts as its `cause` does; an AggregateError if all of its errors are.
 * A conflict over fields of another manager and an object that exists already are not transient. Never throws.
 */
export function isTransient(error: unknown): boolean {
  try {
    return isOne(error, 0);
  } catch {
    return false; // A thrown value may throw when it is inspected.
  }
}

/** Maximum depth of causes: an error may be its own cause. */
const MAX_DEPTH = 8;

function isOne(error: unknown, depth: number): boolean {
  if (typeof error !== "object" || error === null || depth > MAX_DEPTH) return false;
  if (isApiError(error)) {
    const { code, status } = error;
    if (code === "ERR_CONFLICT") return conflictsOf(error).length === 0;
    return code === "ERR_TOO_MANY_REQUESTS" || code === "ERR_SERVER" || status === 408;
  }
  if (isConnectionError(error)) return CONNECTION_CODES.has(error.code);
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every((each) => isOne(each, depth + 1));
  const { name, code, cause } = error as { readonly name?: unknown; readonly code?: unknown; readonly cause?: unknown };
  if (name === "TimeoutError" || (typeof code === "string" && SYSTEM_CODES.has(code))) return true;
  return isOne(cause, depth + 1);
}
