/** Asks gates, and reports a gate that is not a pure function of its arguments. */
import { isApiError, type Gate } from "@treadle/apimachinery";
import { isRetryAfterError, isTerminalError } from "@treadle/reconcile";
import { misuse } from "@treadle/reconcile/unstable/engine";

/** One gate, or a list of gates that must all hold. */
export type Gates<Args extends readonly unknown[]> = Gate<Args> | readonly Gate<Args>[];

/**
 * Decides whether all `gates` hold for `args`. "Not known" does not hold; no gates hold. Gates after one that does not hold are not
 * asked. `where` begins the messages: `step "web": when`.
 *
 * @throws TypeError for a gate that throws, or that returns anything but true, false and undefined
 */
export function holds<Args extends readonly unknown[]>(gates: Gates<Args> | undefined, args: Args, where: string): boolean {
  if (gates === undefined) return true;
  const list = typeof gates === "function" ? [gates] : gates;
  return list.every((gate) => {
    const answer: unknown = called(where, () => gate(...args));
    if (typeof answer === "boolean" || answer === undefined) return answer === true;
    throw misuse(
      "ERR_INVALID_STEP",
      `${where} returned ${dropped(answer)}, but must return true, false or undefined: compute the answer from its arguments`,
    );
  });
}

/** Checks that `gates` can be asked. @throws TypeError for anything else than a function or a list of functions (untyped code) */
export function requireGates(gates: unknown, where: string): void {
  if (gates === undefined || typeof gates === "function") return;
  if (Array.isArray(gates) && gates.every((gate) => typeof gate === "function")) return;
  throw new TypeError(`${where} must be a function, or a list of functions`);
}

/** Calls a function of the author. `where` is put in front of its error, except for errors that choose the retry. */
export function called<Result>(where: string, call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    if (isTerminalError(error) || isRetryAfterError(error) || isApiError(error)) throw error;
    if (error instanceof Error && error.message.startsWith(where)) throw error; // it names the place already
    if (!(error instanceof Error)) throw misuse("ERR_INVALID_STEP", `${where} threw ${nounOf(error)}, not an error`, error);
    const Same = error instanceof TypeError ? TypeError : Error;
    const code = "code" in error ? error.code : error.name;
    throw Object.assign(new Same(`${where} threw: ${error.message}`, { cause: error }), { code });
  }
}

/** Names a result that is not used, without showing it. A promise may fail later, which must not end the process. */
export function dropped(result: unknown): string {
  if (isThenable(result)) void Promise.resolve(result).catch(() => undefined); // The mistake is reported where the promise was returned.
  return nounOf(result);
}

/** Whether `value` is a promise, or behaves as one. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function";
}

/** Names a value without showing it, because it may be a secret. */
function nounOf(value: unknown): string {
  if (value === null || value === undefined) return value === null ? "null" : "nothing";
  if (Array.isArray(value)) return "a list";
  if (isThenable(value)) return "a promise";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
