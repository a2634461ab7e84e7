/** What the order of resource versions says of objects; which versions have an order, `@treadle/apimachinery` knows. */
import { compareResourceVersions, type KubernetesObject } from "@treadle/apimachinery";

export { compareResourceVersions as compareVersions } from "@treadle/apimachinery";

/** True only when both can be ordered and `a` comes first. */
export function isOlder(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}

/** True only when both can be ordered and `a` is `b` or comes after it. */
export function isAtLeast(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order >= 0;
}

/** The same state of the same object. Without a resourceVersion nothing is known to be the same. */
export function isSameState(a: KubernetesObject, b: KubernetesObject): boolean {
  const version = a.metadata.resourceVersion;
  return version !== undefined && version === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
