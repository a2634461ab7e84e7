/** Order of objects by their resource versions; `compareResourceVersions` defines which versions have an order. */
import { compareResourceVersions, type KubernetesObject } from "@treadle/apimachinery";

/** Tells whether both versions have an order and `a` is before `b`. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}

/** Tells whether both versions have an order and `a` is `b` or after it. */
export function isAtLeast(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order >= 0;
}

/** Tells whether two objects are the same state of the same object. Without a resourceVersion the answer is no. */
export function isSameState(a: KubernetesObject, b: KubernetesObject): boolean {
  const version = a.metadata.resourceVersion;
  return version !== undefined && version === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
