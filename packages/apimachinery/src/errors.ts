/**
 * Errors of the Kubernetes API, with guards. A guard tests a brand, so it also recognises errors of another copy of this
 * package.
 */

/** The `Status` object with which an API server reports a failure. */
export interface Status {
  /** Always `v1`. */
  readonly apiVersion: "v1";
  /** Always `Status`. */
  readonly kind: "Status";
  /** Metadata of a list; the continue token of an expired list is here. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Whether the operation failed. */
  readonly status: "Failure" | "Success";
  /** Description for people. */
  readonly message?: string;
  /** Reason for programs, as one CamelCase word. */
  readonly reason?: string;
  /** The object that the failure is about, its causes, and the time to wait. */
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  /** HTTP status. */
  readonly code: number;
}

/** One cause of a failure, such as an invalid field. */
export interface StatusCause {
  /** Reason for programs, as one CamelCase word. */
  readonly reason?: string;
  /** Description for people. */
  readonly message?: string;
  /** Path of the field. */
  readonly field?: string;
}

/**
 * The reason why a call failed. The reasons Expired and Gone decide alone. Otherwise the HTTP status decides, and the
 * reason refines it.
 */
export type ApiErrorCode =
  | "ERR_BAD_REQUEST"
  | "ERR_UNAUTHORIZED"
  | "ERR_FORBIDDEN"
  | "ERR_NOT_FOUND"
  | "ERR_KIND_NOT_SERVED"
  | "ERR_ALREADY_EXISTS"
  | "ERR_CONFLICT"
  | "ERR_EXPIRED"
  | "ERR_INVALID"
  | "ERR_TOO_MANY_REQUESTS"
  | "ERR_UNSUPPORTED_MEDIA_TYPE"
  | "ERR_SERVER"
  | "ERR_OTHER";

const BRAND: symbol = Symbol.for("treadle.apimachinery.ApiError");

/** A failure that an API server reported. `message` names the operation, the object and the reason. */
export class ApiError extends Error {
  /** The name of the class. */
  override readonly name = "ApiError";
  /** The kind of failure; a closed set. */
  readonly code: ApiErrorCode;
  /** HTTP status of the response. */
  readonly status: number;
  /** The reason for programs that the server gave, such as `"AlreadyExists"`; empty when it gave none. */
  readonly reason: string;
  /** Causes of the failure, such as invalid fields. */
  readonly causes: readonly StatusCause[];
  /** Time that the server asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Details of the `Status` object that the server sent. */
  readonly details: Status["details"];
  /** For a list whose continue token expired: the token with which the rest of the list can be read in its present version. */
  readonly continueToken: string | undefined;

  /** Creates the error; `code` follows from `status`, `reason` and `details`. */
  constructor(given: {
    readonly message: string;
    readonly status: number;
    readonly reason?: string | undefined;
    readonly details?: Status["details"];
    readonly retryAfterMs?: number | undefined;
    readonly continueToken?: string | undefined;
    readonly cause?: unknown;
  }) {
    super(given.message, given.cause === undefined ? undefined : { cause: given.cause });
    this.status = given.status;
    this.reason = given.reason ?? "";
    this.details = given.details;
    this.causes = given.details?.causes ?? [];
    this.continueToken = given.continueToken;
    this.retryAfterMs =
      given.retryAfterMs ?? (given.details?.retryAfterSeconds === undefined ? undefined : given.details.retryAfterSeconds * 1000);
    Object.defineProperty(this, BRAND, { value: true });
    this.code = codeOf(given.status, this.reason, given.details);
  }
}

/** Tells whether `error` is an {@link ApiError}, of this copy of the package or another. */
export function isApiError(error: unknown): error is ApiError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** Tells whether the named object does not exist. For a kind that is not served, see {@link isKindNotServed}. */
export function isNotFound(error: unknown): error is ApiError {
  return hasCode(error, "ERR_NOT_FOUND");
}

/** Tells whether the server does not serve the kind: its CRD is not installed, or not in that version. */
export function isKindNotServed(error: unknown): error is ApiError {
  return hasCode(error, "ERR_KIND_NOT_SERVED");
}

/**
 * Tells whether a write conflicts: the object has a newer version, or an apply changes fields of another manager
 * ({@link conflictsOf}). For an object that exists already, see {@link isAlreadyExists}.
 */
