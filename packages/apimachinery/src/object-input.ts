/** The metadata that a client may send; the server sets the rest. */
import type { ObjectMeta } from "./objects.ts";

/**
 * Metadata of an object to write. `uid` and `resourceVersion` are preconditions: the server refuses the write if they differ.
 * A field that is `undefined` is not sent, so optional fields of another object can be passed on.
 */
export type ObjectMetaInput = {
  readonly [K in "namespace" | "uid" | "resourceVersion" | "labels" | "annotations" | "finalizers" | "ownerReferences"]?:
    | ObjectMeta[K]
    | undefined;
} & (
  | { readonly name: string; readonly generateName?: string }
  /** The server appends a random part when it creates the object. */
  | { readonly name?: never; readonly generateName: string }
);
