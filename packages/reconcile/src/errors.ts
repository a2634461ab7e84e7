/**
 * Errors of the engine, and those with which a step says more than "it failed". Guards test a `Symbol.for` brand, so two
 * copies of this package agree.
 */

/** What the engine's own errors are about. */
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

/** A failure that the engine itself found, in a step or around it. */
export class ReconcileError extends Error {
  /** The name of the class. */
  override readonly name = "ReconcileError";
  /** The cause of the failure, as a code. */
  readonly code: ReconcileErrorCode;
  /** The step in which it happened, where there is one. */
  readonly step: string | undefined;

  constructor(code: ReconcileErrorCode, message: string, given: { readonly step?: string; readonly cause?: unknown } = {}) {
    super(message, given.cause === undefined ? undefined : { cause: given.cause });
    this.code = code;
    this.step = given.step;
    Object.defineProperty(this, RECONCILE, { value: true });
  }
}

/** A failure that trying again does not mend: reported and counted as an error, and nothing is scheduled; any event runs a normal pass. */
export class TerminalError extends Error {
  /** The name of the class. */
  override readonly name: string = "TerminalError";
  /** Becomes the reason of the step's condition, in CamelCase. */
  readonly code: string;

  constructor(message: string, given: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(message, given.cause === undefined ? undefined : { cause: given.cause });
    this.code = given.code ?? "TerminalError";
    Object.defineProperty(this, TERMINAL, { value: true });
  }
}

/** A failure that says when to try again, in place of the back-off; 0 says nothing: the back-off decides. */
export class RetryAfterError extends Error {
  /** The name of the class. */
  override readonly name: string = "RetryAfterError";
  /** Milliseconds. */
  readonly retryAfterMs: number;
  /** The code that the condition shows in CamelCase. */
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

/** All problems of a pipeline, each with its fix. */
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

/** Whether `error` is a {@link TerminalError}, of any copy of the package. */
export function isTerminalError(error: unknown): error is TerminalError {
  return branded(error, TERMINAL);
}

/** Whether `error` is a {@link RetryAfterError}, of any copy of the package. */
export function isRetryAfterError(error: unknown): error is RetryAfterError {
  return branded(error, RETRY_AFTER);
}

/** Whether `error` is a {@link ReconcileError}, of any copy of the package. */
export function isReconcileError(error: unknown): error is ReconcileError {
  return branded(error, RECONCILE);
}

function branded(error: unknown, brand: symbol): boolean {
  return typeof error === "object" && error !== null && brand in error;
}
