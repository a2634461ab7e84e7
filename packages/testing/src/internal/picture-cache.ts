/** A picture of objects as a cache. */
import { type Cache, isMetadataOnly, type Kind, type KubernetesObject, metadataOf, type ObjectOf } from "@treadle/apimachinery";
import type { ObjectPicture } from "./object-picture.ts";

/** Returns a cache over a picture. Of a kind that stands for metadata only, it has the metadata. */
export function pictureCache(picture: Pick<ObjectPicture, "get" | "list">): Cache {
  const form = <K extends Kind>(kind: K, object: ObjectOf<K>): ObjectOf<K> =>
    isMetadataOnly(kind) ? (metadataOf(object as KubernetesObject) as ObjectOf<K>) : object; // The kind stands for metadata only.
  return {
    get(kind, ref) {
      const object = picture.get(kind, ref);
      return object === undefined ? undefined : form(kind, object);
    },
    list: (kind, options) => picture.list(kind, options).map((object) => form(kind, object)),
  };
}
