/** Why a manager could not start, or did not end well. */
export type ManagerErrorCode =
  /** `add` was given what cannot run beside what is there, or after the start. */
  | "ERR_ADD_REFUSED"
  /** `start` or `run` was called a second time, or after `stop`. */
  | "ERR_ALREADY_STARTED"
  /** The file of settings, or a variable of the environment, says what cannot be. */
  | "ERR_SETTINGS"
  /** A port for probes or metrics could not be had. */
  | "ERR_LISTEN"
  /** The certificate of a server could not be read. */
  | "ERR_CERTIFICATE"
  /** Some kinds could not be listed in time. */
  | "ERR_CACHE_SYNC"
  /** What `cache` leaves of a kind is too little for a handler. */
  | "ERR_CACHE"
  /** Leader election lacks a name for its lease. */
  | "ERR_LEASE_NAME"
  /** This process does not lead its operator, or not any more; nothing was sent. */
  | "ERR_NOT_LEADER"
  /** A drain was given up: objects still hold a finalizer. */
  | "ERR_DRAIN"
  /** The objects of a CRD could not be moved to its storage version. */
  | "ERR_STORED_VERSIONS"
  /** A runnable failed to start or stop. */
  | "ERR_RUNNABLE"
  /** Passes were still in progress at the end of the graceful stop. */
  | "ERR_SHUTDOWN_TIMEOUT"
  /** A promise was rejected somewhere in the process and nobody handled it. */
  | "ERR_UNHANDLED_REJECTION";

const BRAND: symbol = Symbol.for("treadle.controller.ManagerError");

export class ManagerError extends Error {
  override readonly name = "ManagerError";
  readonly code: ManagerErrorCode;

  constructor(code: ManagerErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tests a brand, so errors of two copies of this package are recognised by each other. */
export function isManagerError(error: unknown): error is ManagerError {
  return typeof error === "object" && error !== null && BRAND in error;
}
