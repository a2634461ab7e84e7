/** PUT of an object or its status, and the common part of all changes of existing objects. */
import { type ApiResponse, jsonEqual } from "@treadle/apimachinery";
import { type Call, entryOf, representationFor } from "../request/context.ts";
import { type AppliedOwnership, noteSent, prepareDraft, recordOwner, recordSentOwner } from "../managed-fields/field-ownership.ts";
import { dropRepeatedOwners } from "../objects/meta-warnings.ts";
import { validateDraft } from "../objects/validation.ts";
import { invalid } from "../errors/field-errors.ts";
import { goQuote, type JsonObject } from "../internal/json.ts";
import { textsAt } from "../internal/read.ts";
import { matchNamespace } from "../objects/namespaces.ts";
import { checkQuotas } from "../quota/admission.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { noteRepresentation, representationOf } from "../storage/served-form.ts";
import { toStored } from "../request/stored-form.ts";
import { type ResourceType, resourceOf } from "../storage/registry.ts";
import { partOf } from "../builtin/partial-writes.ts";
import { keptByStatus } from "../builtin/status-rules.ts";
import { badRequest, conflict, invalidObject, notFound, StatusError, staleVersion, unreadableVersion } from "../errors/status-errors.ts";
import type { Entry } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import { Representation } from "../storage/representation.ts";
import { answerWritten, readSent, shownAlone, store } from "./create.ts";
import { keepResidue, NO_RESIDUE, residueOf } from "../managed-fields/residue.ts";

export async function update(call: Call): Promise<ApiResponse> {
  const { request, query, served, route } = call;
  const options = readWriteOptions(query, request.headers["user-agent"], "UpdateOptions");
  const { draft } = await readSent(call, options);
  dropRepeatedOwners(call, draft);
  checkName(call, draft);
  const entry = entryOf(call);
  if (entry === undefined) {
    if (!served.type.createsOnUpdate || route.subresource !== "") throw notFound(resourceOf(served.type), route.name);
    return answerWritten(call, 201, store(call, draft, options));
  }
  checkUid(call, draft, entry);
  return answerWritten(call, 200, change(call, { entry, draft, subresource: route.subresource, options }));
}

/** A change of an existing object. `draft` is the new object in the version of the request. */
export interface ObjectChange {
  readonly entry: Entry;
  readonly draft: Draft;
  /** Subresource; empty for the object itself. */
  readonly subresource: string;
  readonly options: WriteOptions;
  /** Field ownership after an apply. Absent: it is computed. */
  readonly applied?: AppliedOwnership;
}

/**
 * Makes the change, unless nothing differs. Removing the last finalizer of an object that is being deleted deletes the
 * object. @throws StatusError 409, 422, 500
 */
export function change(call: Call, { entry, draft: sent, subresource, options, applied }: ObjectChange): Entry | Representation {
  const { served, collection, route } = call;
  const { type, version } = served;
  const live = representationOf(entry, version, type).object;
  const namespace = type.isNamespaced ? route.namespace : "";
  matchNamespace(sent, namespace);
  const requested = sent.metadata["managedFields"];
  const admitted = { operation: "UPDATE", live, subresource, isDryRun: options.isDryRun } as const;
  const draft = call.parts.admission.mutate(call, { ...admitted, draft: sent });
  // Webhooks see a stale object, and may change its version and its namespace.
  checkVersion(call, draft, live);
  matchNamespace(draft, namespace);
  dropRepeatedOwners(call, draft, { isAdmitted: true });
  const next = merge(call, draft, live, subresource);
  // Changes by webhooks have no manager.
  if (draft !== sent) noteSent(next, merge(call, sent, live, subresource));
  const written = { draft: next, live, subresource };
  call.parts.access.checkRoles(call, next, live);
  recordSentOwner(call, written, applied ?? { requested, options });
  validateDraft(served, written, call.warnings);
  call.parts.access.checkOwners(call, written);
  call.parts.admission.validate(call, { ...admitted, draft: next });
  // A stored object is JSON.
  if (subresource === "") type.hooks.admit?.(next, live as JsonObject, { store: call.parts.store, isDryRun: options.isDryRun });
  const charge = checkQuotas(call.parts, type, written);
  recordOwner(call, written, applied ?? { requested, options });
  const { stored, shown } = toStored(call, next);
  // A subresource gets the metadata as readers see it.
  const residue = subresource === "" ? (applied?.residue ?? NO_RESIDUE) : NO_RESIDUE;
  if (jsonEqual(stored, entry.object) && jsonEqual(residue, residueOf(entry.object))) return entry;
  if (options.isDryRun) return shownAlone(shown);
  if (
    next.metadata["deletionTimestamp"] !== undefined &&
    next.metadata["finalizers"] === undefined &&
    !holdsContent(type, next) &&
    !next.metadata["deletionGracePeriodSeconds"]
  ) {
    collection.delete(entry);
    return shownAlone(shown instanceof StatusError ? shown : { ...shown, metadata: { ...shown.metadata, ...residue } });
  }
  charge();
  const updated = collection.update(entry, stored);
  noteRepresentation(updated, version, shown);
  keepResidue(updated.object, residue);
  return updated;
}

