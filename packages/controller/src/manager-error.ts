/** Errors of the manager. */

/** Why a manager could not start, or did not stop well. */
export type ManagerErrorCode =
  /** `add` was called after the start, or with a handler that conflicts with another one, or with a metric of the program; or a check has the name of another one. */
  | "ERR_ADD_REFUSED"
  /** `start` or `run` was called a second time, or after `stop`. */
  | "ERR_ALREADY_STARTED"
  /** The settings file or an environment variable is invalid. */
  | "ERR_SETTINGS"
  /** A server could not listen on its port. */
  | "ERR_LISTEN"
  /** The certificate of a server could not be read. */
  | "ERR_CERTIFICATE"
  /** A kind could not be listed in time. */
  | "ERR_CACHE_SYNC"
  /** A runnable read from the caches before they had synced. */
  | "ERR_NOT_SYNCED"
  /** `cache` drops parts of a kind that a handler needs. */
  | "ERR_CACHE"
  /** The leader election has no name for its lease. */
  | "ERR_LEASE_NAME"
  /** This process does not lead its operator, or no longer leads it; nothing was sent. */
  | "ERR_NOT_LEADER"
  /** A drain was aborted: objects still hold a finalizer. */
  | "ERR_DRAIN"
  /** The objects of a CRD could not be migrated to its storage version. */
  | "ERR_STORED_VERSIONS"
  /** A runnable failed to start or stop. */
  | "ERR_RUNNABLE"
  /** Passes were still in progress at the end of the graceful stop. */
  | "ERR_SHUTDOWN_TIMEOUT"
  /** A promise in the process was rejected and not handled. */
  | "ERR_UNHANDLED_REJECTION";

const BRAND: symbol = Symbol.for("treadle.controller.ManagerError");

/** The error of a manager that could not start, or did not stop well. */
export class ManagerError extends Error {
  /** The name of the class. */
  override readonly name = "ManagerError";
  /** What went wrong. */
  readonly code: ManagerErrorCode;

  /** @param options `cause`: the error that led to this one */
  constructor(code: ManagerErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether `error` is a {@link ManagerError}, also one of another copy of this package. */
export function isManagerError(error: unknown): error is ManagerError {
  return typeof error === "object" && error !== null && BRAND in error;
}
