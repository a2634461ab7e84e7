/**
 * Group, version, kind and resource: how API types are named on the wire, and the way from one form to another.
 */
import { apiVersionOf, type Kind } from "./kind.ts";
import type { KubernetesObject } from "./objects.ts";

export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupVersionResource extends GroupVersion {
  /** The lower-case plural, as it stands in URLs. */
  readonly resource: string;
}

/**
 * Splits an `apiVersion`: `"apps/v1"` has a group, `"v1"` is of the core group.
 *
 * @throws Error when it has more than one slash, or no version.
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

/** The group; of an apiVersion that is no such thing the text before its first slash. Never throws: for what others wrote. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** The group, version and kind that an object names. @throws Error when its `apiVersion` is malformed. */
export function gvkOf(object: Pick<KubernetesObject, "apiVersion" | "kind">): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** The group, version and plural of a kind: what names its collection. */
export function gvrOf(kind: Pick<Kind, "group" | "version" | "plural">): GroupVersionResource {
  return { group: kind.group, version: kind.version, resource: kind.plural };
}

/** `resource.group`, or `resource` alone for the core group: the name of a CRD, and how errors name a resource. */
export function groupResourceOf(kind: Pick<Kind, "group" | "plural">): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** Whether `object` is of this kind and version. */
export function isOfKind(object: Pick<KubernetesObject, "apiVersion" | "kind">, kind: Pick<Kind, "group" | "version" | "kind">): boolean {
  return object.kind === kind.kind && object.apiVersion === apiVersionOf(kind);
}
