/** Calls functions of the author. Their errors name the function, and a promise that they return by mistake ends no process. */
import { isApiError } from "@treadle/apimachinery";
import { isRetryAfterError, isTerminalError } from "@treadle/reconcile";
import { isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";

/** Calls a function of the author. `where` is put in front of its error, except for errors that choose the retry. */
export function called<Result>(where: string, call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    if (error === NOT_KNOWN || isTerminalError(error) || isRetryAfterError(error) || isApiError(error)) throw error;
    if (error instanceof Error && error.message.startsWith(where)) throw error; // it names the place already
    if (isOfFrozen(error)) throw error; // the engine explains it
    if (!(error instanceof Error)) throw misuse("ERR_INVALID_STEP", `${where} threw ${nameOfAnswer(error)}, not an error`, error);
    const Same = error instanceof TypeError ? TypeError : Error;
    const code = "code" in error ? error.code : error.name;
    throw Object.assign(new Same(`${where} threw: ${error.message}`, { cause: error }), { code });
  }
}

/** Whether an error is that of a change of an argument: the arguments of authors' functions are frozen. */
export function isOfFrozen(error: unknown): error is TypeError {
  return error instanceof TypeError && FROZEN.test(error.message);
}

const FROZEN = /^Cannot (?:assign to read only property|add property|delete property|define property)\b/;

/**
 * Returns what `value` is, for an error that refuses it. A text or a number is not shown: it may be a secret. A promise may reject
 * later: nothing waits for it, so that is ignored.
 */
export function nameOfAnswer(value: unknown): string {
  if (isPromiseLike(value)) {
    void Promise.resolve(value).catch(() => undefined); // The mistake is reported where the promise was returned.
    return "a promise";
  }
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean") return String(value);
  if (value === "") return "an empty text";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return `a ${typeof value}`;
}

/** Maximum length of a text in a message, in characters. */
const MAX_SHOWN = 100;

/** Returns `value` as an error shows it that refuses it. Only for values that are not secret. */
export function shownAnswer(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number") return nameOfAnswer(value);
  const text = JSON.stringify(value);
  // Values of Secrets are hidden in messages later: the beginning of one would stay.
  return text.length > MAX_SHOWN ? `a text of ${text.length - 2} characters` : text;
}

/** Thrown by the inputs of {@link UNKNOWN_INPUTS}. Authors cannot throw it. */
const NOT_KNOWN = new Error("the values of this step are not known yet");

const unknown = {
  get: (): never => {
    throw NOT_KNOWN;
  },
};

/** Inputs of a step whose values are not there yet: a function that uses them has no answer. See {@link isKnown}. */
export const UNKNOWN_INPUTS: object = Object.freeze(
  Object.defineProperties({}, { vars: unknown, reads: unknown, dependents: unknown, now: unknown, revisit: unknown }),
);

/** Whether a function can answer without inputs. It is called with {@link UNKNOWN_INPUTS}; any other error counts as an answer. */
export function isKnown(call: () => unknown): boolean {
  try {
    nameOfAnswer(call()); // A promise may reject later. The call that counts reports it.
    return true;
  } catch (error) {
    return error !== NOT_KNOWN;
  }
}
