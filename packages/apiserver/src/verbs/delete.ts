/** DELETE of one object or of a collection. */
import type { ApiResponse } from "@treadle/apimachinery";
import { encode, encodingOf, parseBody } from "../content.ts";
import { type Call, respond, viewFor } from "../context.ts";
import { type FieldError, invalid, notSupported } from "../field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { removeOrMark } from "../deletion.ts";
import { stringsOf } from "../object-meta.ts";
import { dryRunErrors, readInteger } from "../options.ts";
import { badRequest, conflict, forbiddenError, invalidObject } from "../status-errors.ts";
import type { Entry } from "../storage.ts";
import { listAnswer, selectedEntries } from "./list.ts";
import { requireEntry } from "./update.ts";

export async function deleteOne(call: Call): Promise<ApiResponse> {
  const options = await readDeleteOptions(call);
  const entry = requireEntry(call);
  checkPreconditions(call, entry, options);
  checkImmortal(call);
  const left = deleteEntry(call, entry, options);
  const { encoding } = call.accepted;
  if (left !== undefined || call.served.type.returnsDeleted) {
    return respond(200, await encode(viewFor(call, left ?? entry).json, encoding), `application/${encoding}`);
  }
  return respond(200, await encode(JSON.stringify(deletedStatus(call, entry)), encoding), `application/${encoding}`);
}

/** Deletes what the selectors select; answers with the list of it. */
export async function deleteCollection(call: Call): Promise<ApiResponse> {
  const options = await readDeleteOptions(call);
  const entries = selectedEntries(call);
  for (const entry of entries) deleteEntry(call, entry, options);
  return listAnswer(call, { entries, revision: call.parts.store.revision });
}

/** Namespaces that the server itself needs. */
const IMMORTAL: ReadonlySet<string> = new Set(["default", "kube-public", "kube-system"]);

function checkImmortal({ served, route }: Call): void {
  if (served.type.id !== "namespaces" || !IMMORTAL.has(route.name)) return;
  throw forbiddenError({ group: "", resource: "namespaces" }, route.name, "this namespace may not be deleted");
}

interface DeleteOptions {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly propagation: string | undefined;
  readonly graceSeconds: number | undefined;
  readonly isDryRun: boolean;
}

async function readDeleteOptions(call: Call): Promise<DeleteOptions> {
  const { request, query } = call;
  let body: JsonObject = {};
  if (request.body !== undefined && request.body !== "") {
    const parsed = await readOptionsBody(request.body, request.headers["content-type"]);
    if (!isObject(parsed)) throw badRequest("json: cannot unmarshal into Go value of type v1.DeleteOptions");
    body = parsed;
  }
  const preconditions = isObject(body["preconditions"]) ? body["preconditions"] : {};
  const orphan = body["orphanDependents"] ?? query.get("orphanDependents") ?? undefined;
  const propagation = textOf(body["propagationPolicy"]) ?? query.get("propagationPolicy") ?? undefined;
  const dryRun = [...stringsOf(body["dryRun"]), ...query.getAll("dryRun")];
  const errors: FieldError[] = dryRunErrors(dryRun);
  if (orphan !== undefined && propagation !== undefined) {
    errors.push(invalid("propagationPolicy", propagation, "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (propagation !== undefined && !POLICIES.includes(propagation))
    errors.push(notSupported("propagationPolicy", propagation, [...POLICIES, "nil"]));
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
  const grace = body["gracePeriodSeconds"];
  return {
    uid: textOf(preconditions["uid"]),
    resourceVersion: textOf(preconditions["resourceVersion"]),
    propagation: propagation ?? (orphan === undefined ? undefined : String(orphan) === "true" ? "Orphan" : "Background"),
    graceSeconds: typeof grace === "number" ? grace : readInteger(query, "gracePeriodSeconds"),
    isDryRun: dryRun.length > 0,
  };
}

async function readOptionsBody(body: string, contentType: string | undefined): Promise<unknown> {
  const encoding = encodingOf(contentType);
  try {
    return await parseBody(body, encoding);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`couldn't get version/kind; ${encoding} parse error: ${error.message}`);
  }
}

const POLICIES: readonly string[] = ["Foreground", "Background", "Orphan"];

function checkPreconditions(call: Call, entry: Entry, options: DeleteOptions): void {
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

function deleteEntry(call: Call, entry: Entry, options: DeleteOptions): Entry | undefined {
  return removeOrMark(call.parts, { type: call.served.type, collection: call.collection, entry, ...options });
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

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
