/** Requests for metadata only; see `metadataOnly()` of `@treadle/apimachinery`. */

/** Accept headers. A server that cannot reduce objects sends them whole. */
export const METADATA_ACCEPT: { readonly object: string; readonly list: string } = {
  object: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
};
