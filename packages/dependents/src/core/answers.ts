/** Names the answer of an author's function in an error. */

/**
 * Returns what `value` is, for an error that refuses it. A text or a number is not shown: it may be a secret. A promise may reject
 * later: nothing waits for it, so that is ignored.
 */
export function nameOfAnswer(value: unknown): string {
  if (isPromise(value)) {
    void value.then(undefined, () => undefined);
    return "a promise";
  }
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean") return String(value);
  if (value === "") return "an empty text";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return `a ${typeof value}`;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function";
}
