/** Errors of targets. They carry a brand, so that no caller takes them for errors of the operator's own API server. */

const BRAND: symbol = Symbol.for("treadle.dependents.TargetError");

/** Returns whether `error` came from a target cluster: from the client of a target, or from its connection. */
export function isTargetError(error: unknown): boolean {
  return typeof error === "object" && error !== null && BRAND in error;
}

/** Marks an error as one of a target, and returns it. */
export function targetError<E>(error: E): E {
  if (typeof error === "object" && error !== null && Object.isExtensible(error)) Object.defineProperty(error, BRAND, { value: true });
  return error;
}
