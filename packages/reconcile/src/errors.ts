/**
 * The errors of the engine, and the errors by which a step chooses the retry. Guards test a `Symbol.for` brand, so two copies of
 * this package agree.
 */

/** The code of an error of the engine. */
export type ReconcileErrorCode =
  | "ERR_STEP_FAILED"
  | "ERR_STEP_TIMEOUT"
  | "ERR_PASS_TIMEOUT"
  | "ERR_NOT_A_RESULT"
  | "ERR_NOT_AWAITED"
  | "ERR_NOT_RETURNED"
  | "ERR_STATE_INVALID"
  | "ERR_NOT_STORED"
  | "ERR_SAVE_FAILED"
  | "ERR_REVOKED";

const TERMINAL: symbol = Symbol.for("treadle.reconcile.TerminalError");
const RETRY_AFTER: symbol = Symbol.for("treadle.reconcile.RetryAfterError");
const RECONCILE: symbol = Symbol.for("treadle.reconcile.ReconcileError");

/** A reconcile error is a failure that the engine found, in a step or outside of steps. */
export class ReconcileError extends Error {
  /** The name of the class. */
  override readonly name = "ReconcileError";
  /** The cause of the failure, as a code. */
  readonly code: ReconcileErrorCode;
  /** The step that failed, if a step failed. */
  readonly step: string | undefined;

  constructor(code: ReconcileErrorCode, message: string, given: { readonly step?: string; readonly cause?: unknown } = {}) {
    super(message, given.cause === undefined ? undefined : { cause: given.cause });
    this.code = code;
    this.step = given.step;
    Object.defineProperty(this, RECONCILE, { value: true });
  }
}

/** A terminal error is a failure that a retry cannot fix. It is reported and counted, and nothing is scheduled. Any event starts a normal pass. */
export class TerminalError extends Error {
  /** The name of the class. */
  override readonly name: string = "TerminalError";
  /** The code that becomes the reason of the condition, in CamelCase. */
  readonly code: string;

  constructor(message: string, given: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, given.cause === undefined ? undefined : { cause: given.cause });
    this.code = given.code ?? "TerminalError";
    Object.defineProperty(this, TERMINAL, { value: true });
  }
}

/** A retry-after error is a failure with the delay of the retry. A delay of 0 means the failure backoff. */
export class RetryAfterError extends Error {
  /** The name of the class. */
  override readonly name: string = "RetryAfterError";
  /** The delay of the retry, in milliseconds. */
  readonly retryAfterMs: number;
  /** The code that becomes the reason of the condition, in CamelCase. */
  readonly code: string;

  /** @throws TypeError when `retryAfterMs` is not a number of milliseconds from 0. */
  constructor(message: string, retryAfterMs: number, given: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, given.cause === undefined ? undefined : { cause: given.cause });
    if (typeof retryAfterMs !== "number" || !(retryAfterMs >= 0 && retryAfterMs < Number.POSITIVE_INFINITY)) {
      throw new TypeError(`RetryAfterError: retryAfterMs must be a number of milliseconds from 0, not ${String(retryAfterMs)}`);
    }
    this.retryAfterMs = retryAfterMs;
    this.code = given.code ?? "RetryAfter";
    Object.defineProperty(this, RETRY_AFTER, { value: true });
  }
}

/** A build error has every problem of a handler, each with its fix. */
export class BuildError extends Error {
  /** The name of the class. */
  override readonly name = "BuildError";
  /** The code of this class. */
  readonly code = "ERR_BUILD";
  /** The problems, each with its fix. */
  readonly problems: readonly string[];

  constructor(handler: string, problems: readonly string[]) {
    super(`cannot build handler "${handler}":\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** Tells whether `error` is a {@link TerminalError} of any copy of the package. */
export function isTerminalError(error: unknown): error is TerminalError {
  return branded(error, TERMINAL);
}

/** Tells whether `error` is a {@link RetryAfterError} of any copy of the package. */
export function isRetryAfterError(error: unknown): error is RetryAfterError {
  return branded(error, RETRY_AFTER);
}

/** Tells whether `error` is a {@link ReconcileError} of any copy of the package. */
export function isReconcileError(error: unknown): error is ReconcileError {
  return branded(error, RECONCILE);
}

/** Never throws, whatever was thrown: a Proxy may have traps. */
function branded(error: unknown, brand: symbol): boolean {
  try {
    return typeof error === "object" && error !== null && brand in error;
  } catch {
    return false;
  }
}
