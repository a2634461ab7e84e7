/**
 * Resource versions as far as they can be compared: decimal numbers of any length (KEP-5504, stable since 1.35, true of
 * every etcd-backed server before it). Anything else is opaque and can only be equal or not.
 */
import type { KubernetesObject } from "@treadle/apimachinery";

/** Negative, zero or positive like a sort function; `undefined` when the two cannot be ordered. */
export function compareVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** True only when both can be ordered and `a` comes first. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  const order = compareVersions(a, b);
  return order !== undefined && order < 0;
}

/** True only when both can be ordered and `a` is `b` or comes after it. */
export function isAtLeast(a: string | undefined, b: string | undefined): boolean {
  const order = compareVersions(a, b);
  return order !== undefined && order >= 0;
}

/** The same state of the same object. Without a resourceVersion nothing is known to be the same. */
export function isSameState(a: KubernetesObject, b: KubernetesObject): boolean {
  const version = a.metadata.resourceVersion;
  return version !== undefined && version === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}

const DECIMAL = /^(?:0|[1-9]\d*)$/;
