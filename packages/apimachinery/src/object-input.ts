/** What a client may send of an object's metadata; the server sets the rest. */
import type { ObjectMeta } from "./objects.ts";

type Common = Partial<
  Pick<ObjectMeta, "namespace" | "uid" | "resourceVersion" | "labels" | "annotations" | "finalizers" | "ownerReferences">
>;

/** Metadata of an object to write. `uid` and `resourceVersion` are preconditions, not assignments. */
export type ObjectMetaInput = Common &
  (
    | { readonly name: string; readonly generateName?: string }
    /** The server appends a random part, on create only. */
    | { readonly name?: never; readonly generateName: string }
  );
