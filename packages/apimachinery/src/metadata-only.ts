/** Metadata-only objects: objects of which the server sends `apiVersion`, `kind` and `metadata` only. */
import type { Kind } from "./kind.ts";
import type { KubernetesObject } from "./objects.ts";

/** A kind whose objects are read without spec, status and data. */
export interface MetadataOnlyKind extends Kind<KubernetesObject, never> {
  /** Marks the kind. */
  readonly metadataOnly: true;
}

/**
 * Returns `kind` without the contents of its objects. Use it to watch many, large or secret objects of which metadata is enough.
 * Reading, watching, patching and deleting work as with `kind`. The objects have its `apiVersion` and `kind`.
 */
export function metadataOnly(kind: Kind): MetadataOnlyKind {
  const { group, version, kind: name, plural, scope } = kind;
  return { group, version, kind: name, plural, scope, metadataOnly: true };
}

/** Tells whether {@link metadataOnly} made this kind. */
export function isMetadataOnly(kind: Kind): kind is MetadataOnlyKind {
  return "metadataOnly" in kind && kind.metadataOnly === true;
}

/** Returns `object` without its contents, or `object` itself if it has none. */
export function metadataOf<T extends KubernetesObject>(object: T): Pick<T, "apiVersion" | "kind" | "metadata"> {
  for (const field in object) {
    if (field === "apiVersion" || field === "kind" || field === "metadata") continue;
    const { apiVersion, kind, metadata } = object;
    return { apiVersion, kind, metadata };
  }
  return object;
}
