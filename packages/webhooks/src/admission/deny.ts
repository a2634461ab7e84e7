/** `deny()`: how a function of an author refuses a request with another status than 422. */

const BRAND: symbol = Symbol.for("treadle.webhooks.Denied");

/** What {@link deny} throws. */
export interface Denied extends Error {
  /** The HTTP status of the refusal. */
  readonly status: number;
}

/** These are the options of {@link deny}. */
export interface DenyOptions {
  /** The HTTP status that the client gets, 400 to 499. @defaultValue 403 */
  readonly code?: number;
}

/**
 * Refuses the request that is reviewed, with a message for the user. Use it in `fill` and `problems` for rules about the user; use
 * `problems` for rules about fields, because it reports all of them together.
 *
 * It works by throwing. Do not catch the error.
 *
 * @throws always: the refusal; a TypeError when the message or the code is not valid, which is a failure of the webhook
 */
export function deny(message: string, { code = 403 }: DenyOptions = {}): never {
  if (typeof message !== "string" || message === "") throw new TypeError("deny: the message must be a text that says why");
  if (!Number.isInteger(code) || code < 400 || code > 499)
    throw new TypeError(`deny: the code must be from 400 to 499, not ${String(code)}`);
  const denied = Object.assign(new Error(message), { name: "Denied", status: code });
  Object.defineProperty(denied, BRAND, { value: true });
  throw denied;
}

/** Tells whether {@link deny} threw `error`, in this copy of the package or another. Never throws. */
export function isDenied(error: unknown): error is Denied {
  try {
    return typeof error === "object" && error !== null && BRAND in error;
  } catch {
    return false; // a Proxy may have traps
  }
}
