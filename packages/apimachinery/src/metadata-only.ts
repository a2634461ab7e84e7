/**
 * Metadata-only objects: the same calls on a kind, of which the server sends `apiVersion`, `kind` and `metadata` only.
 */
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./objects.ts";

/** A kind whose objects are read without spec, status and data. */
export interface MetadataOnlyKind extends Kind<KubernetesObject, never> {
  readonly metadataOnly: true;
}

/**
 * `kind` without the contents of its objects: what a watch of many large or secret objects should hold.
 * Reading, watching, patching and deleting work as with `kind`; objects keep its `apiVersion` and `kind`.
 */
export function metadataOnly(kind: Kind): MetadataOnlyKind {
  const { group, version, kind: name, plural, scope } = kind;
  return { group, version, kind: name, plural, scope, metadataOnly: true };
}

export function isMetadataOnly(kind: Kind): kind is MetadataOnlyKind {
  return "metadataOnly" in kind && kind.metadataOnly === true;
}

/** `object` without its contents; the same one where it has none. */
export function metadataOf<T extends KubernetesObject>(object: T): Pick<T, "apiVersion" | "kind" | "metadata"> {
  for (const field in object) {
    if (field === "apiVersion" || field === "kind" || field === "metadata") continue;
    const { apiVersion, kind, metadata } = object;
    return { apiVersion, kind, metadata };
  }
  return object;
}
