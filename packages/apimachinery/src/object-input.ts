/** What a client may send of an object's metadata; the server sets the rest. */
import type { ObjectMeta } from "./objects.ts";

/** A field that is undefined is not sent: what another object lacks may be handed on as it is. */
type Common = {
  readonly [K in "namespace" | "uid" | "resourceVersion" | "labels" | "annotations" | "finalizers" | "ownerReferences"]?:
    | ObjectMeta[K]
    | undefined;
};

/** Metadata of an object to write. `uid` and `resourceVersion` are preconditions, not assignments. */
export type ObjectMetaInput = Common &
  (
    | { readonly name: string; readonly generateName?: string }
    /** The server appends a random part, on create only. */
    | { readonly name?: never; readonly generateName: string }
  );
