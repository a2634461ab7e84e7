/** Names the answer of an author's function in an error. */

/** Returns what `value` is, for an error that refuses it. A promise may reject later: nothing waits for it, so that is ignored. */
export function nameOfAnswer(value: unknown): string {
  if (isPromise(value)) {
    void value.then(undefined, () => undefined);
    return "a promise";
  }
  if (value === undefined) return "nothing";
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "bigint" || typeof value === "symbol" ? `a ${typeof value}` : (JSON.stringify(value) ?? String(value));
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function";
}
