/**
 * Metadata-only objects: the same calls on a kind, of which the server sends `apiVersion`, `kind` and `metadata` only.
 */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";

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

/** What to ask for; a server that cannot reduce objects sends them whole. */
export const METADATA_ACCEPT: { readonly object: string; readonly list: string } = {
  object: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
};
