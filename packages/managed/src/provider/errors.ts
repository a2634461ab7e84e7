/**
 * The errors by which the functions of an author say what the provider answered. Guards test a `Symbol.for` brand, so two copies of
 * this package agree. `cause.ts` classifies all other errors.
 */
import { RetryAfterError } from "@treadle/reconcile";

const THROTTLED: symbol = Symbol.for("treadle.managed.Throttled");
const REFUSED: symbol = Symbol.for("treadle.managed.CredentialsRefused");
const NOT_CONNECTED: symbol = Symbol.for("treadle.managed.NotConnected");

/** A throttled error says that the provider has too many calls and did nothing. All objects of the config wait. */
export class Throttled extends RetryAfterError {
  /** The name of the class. */
  override readonly name = "Throttled";

  /**
   * @param retryAfterMs the time that the provider asked for, in milliseconds. @defaultValue 0: a backoff
   * @throws TypeError when `retryAfterMs` is not a number of milliseconds from 0.
   */
  constructor(message: string, retryAfterMs: number = 0, given: { readonly cause?: unknown } = {}) {
    super(message, retryAfterMs, { ...given, code: "Throttled" });
    Object.defineProperty(this, THROTTLED, { value: true });
  }
}

/** A refusal says that the provider does not accept the credentials. All objects of the config wait until they are new. */
export class CredentialsRefused extends Error {
  /** The name of the class. */
  override readonly name = "CredentialsRefused";
  /** The code that becomes the reason of the condition. */
  readonly code = "CredentialsRefused";

  constructor(message: string, given: { readonly cause?: unknown } = {}) {
    super(message, given.cause === undefined ? undefined : { cause: given.cause });
    Object.defineProperty(this, REFUSED, { value: true });
  }
}

/** A connection error says that there is no connection: a config or Secret is missing or incomplete, or `connect` failed. */
export class NotConnected extends Error {
  /** The name of the class. */
  override readonly name = "NotConnected";
  /** The code that becomes the reason of the condition. */
  readonly code = "NotConnected";

  constructor(message: string, given: { readonly cause?: unknown } = {}) {
    super(message, given.cause === undefined ? undefined : { cause: given.cause });
    Object.defineProperty(this, NOT_CONNECTED, { value: true });
  }
}

/** Tells whether `error` is a {@link Throttled} of any copy of the package. */
export function isThrottled(error: unknown): error is Throttled {
  return branded(error, THROTTLED);
}

/** Tells whether `error` is a {@link CredentialsRefused} of any copy of the package. */
export function isCredentialsRefused(error: unknown): error is CredentialsRefused {
  return branded(error, REFUSED);
}

/** Tells whether `error` is a {@link NotConnected} of any copy of the package. */
export function isNotConnected(error: unknown): error is NotConnected {
  return branded(error, NOT_CONNECTED);
}

function branded(error: unknown, brand: symbol): boolean {
  return typeof error === "object" && error !== null && brand in error;
}