/** Reports whether a namespace must stay because its content is deleted first. */
function holdsContent({ id }: ResourceType, draft: Draft): boolean {
  return id === "namespaces" && textsAt(draft, "spec", "finalizers").length > 0;
}

/** Checks that the name in the body is that of the path. @throws StatusError 400 */
export function checkName(call: Call, draft: Draft): void {
  const { name } = draft.metadata;
  const wanted = call.route.name;
  if (!name) throw badRequest(`the name of the object (${wanted} based on URL) was undeterminable: name must be provided`);
  if (name !== wanted) throw badRequest(`the name of the object (${name}) does not match the name on the URL (${wanted})`);
}

/** Optimistic locking. "0" counts as no version. @throws StatusError 409, 422, 500 */
function checkVersion({ served: { type }, route }: Call, draft: Draft, live: StoredObject): void {
  const sent = String(draft.metadata["resourceVersion"] ?? "");
  if (sent === live.metadata.resourceVersion) return;
  if (!/^\d*$/.test(sent)) throw unreadableVersion(`strconv.ParseUint: parsing ${goQuote(sent)}: invalid syntax`);
  if (Number(sent) !== 0) throw staleVersion(resourceOf(type), route.name);
  if (type.isUnconditional) return;
  // The real server has the plural as the kind here.
  const error = invalid("metadata.resourceVersion", 0, "must be specified for an update");
  throw invalidObject({ group: type.group, kind: type.plural }, route.name, [error]);
}

/** Takes from the live object what this write must not change. */
function merge(call: Call, draft: Draft, live: StoredObject, subresource: string): Draft {
  const { type, version } = call.served;
  let next = draft;
  const take = partOf(type.id, subresource);
  if (subresource === "status") {
    next = statusWritten(call, draft, live);
  } else if (take !== undefined) {
    const { resourceVersion: _, ...metadata } = live.metadata;
    next = take(draft, { ...live, metadata } as unknown as JsonObject) as Draft; // a copy of a stored object
    keepServerFields(next.metadata, live);
  } else {
    keepServerFields(draft.metadata, live);
    // `spec.finalizers` of a namespace is written only through its subresource.
    if (type.id === "namespaces") next["spec"] = live["spec"];
    if (version.status) {
      // As on the real server, managers of other versions lose the status that the request omits, although the status stays.
      if (type.isCustom && type.versions.length > 1) noteSent(next, { ...next });
      if (live["status"] === undefined) delete next["status"];
      else next["status"] = live["status"];
    }
  }
  prepareDraft(call, next, live);
  // The sender owns the metadata that it sends, even when the subresource ignores it.
  if (take !== undefined) noteSent(next, { ...next, metadata: { ...next.metadata, ...ownable(draft.metadata) } });
  if (
    type.countsGenerations &&
    (isNewGeneration(next, live, version.status) || (subresource === "" && isAnnotatedAnew(type, next, live)))
  ) {
    next.metadata["generation"] = (live.metadata.generation ?? 0) + 1;
  }
  return next;
}