export function isConflict(error: unknown): error is ApiError {
  return hasCode(error, "ERR_CONFLICT");
}

/** A field that an apply would have changed, and the manager that owns it. */
export interface FieldConflict {
  /** Field manager that owns the field. */
  readonly manager: string;
  /** Path of the field, as the server writes it: `.spec.ports[name="http"].port`. */
  readonly field: string;
  /** Subresource by which the manager wrote the field. */
  readonly subresource?: string;
  /** Version in which the manager wrote the field by update; absent when it wrote by apply. */
  readonly apiVersion?: string;
}

/**
 * Returns the fields over which a server-side apply failed, in the server's order. It is empty for every other error, also
 * for the conflict of a stale resourceVersion. A new read resolves that one; a conflict over fields stays until someone
 * changes the object or forces the apply.
 */
export function conflictsOf(error: unknown): readonly FieldConflict[] {
  if (!isConflict(error)) return [];
  return error.causes.flatMap(({ reason, message = "", field }) => {
    const parts = reason === "FieldManagerConflict" ? CONFLICT.exec(message)?.groups : undefined;
    if (parts === undefined || field === undefined) return [];
    const { manager = "", subresource, apiVersion } = parts;
    return [
      {
        manager: unquoted(manager),
        field,
        ...(subresource === undefined ? {} : { subresource: unquoted(subresource) }),
        ...(apiVersion === undefined ? {} : { apiVersion }),
      },
    ];
  });
}

/** k8s.io/apimachinery `managedfields`, `printManager`. */
const CONFLICT =
  /^conflict with (?<manager>"(?:[^"\\]|\\.)*")(?: with subresource (?<subresource>"(?:[^"\\]|\\.)*"))?(?: using (?<apiVersion>\S+))?/;

/** Reads a text that Go quoted. Escapes that JSON does not know stay as they are. */
function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

/** Tells whether the object to create exists already. */
export function isAlreadyExists(error: unknown): error is ApiError {
  return hasCode(error, "ERR_ALREADY_EXISTS");
}

/** Tells whether the server refused the object as invalid (422); {@link ApiError.causes} names the fields. */
export function isInvalid(error: unknown): error is ApiError {
  return hasCode(error, "ERR_INVALID");
}

/** Tells whether the server refused the call because a right is missing or an admission plugin denied it (403). */
export function isForbidden(error: unknown): error is ApiError {
  return hasCode(error, "ERR_FORBIDDEN");
}

/** Tells whether the resourceVersion or the continue token is too old (410, or the reason Expired or Gone): list again. */
export function isExpired(error: unknown): error is ApiError {
  return hasCode(error, "ERR_EXPIRED");
}

/** Tells whether the server asks to send fewer requests (429); {@link ApiError.retryAfterMs} is the time to wait. */
export function isTooManyRequests(error: unknown): error is ApiError {
  return hasCode(error, "ERR_TOO_MANY_REQUESTS");
}

/** Tells whether the operation was cancelled by its signal. That is not a failure. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || ("code" in error && error.code === "ABORT_ERR"));
}

function hasCode(error: unknown, code: ApiErrorCode): error is ApiError {
  return isApiError(error) && error.code === code;
}

function codeOf(status: number, reason: string, details: Status["details"]): ApiErrorCode {
  // In a watch this failure is an event, and some servers and proxies leave its code out.
  if (reason === "Expired" || reason === "Gone") return "ERR_EXPIRED";
  switch (status) {
    case 400:
      return "ERR_BAD_REQUEST";
    case 401:
      return "ERR_UNAUTHORIZED";
    case 403:
      return "ERR_FORBIDDEN";
    case 404:
      // For a missing object the server reports its name. For a path that it does not serve it reports none.
      return details?.name === undefined || details.name === "" ? "ERR_KIND_NOT_SERVED" : "ERR_NOT_FOUND";
    case 409:
      return reason === "AlreadyExists" ? "ERR_ALREADY_EXISTS" : "ERR_CONFLICT";
    case 410:
      return "ERR_EXPIRED";
    case 415:
      return "ERR_UNSUPPORTED_MEDIA_TYPE";
    case 422:
      return "ERR_INVALID";
    case 429:
      return "ERR_TOO_MANY_REQUESTS";
    default:
      return status >= 500 ? "ERR_SERVER" : "ERR_OTHER";
  }
}
