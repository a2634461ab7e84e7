/** DELETE of one object or of a collection. */
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
    noteRepresentation(left, call.served.version, { ...representationOf(entry, call.served.version, call.served.type.storage).object });
  if (left !== undefined || call.served.type.returnsDeleted) {
    return objectAnswer(call, 200, representationFor(call, left ?? removed));
  }
  return respondIn(call.accepted.encoding, 200, JSON.stringify(deletedStatus(call, entry)));
}

/** What is shown of an object that is gone has the version of its removal; of a dry run, its own. */
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

/** Deletes what the selectors select; answers with the list of it. */
export async function deleteCollection(call: Call): Promise<ApiResponse> {
  const options = await readDeleteOptions(call);
  const entries = selectedEntries(call);
  // All are asked about before the first one goes, since the answer names them all.
  for (const entry of entries) admitDeletion(call, entry, options);
  for (const entry of entries) {
    checkPreconditions(call, entry, options);
    deleteEntry(call, entry, options);
  }
  return listAnswer(call, { entries, revision: call.parts.store.revision });
}

/** Namespaces that the server itself needs. */
const IMMORTAL: ReadonlySet<string> = new Set(["default", "kube-public", "kube-system"]);

function checkImmortal({ served, route }: Call): void {
  if (served.type.id !== "namespaces" || !IMMORTAL.has(route.name)) return;
  throw forbiddenError({ group: "", resource: "namespaces" }, route.name, "this namespace may not be deleted");
}

/** @throws StatusError 409 when it is another object, or another version of it, than is to be deleted */
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
  const live = representationOf(entry, call.served.version, call.served.type.storage).object;
  call.parts.admission.validate(call, { operation: "DELETE", draft: undefined, live, subresource: "", isDryRun });
}

function deleteEntry(call: Call, entry: Entry, options: DeleteOptions): Entry | undefined {
  const { type } = call.served;
  // Without a collector nobody would take the finalizer away that this asks for.
  const isOrphaning = type.orphansDependents === true && call.parts.collectsGarbage;
  const propagation = options.propagation ?? (isOrphaning ? defaultPropagation(entry) : undefined);
  return removeOrMark(call.parts, { type, collection: call.collection, entry, ...options, propagation });
}

/** A finalizer that the object has already says more than the kind. */
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