function ownable({ labels, annotations }: JsonObject): JsonObject {
  return { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
}

/** Returns the live object with the status of the draft, and with the other fields that a write of a status may change. */
function statusWritten({ served: { type } }: Call, draft: Draft, live: StoredObject): Draft {
  const { status: _, ...rest } = live;
  const kept = keptByStatus(type).flatMap(([root, field]) => (root === "metadata" ? [field] : []));
  const metadata: JsonObject = kept.includes(undefined) ? { ...live.metadata } : draft.metadata;
  if (metadata === draft.metadata) {
    keepServerFields(metadata, live);
    for (const field of kept) {
      if (field === undefined) continue;
      if (live.metadata[field] === undefined) delete metadata[field];
      else metadata[field] = live.metadata[field];
    }
  }
  const next = { ...rest, metadata } as unknown as Draft; // a copy of a stored object
  if (draft["status"] !== undefined) next["status"] = draft["status"];
  return next;
}

/** Reports whether annotations of a Deployment changed. They count for its generation, because its controller copies them. */
function isAnnotatedAnew(type: ResourceType, next: Draft, live: StoredObject): boolean {
  return type.id === "deployments.apps" && !jsonEqual(next.metadata["annotations"], live.metadata.annotations);
}

function keepServerFields(meta: JsonObject, live: StoredObject): void {
  const old = live.metadata;
  meta["resourceVersion"] = old.resourceVersion;
  meta["uid"] ??= old.uid;
  meta["creationTimestamp"] = old.creationTimestamp;
  if (old.generation === undefined) delete meta["generation"];
  else meta["generation"] = old.generation;
  if (old.deletionTimestamp !== undefined) {
    meta["deletionTimestamp"] = old.deletionTimestamp;
    meta["deletionGracePeriodSeconds"] ??= old.deletionGracePeriodSeconds;
  }
  delete meta["selfLink"];
}

/** Reports whether anything but metadata (and a status that is a subresource) differs. */
function isNewGeneration(next: JsonObject, live: StoredObject, hasStatus: boolean): boolean {
  for (const field of new Set([...Object.keys(next), ...Object.keys(live)])) {
    if (field === "metadata" || field === "apiVersion" || field === "kind" || (field === "status" && hasStatus)) continue;
    if (!jsonEqual(next[field], live[field])) return true;
  }
  return false;
}

function checkUid(call: Call, draft: Draft, entry: Entry): void {
  const sent = draft.metadata["uid"];
  if (typeof sent === "string" && sent !== entry.object.metadata.uid) throw uidConflict(call, entry, sent);
}

/** The uid of the write belongs to an earlier object of this name. */
export function uidConflict(call: Call, entry: Entry, sent: string): StatusError {
  return preconditionFailed(call, entry, `UID in precondition: ${sent}, UID in object meta: ${entry.object.metadata.uid}`);
}

/** A failed precondition, with the text of the real server's storage. */
export function preconditionFailed({ served, route }: Call, entry: Entry, cause: string): StatusError {
  const resource = resourceOf(served.type);
  const key = `/registry/${storedUnder(served.type)}/${entry.key}`;
  const text = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${cause}`;
  return conflict(resource, route.name, text);
}

/** Returns the storage path of a kind on the real server. */
function storedUnder({ id, group, plural, isCustom }: ResourceType): string {
  const isOfExtensions = group === "apiextensions.k8s.io" || group === "apiregistration.k8s.io";
  return STORED_ELSEWHERE[id] ?? (isCustom || isOfExtensions ? `${group}/${plural}` : plural);
}

const STORED_ELSEWHERE: Readonly<Record<string, string>> = {
  replicationcontrollers: "controllers",
  endpoints: "services/endpoints",
  nodes: "minions",
  services: "services/specs",
  "ingresses.networking.k8s.io": "ingress",
};

/** Returns the entry of an existing object. @throws StatusError 404 */
export function requireEntry(call: Call): Entry {
  const entry = entryOf(call);
  if (entry === undefined) throw notFound(resourceOf(call.served.type), call.route.name);
  return entry;
}

/** Returns the object of the path in the form of this request. @throws StatusError 404 */
export function requireRepresentation(call: Call): Representation {
  return representationFor(call, requireEntry(call));
}
