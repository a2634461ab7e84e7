/**
 * {@link Client} over any {@link Transport}. It turns calls into requests, and answers into objects or errors.
 */
import { isNotFound, type Kind, type KubernetesObject, type ObjectOf, type Ref } from "@treadle/apimachinery";
import { Caller } from "./caller.ts";
import type { ClientOptions } from "./client-options.ts";
import type { Client, DeleteOptions, Deletion, GetOptions, ListOptions, Patch, WatchOptions, WriteOptions } from "./client.ts";
import { deleteBody, listQuery, watchQuery } from "./query.ts";
import { collectionTarget, createTarget, objectTarget } from "./target.ts";

/** Creates a client over a transport. {@link Client.close} closes the transport. */
export function createClient(options: ClientOptions): Client {
  const caller = new Caller(options);
  return {
    async get<K extends Kind>(kind: K, ref: Ref, given: GetOptions = {}) {
      const { subresource } = given;
      const target = objectTarget("get", kind, ref, subresource);
      const call = { verb: "get", kind, method: "GET", path: target.path, text: target.text, subresource, options: given } as const;
      try {
        return caller.object(call, await caller.json(call));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    async list<K extends Kind>(kind: K, given: ListOptions = {}) {
      const { path, text } = collectionTarget("list", kind, given.namespace);
      const { managedFieldsOf } = given;
      const call = { verb: "list", kind, method: "GET", path: path + listQuery(given), text, options: given, managedFieldsOf } as const;
      return caller.list(call, await caller.json(call));
    },

    async watch<K extends Kind>(kind: K, given: WatchOptions = {}) {
      const { path, text } = collectionTarget("watch", kind, given.namespace);
      const { managedFieldsOf } = given;
      return caller.watch({ verb: "watch", kind, method: "GET", path: path + watchQuery(given), text, options: given, managedFieldsOf });
    },

    async create<K extends Kind>(kind: K, object: object, given: WriteOptions = {}) {
      const target =
        given.subresource === undefined
          ? createTarget(kind, metadataOf(object))
          : objectTarget("create", kind, metadataOf(object), given.subresource);
      return caller.write({ verb: "create", kind, method: "POST", path: target.path, text: target.text, options: given, object });
    },

    async update<K extends Kind>(kind: K, object: object, given: WriteOptions = {}) {
      const target = objectTarget("update", kind, metadataOf(object), given.subresource);
      return caller.write({ verb: "update", kind, method: "PUT", path: target.path, text: target.text, options: given, object });
    },

    async patch<K extends Kind>(kind: K, ref: Ref, patch: Patch, given: WriteOptions = {}) {
      const target = objectTarget("patch", kind, ref, given.subresource);
      return caller.write({
        verb: "patch",
        kind,
        method: "PATCH",
        path: target.path,
        text: target.text,
        options: given,
        object: patch.body,
        body: JSON.stringify(patch.body),
        contentType: PATCH_TYPES[patch.type],
      });
    },

    async apply<K extends Kind>(kind: K, object: object, given: WriteOptions & { readonly force?: boolean } = {}) {
      const target = objectTarget("apply", kind, metadataOf(object), given.subresource);
      if (!(given.fieldManager ?? options.fieldManager))
        throw new TypeError(`cannot apply ${target.text}: apply needs a fieldManager; give one to the call or to the client`);
      const call = { verb: "apply", kind, method: "PATCH", path: target.path, text: target.text, contentType: APPLY_TYPE } as const;
      return caller.write({ ...call, options: given, object, force: given.force });
    },

    async delete<K extends Kind>(kind: K, ref: Ref, given: DeleteOptions = {}) {
      const { path, text } = objectTarget("delete", kind, ref);
      // With a uid, a repeated deletion cannot delete an object that was created in between.
      const isRepeatable = given.preconditions?.uid !== undefined || given.dryRun === true;
      const call = { verb: "delete", kind, method: "DELETE", path, text, body: deleteBody(given), options: given, isRepeatable } as const;
      try {
        return deletionOf<ObjectOf<K>>(await caller.json(call), given);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return { type: "gone", uid: given.preconditions?.uid };
      }
    },

    raw: (request, about) => caller.raw(request, about),
    close: () => caller.close(),
  };
}

/** A server answers with a Status that names the uid, or with the object, which is marked when finalizers hold it. */
function deletionOf<T extends KubernetesObject>(answer: unknown, { preconditions }: DeleteOptions): Deletion<T> {
  const { kind, details, metadata } = (answer ?? {}) as Partial<KubernetesObject> & { readonly details?: { readonly uid?: string } };
  if (kind === "Status" || metadata === undefined) return { type: "gone", uid: details?.uid ?? preconditions?.uid };
  const isHeld = metadata.deletionTimestamp !== undefined;
  return isHeld ? { type: "going", object: answer as T } : { type: "gone", uid: metadata.uid };
}

const PATCH_TYPES: Readonly<Record<Patch["type"], string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
};
/** The server accepts JSON under this name, since every JSON document is YAML. */
const APPLY_TYPE = "application/apply-patch+yaml";

function metadataOf(object: object): Partial<Ref> & { readonly generateName?: string } {
  return "metadata" in object && typeof object.metadata === "object" && object.metadata !== null ? object.metadata : {};
}
