/** Names the type of a value for an error. The value alone may be a promise, or contain what belongs in no condition. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value instanceof Promise) return "a promise";
  return typeof value === "object" ? "another object" : `a ${typeof value}`;
}
