/** The failures of a fake provider: what a call can end with, besides an answer. */
import { orAborted } from "@treadle/apimachinery";

/** The calls of a fake provider. */
export type FakeVerb = "observe" | "create" | "update" | "delete" | "recoverCreate";

/**
 * How a call fails:
 *
 * - `"lost"`: it happens, and the answer does not arrive.
 * - `"unreachable"`: it does not happen, because there is no connection.
 * - `"hang"`: it does not happen, and ends only with the signal of the caller.
 * - A number: the provider answers with this status, and nothing happens.
 * - An object: the same, with a `Retry-After` or with a message.
 * - An error: the call throws this error, and nothing happens.
 */
export type FakeFailure =
  | "lost"
  | "unreachable"
  | "hang"
  | number
  | { readonly status: number; readonly retryAfterMs?: number; readonly message?: string }
  | Error;

/** A fake provider's error is an answer with a status that is no success, or a connection that failed. */
export class FakeProviderError extends Error {
  /** The name of the class. */
  override readonly name = "FakeProviderError";
  /** The status of the answer; `undefined`: there was no answer. */
  readonly status: number | undefined;
  /** The code of a connection that failed, as sockets have it; `undefined`: there was an answer. */
  readonly code: "ECONNREFUSED" | "ECONNRESET" | undefined;
  /** The delay that the provider asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    given: { readonly status?: number; readonly code?: "ECONNREFUSED" | "ECONNRESET"; readonly retryAfterMs?: number } = {},
  ) {
    super(message);
    this.status = given.status;
    this.code = given.code;
    this.retryAfterMs = given.retryAfterMs;
  }
}

const REASONS: Readonly<Record<number, string>> = {
  401: "the credentials are not valid",
  403: "the credentials do not allow this",
  404: "not found",
  409: "in conflict with another operation",
  429: "too many requests",
  500: "internal error",
  503: "unavailable",
};

interface PlannedFailure {
  readonly verb: FakeVerb | "*";
  readonly failure: FakeFailure;
  times: number;
}

/** The failures that the next calls have. Of those that fit a call, the first planned is taken. */
export class PlannedFailures {
  readonly #planned: PlannedFailure[] = [];

  /** Plans a failure. @throws RangeError when `times` is not a number from 1 */
  add(verb: FakeVerb | "*", failure: FakeFailure, times: number): void {
    if (!(times >= 1)) throw new RangeError(`fakeProvider: fail("${verb}") needs a number of times from 1, not ${times}`);
    this.#planned.push({ verb, failure, times });
  }

  clear(): void {
    this.#planned.length = 0;
  }

  /** Returns the failure of this call, and counts it. */
  take(verb: FakeVerb): FakeFailure | undefined {
    const at = this.#planned.findIndex((each) => each.verb === verb || each.verb === "*");
    const found = this.#planned[at];
    if (found === undefined) return undefined;
    if (--found.times <= 0) this.#planned.splice(at, 1);
    return found.failure;
  }
}

/** Fails a call before it happens. Returns for `"lost"`, which fails afterwards. */
export async function failBefore(failure: FakeFailure | undefined, call: string, signal: AbortSignal | undefined): Promise<void> {
  if (failure === undefined || failure === "lost") return;
  if (failure === "unreachable") throw new FakeProviderError(`${call}: connect ECONNREFUSED`, { code: "ECONNREFUSED" });
  if (failure === "hang") return await orAborted(new Promise<never>(() => undefined), signal);
  if (failure instanceof Error) throw failure;
  const given = typeof failure === "number" ? { status: failure } : failure;
  const message = `${call}: ${given.status} ${("message" in given ? given.message : undefined) ?? REASONS[given.status] ?? "failed"}`;
  throw new FakeProviderError(message, given);
}

/** Fails a call that happened. */
export function failAfter(failure: FakeFailure | undefined, call: string): void {
  if (failure === "lost") throw new FakeProviderError(`${call}: read ECONNRESET`, { code: "ECONNRESET" });
}
