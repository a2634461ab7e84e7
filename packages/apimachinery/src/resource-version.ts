/**
 * Order of resource versions. Decimal numbers of any length are ordered (KEP-5504, stable since 1.35, and true for every
 * etcd-backed server before it). All other versions are opaque: two of them are equal or not, and have no order.
 */

/** Compares two resource versions like a sort function: negative, zero or positive. Returns `undefined` when they have no order. */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

const DECIMAL = /^(?:0|[1-9]\d*)$/;
