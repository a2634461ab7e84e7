/** Group, version, kind and resource: how API types are named on the wire, and conversions between these names. */
import { apiVersionOf, type Kind } from "./kind.ts";
import type { KubernetesObject } from "./objects.ts";

/** A group and a version of the API. */
export interface GroupVersion {
  /** API group; empty for the core group. */
  readonly group: string;
  /** API version, `v1`. */
  readonly version: string;
}

/** The name of a kind in one version. */
export interface GroupVersionKind extends GroupVersion {
  /** Name of the kind, `Deployment`. */
  readonly kind: string;
}

/** The name of the collection of a kind in one version. */
export interface GroupVersionResource extends GroupVersion {
  /** Plural in lower case, as in URLs: `deployments`. */
  readonly resource: string;
}

/**
 * Splits an `apiVersion` into group and version: `"apps/v1"` has the group `apps`, `"v1"` belongs to the core group.
 *
 * @throws Error when it has more than one slash, or no version
 */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const parts = apiVersion.split("/");
  const [first = "", second] = parts;
  if (parts.length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  const parsed = second === undefined ? { group: "", version: first } : { group: first, version: second };
  if (parsed.version === "")
    throw new Error(`apiVersion ${JSON.stringify(apiVersion)} names no version: write "version" or "group/version"`);
  return parsed;
}

/** Returns the group of an `apiVersion`. It never throws: for a malformed text, it returns the part before the first slash. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/**
 * Returns the group, version and kind of an object.
 *
 * @throws Error when its `apiVersion` is malformed
 */
export function gvkOf(object: Pick<KubernetesObject, "apiVersion" | "kind">): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** Returns the group, version and plural of a kind: the name of its collection. */
export function gvrOf(kind: Pick<Kind, "group" | "version" | "plural">): GroupVersionResource {
  return { group: kind.group, version: kind.version, resource: kind.plural };
}

/** Returns `resource.group`, or `resource` alone in the core group: the name of a CRD, and of a resource in errors. */
export function groupResourceOf(kind: Pick<Kind, "group" | "plural">): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** Tells whether `object` is of this kind and version. */
export function isOfKind(object: Pick<KubernetesObject, "apiVersion" | "kind">, kind: Pick<Kind, "group" | "version" | "kind">): boolean {
  return object.kind === kind.kind && object.apiVersion === apiVersionOf(kind);
}
