/**
 * Errors of the Kubernetes API as values with guards. A guard tests a brand, so errors of two copies of this package
 * are recognised by each other.
 */

/** The `Status` object with which an API server reports a failure. */
export interface Status {
  readonly apiVersion: "v1";
  readonly kind: "Status";
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: "Failure" | "Success";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  readonly code: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Why a call failed: by the reasons Expired and Gone whatever the HTTP status, else by the status and, within it, the reason. */
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

/** An API server answered with a failure. `message` says what was asked of which object and why it failed. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;
  /** HTTP status. */
  readonly status: number;
  /** The server's machine-readable reason, e.g. `"AlreadyExists"`; empty when it gave none. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly details: Status["details"];
  /** Of a list whose continue token is too old: the token for its rest, as that is now. */
  readonly continueToken: string | undefined;

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

export function isApiError(error: unknown): error is ApiError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** The named object does not exist. A kind that is not served is {@link isKindNotServed}. */
export function isNotFound(error: unknown): error is ApiError {
  return hasCode(error, "ERR_NOT_FOUND");
}

/** The server does not serve the kind (its CRD is not installed, or not in that version). */
export function isKindNotServed(error: unknown): error is ApiError {
  return hasCode(error, "ERR_KIND_NOT_SERVED");
}

/**
 * A write met a newer version of the object, or an apply fields of another manager ({@link conflictsOf}).
 * An object that exists already is {@link isAlreadyExists}.
 */
export function isConflict(error: unknown): error is ApiError {
  return hasCode(error, "ERR_CONFLICT");
}

/** A field that an apply would have changed, and whose it is. */
export interface FieldConflict {
  readonly manager: string;
  /** As the server writes it: `.spec.ports[name="http"].port`. */
  readonly field: string;
  /** The subresource by which the manager wrote the field. */
  readonly subresource?: string;
  /** The version in which an updater wrote it; absent for another applier. */
  readonly apiVersion?: string;
}

/**
 * The fields over which a server-side apply failed, in the server's order. Empty for every other error, so also for the
 * conflict of a stale resourceVersion, which a new read mends; a conflict over fields does not go away by itself.
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

/** A text as Go quotes it; what JSON does not know of that stays as it is. */
function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, -1);
  }
}

export function isAlreadyExists(error: unknown): error is ApiError {
  return hasCode(error, "ERR_ALREADY_EXISTS");
}

export function isInvalid(error: unknown): error is ApiError {
  return hasCode(error, "ERR_INVALID");
}

export function isForbidden(error: unknown): error is ApiError {
  return hasCode(error, "ERR_FORBIDDEN");
}

/** 410, or the reason Expired or Gone: the resourceVersion or continue token is too old; list again. */
export function isExpired(error: unknown): error is ApiError {
  return hasCode(error, "ERR_EXPIRED");
}

export function isTooManyRequests(error: unknown): error is ApiError {
  return hasCode(error, "ERR_TOO_MANY_REQUESTS");
}

/** The operation was cancelled by its signal; not a failure. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || ("code" in error && error.code === "ABORT_ERR"));
}

function hasCode(error: unknown, code: ApiErrorCode): error is ApiError {
  return isApiError(error) && error.code === code;
}

function codeOf(status: number, reason: string, details: Status["details"]): ApiErrorCode {
  // Within a watch it comes as an event whose code some servers and proxies leave out.
  if (reason === "Expired" || reason === "Gone") return "ERR_EXPIRED";
  switch (status) {
    case 400:
      return "ERR_BAD_REQUEST";
    case 401:
      return "ERR_UNAUTHORIZED";
    case 403:
      return "ERR_FORBIDDEN";
    case 404:
      // The server names the object it did not find; a path that it does not serve has no name to give.
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
