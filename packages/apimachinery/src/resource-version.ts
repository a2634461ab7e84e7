/**
 * Resource versions as far as they can be compared: decimal numbers of any length (KEP-5504, stable since 1.35, true of
 * every etcd-backed server before it). Anything else is opaque and can only be equal or not.
 */

/** Negative, zero or positive like a sort function; `undefined` when the two cannot be ordered. */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

const DECIMAL = /^(?:0|[1-9]\d*)$/;
