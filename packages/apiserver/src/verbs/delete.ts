/** DELETE of an object or a collection. */
import type { ApiResponse } from "@treadle/apimachinery";
import { type Call, respondIn, representationFor } from "../request/context.ts";
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, removeOrMark } from "../objects/deletion.ts";
import type { JsonObject } from "../internal/json.ts";
import { stringsOf } from "../objects/object-meta.ts";
import { noteRepresentation, representationOf } from "../storage/served-form.ts";
import { conflict, forbiddenError } from "../errors/status-errors.ts";
import type { Entry } from "../storage/store.ts";
import { objectAnswer } from "../table/table.ts";
import { type DeleteOptions, readDeleteOptions } from "./delete-options.ts";
import { listAnswer, selectedEntries } from "./list.ts";
import { requireEntry } from "./update.ts";

export async function deleteOne(call: Call): Promise<ApiResponse> {
  const options = await readDeleteOptions(call);
  const entry = requireEntry(call);
  checkPreconditions(call, entry, options);
  checkImmortal(call);
  admitDeletion(call, entry, options);
  const { left, removed } = observed(call, entry, () => deleteEntry(call, entry, options));
  if (left !== undefined)
    noteRepresentation(left, call.served.version, { ...representationOf(entry, call.served.version, call.served.type).object });
  if (left !== undefined || call.served.type.returnsDeleted) {
    return objectAnswer(call, 200, representationFor(call, left ?? removed));
  }
  return respondIn(call.accepted.encoding, 200, JSON.stringify(deletedStatus(call, entry)));
}

/** Deletes and returns what is left. A deleted object has the version of its deletion; in a dry run it keeps its own. */
function observed(call: Call, entry: Entry, run: () => Entry | undefined): { readonly left: Entry | undefined; readonly removed: Entry } {
  let removed = entry;
  const stop = call.collection.listen((change) => {
    if (change.type === "DELETED" && change.entry.key === entry.key) removed = change.entry;
  });
  try {
    return { left: run(), removed };
  } finally {
    stop();
  }
}

/** Deletes the selected objects, and answers with the list of them. */
export async function deleteCollection(call: Call): Promise<ApiResponse> {
  const options = await readDeleteOptions(call);
  const entries = selectedEntries(call);
  // Webhooks see all objects before the first one is deleted, because the answer lists all.
  for (const entry of entries) admitDeletion(call, entry, options);
  for (const entry of entries) {
    checkPreconditions(call, entry, options);
    deleteEntry(call, entry, options);
  }
  return listAnswer(call, { entries, revision: call.parts.store.revision });
}

/** Namespaces that the server needs. */
const IMMORTAL: ReadonlySet<string> = new Set(["default", "kube-public", "kube-system"]);

function checkImmortal({ served, route }: Call): void {
  if (served.type.id !== "namespaces" || !IMMORTAL.has(route.name)) return;
  throw forbiddenError({ group: "", resource: "namespaces" }, route.name, "this namespace may not be deleted");
}

/** Checks the preconditions of a deletion. @throws StatusError 409 */
export function checkPreconditions(call: Call, entry: Entry, options: Pick<DeleteOptions, "uid" | "resourceVersion">): void {
  const { type } = call.served;
  const { uid, resourceVersion, name } = entry.object.metadata;
  const of = { group: type.group, resource: type.kind };
  if (options.uid !== undefined && options.uid !== uid) {
    const text = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(of, name, text);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const text = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(of, name, text);
  }
}

function admitDeletion(call: Call, entry: Entry, { isDryRun }: DeleteOptions): void {
  const live = representationOf(entry, call.served.version, call.served.type).object;
  call.parts.admission.validate(call, { operation: "DELETE", draft: undefined, live, subresource: "", isDryRun });
}

function deleteEntry(call: Call, entry: Entry, options: DeleteOptions): Entry | undefined {
  const { type } = call.served;
  // Without a collector this finalizer would never be removed.
  const isOrphaning = type.orphansDependents === true && call.parts.collectsGarbage;
  const propagation = options.propagation ?? (isOrphaning ? defaultPropagation(entry) : undefined);
  return removeOrMark(call.parts, { type, collection: call.collection, entry, ...options, propagation });
}

/** Returns the propagation policy of a finalizer that the object already has. It has priority over the default of the kind. */
function defaultPropagation(entry: Entry): string | undefined {
  const finalizers = stringsOf(entry.object.metadata.finalizers);
  return finalizers.includes(ORPHAN_FINALIZER) || finalizers.includes(FOREGROUND_FINALIZER) ? undefined : "Orphan";
}

function deletedStatus(call: Call, entry: Entry): JsonObject {
  const { type } = call.served;
  const { name, uid } = entry.object.metadata;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(type.group === "" ? {} : { group: type.group }), kind: type.plural, uid },
  };
}
