/** The scale subresource: the replicas of an object as an `autoscaling/v1` Scale. */
import { type ApiResponse, formatLabelSelector, type ManagedFieldsEntry } from "@treadle/apimachinery";
import type { RawSchema } from "../builtin/schemas.ts";
import type { Call } from "../request/context.ts";
import { scaleTable } from "../table/scales.ts";
import { objectAnswer } from "../table/table.ts";
import { complete, foreign } from "../request/draft.ts";
import { type FieldError, invalid } from "../errors/field-errors.ts";
import { cloneJson, goQuote, isObject, type JsonObject, setAt, valueAt } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { SCALE, type ReplicasPaths, scaleOwners, withScaleOwners } from "../managed-fields/scale.ts";
import { managedAfterUpdate } from "../managed-fields/update.ts";
import { matchNamespace } from "../objects/namespaces.ts";
import { secondsOf } from "../objects/object-meta.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { representationOf } from "../storage/served-form.ts";
import { resourceOf, type ScalePaths } from "../storage/registry.ts";
import { badRequest, conflict, internalError, invalidObject, type StatusError } from "../errors/status-errors.ts";
import type { Entry } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import { Representation } from "../storage/representation.ts";
import { admitPart } from "./admitted-part.ts";
import { readConfiguration } from "./apply.ts";
import { appliedScale } from "./apply-scale.ts";
import { readBody } from "./create.ts";
import { APPLY, parsePatch, patchTypeOf, readPatch, readStrategic, STRATEGIC } from "../patch/patch-body.ts";
import { NO_RESIDUE } from "../managed-fields/residue.ts";
import { strategicallyMerged } from "./strategic-patch.ts";
import { change, checkName, requireEntry, uidConflict } from "./update.ts";

export async function getScale(call: Call): Promise<ApiResponse> {
  const object = objectOf(call, requireEntry(call));
  // A missing number must not be read as zero.
  if (!hasReplicas(call, object)) throw internalError(`${replicasField(call)} does not exist`);
  return answer(call, object);
}

export async function updateScale(call: Call): Promise<ApiResponse> {
  const body = await readBody(call);
  return write(call, "UpdateOptions", () => ({ scale: body }));
}

export async function patchScale(call: Call): Promise<ApiResponse> {
  const type = patchTypeOf(call.request.headers["content-type"], call.served.type);
  if (type === APPLY) return applyScale(call);
  const text = call.request.body ?? "";
  if (type === STRATEGIC) {
    const patch = readStrategic(text);
    return write(call, "PatchOptions", ({ scale }) => ({ scale: strategicallyMerged(scale, patch, SCHEMA) }));
  }
  const applyTo = readPatch(type, parsePatch(text));
  return write(call, "PatchOptions", ({ scale }) => ({ scale: applyTo(scale) }));
}

async function applyScale(call: Call): Promise<ApiResponse> {
  const options = readWriteOptions(call.query, call.request.headers["user-agent"], "ApplyOptions");
  const configuration = await readConfiguration(call.request.body ?? "", options);
  return write(call, "ApplyOptions", (live) => appliedScale(call, configuration, { ...live, options }));
}

const SCALE_KIND = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

const NUMBERS: RawSchema = { type: "object", properties: { replicas: { type: "integer", format: "int32" }, selector: { type: "string" } } };

/** Schema of autoscaling/v1 Scale, for patches. */
const SCHEMA: RawSchema = {
  type: "object",
  properties: {
    kind: { type: "string" },
    apiVersion: { type: "string" },
    metadata: { $ref: "meta.v1.ObjectMeta" },
    spec: NUMBERS,
    status: NUMBERS,
  },
};

/** A scale and the owners of its replicas. */
interface Scaled {
  readonly scale: JsonObject;
  readonly owners: readonly ManagedFieldsEntry[];
}

/** A scale after a write. Without owners they are computed. */
interface Rescaled {
  readonly scale: unknown;
  readonly owners?: readonly ManagedFieldsEntry[];
}

async function write(call: Call, kind: OptionsKind, next: (live: Scaled) => Rescaled): Promise<ApiResponse> {
  const options = readWriteOptions(call.query, call.request.headers["user-agent"], kind);
  const entry = requireEntry(call);
  const live = objectOf(call, entry);
  const managed = managedFieldsOf(live);
  const paths = replicasPathsOf(call);
  const shown = { scale: scaleOf(call, live), owners: scaleOwners(managed, paths) };
  const { scale: sent, owners } = next(shown);
  if (!isObject(sent)) throw badRequest("the object provided is unrecognized (must be of type Scale)");
  checkScaleKind(call, sent);
  const { object: scale, validate } = admitPart(call, {
    operation: "UPDATE",
    kind: SCALE_KIND,
    object: { ...sent, kind: "Scale", apiVersion: "autoscaling/v1" },
    oldObject: shown.scale,
    isDryRun: options.isDryRun,
  });
  checkScale(call, { scale, entry, live, kind });
  // The real server validates the scale of the changed object.
  validate({ ...shown.scale, spec: scale["spec"] });
  const object: JsonObject = cloneJson(live) as unknown as JsonObject; // the same value, writable
  setAt(object, pathsOf(call).specReplicas, valueAt(scale, ["spec", "replicas"]) ?? 0);
  const { draft } = complete(call.served, object);
  const version = objectAt(scale, "metadata")["resourceVersion"];
  if (typeof version === "string" && version !== "") draft.metadata["resourceVersion"] = version;
  const ownersNow = owners ?? ownersAfterUpdate(call, shown, { scale, options });
  const applied = {
    managed: withScaleOwners(managed, ownersNow, { apiVersion: call.served.version.apiVersion, paths }),
    residue: NO_RESIDUE,
  };
  const result = change(call, { entry, draft, subresource: "scale", options, applied });
  return answer(call, result instanceof Representation ? result.object : objectOf(call, result));
}

function managedFieldsOf({ metadata: { managedFields } }: StoredObject): readonly ManagedFieldsEntry[] {
  return Array.isArray(managedFields) ? (managedFields as ManagedFieldsEntry[]) : []; // stored by this server
}

function ownersAfterUpdate(
  { parts }: Call,
  before: Scaled,
  { scale, options }: { readonly scale: JsonObject; readonly options: WriteOptions },
): readonly ManagedFieldsEntry[] {
  const replicas = valueAt(scale, ["spec", "replicas"]) || undefined;
  return managedAfterUpdate({
    before: before.scale,
    after: { ...before.scale, spec: replicas === undefined ? {} : { replicas } },
    model: SCALE,
    managed: before.owners,
    writer: { manager: options.fieldManager, subresource: "scale", time: secondsOf(parts.clock.now()) },
  });
}

/** Returns the path of the replicas in each version. */
function replicasPathsOf({ served: { type } }: Call): ReplicasPaths {
  return new Map(type.versions.map(({ apiVersion, scale }) => [apiVersion, scale?.specReplicas]));
}

type OptionsKind = "UpdateOptions" | "PatchOptions" | "ApplyOptions";

interface Candidate {
  readonly scale: JsonObject;
  readonly entry: Entry;
  readonly live: StoredObject;
  readonly kind: OptionsKind;
}

/** Checks a written scale. @throws StatusError 400, 409, 422 */
function checkScale(call: Call, { scale, entry, live, kind }: Candidate): void {
  const { served, route } = call;
  checkScaleKind(call, scale);
  const meta = objectAt(scale, "metadata");
  const draft = { metadata: { ...meta } } as unknown as Draft; // its name and namespace are read alone
  matchNamespace(draft, served.type.isNamespaced ? route.namespace : "");
  checkName(call, draft);
  if (typeof meta["uid"] === "string" && meta["uid"] !== "" && meta["uid"] !== live.metadata.uid) {
    if (kind === "UpdateOptions") throw uidConflict(call, entry, meta["uid"]);
    if (!served.type.isCustom) throw otherUid(call, meta["uid"], live);
  }
  if (kind === "PatchOptions" && !hasReplicas(call, live) && valueAt(scale, ["spec", "replicas"]) === undefined)
    throw badRequest(`${replicasField(call)} cannot be empty`);
  const errors = scaleErrors(call, scale);
  const of = served.type.isCustom ? served.type : { group: "autoscaling", kind: "Scale" };
  if (errors.length > 0) throw invalidObject(of, route.name, errors);
}

/** The uid of the patch belongs to another object of this name. */
function otherUid({ served: { type }, route }: Call, uid: string, live: StoredObject): StatusError {
  const { group, resource } = resourceOf(type);
  const cause = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
  return conflict({ group, resource: `${resource}/scale` }, route.name, cause);
}

/** Reports whether an object has replicas. Built-in kinds have a default. */
function hasReplicas(call: Call, object: StoredObject): boolean {
  return !call.served.type.isCustom || typeof valueAt(object, pathsOf(call).specReplicas) === "number";
}

function replicasField(call: Call): string {
  return `the spec replicas field ${goQuote(`.${pathsOf(call).specReplicas.join(".")}`)}`;
}

/** Checks the kind of a scale. @throws StatusError 400 */
function checkScaleKind(call: Call, scale: JsonObject): void {
  const [kind, apiVersion] = [String(scale["kind"] || "Scale"), String(scale["apiVersion"] || "autoscaling/v1")];
  if (kind === "Scale" && apiVersion === "autoscaling/v1") return;
  const { type } = call.served;
  const at = { group: "autoscaling", version: "v1", apiVersion: "autoscaling/v1", kind: "Scale" };
  const version = apiVersion.split("/").at(-1) ?? "";
  const cause = foreign(
    { type: { ...type, group: at.group, kind: at.kind }, version: { ...call.served.version, ...at } },
    kind,
    apiVersion,
  );
  throw badRequest(`${kind} in version ${goQuote(version)} cannot be handled as a Scale: ${cause}`);
}

function scaleErrors(call: Call, scale: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const replicas = valueAt(scale, ["spec", "replicas"]) ?? 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) errors.push(invalid("spec.replicas", replicas, "must be an integer"));
  else if (replicas < 0 && call.served.type.isCustom)
    errors.push(invalid(`.${pathsOf(call).specReplicas.join(".")}`, replicas, "should be a non-negative integer"));
  else if (replicas < 0) errors.push(invalid("spec.replicas", replicas, "must be greater than or equal to 0"));
  return errors;
}

async function answer(call: Call, object: StoredObject): Promise<ApiResponse> {
  const scale = new Representation(scaleOf(call, object) as unknown as StoredObject); // it has the metadata of the object
  return objectAnswer(call, 200, call.accepted.metadataOf === undefined ? scale : scale.metadataOnly, scaleTable(call.served.type));
}

function scaleOf(call: Call, object: StoredObject): JsonObject {
  const paths = pathsOf(call);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  // Go omits a zero here.
  const replicas = valueAt(object, paths.specReplicas) || undefined;
  const selector = selectorOf(object, paths);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined ? {} : { replicas },
    status: { replicas: valueAt(object, paths.statusReplicas) ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

function selectorOf(object: StoredObject, paths: ScalePaths): string {
  if (paths.labelSelector !== undefined) {
    const text = valueAt(object, paths.labelSelector);
    return typeof text === "string" ? text : "";
  }
  const selector = valueAt(object, ["spec", "selector"]);
  if (!isObject(selector)) return "";
  // A ReplicationController has plain labels, the other kinds have a selector object.
  const isPlain = !("matchLabels" in selector) && !("matchExpressions" in selector);
  return formatLabelSelector(isPlain ? { matchLabels: selector as Record<string, string> } : selector);
}

function pathsOf(call: Call): ScalePaths {
  const { scale } = call.served.version;
  if (scale === undefined) throw new Error("no scale subresource"); // routed only where there is one
  return scale;
}

function objectOf(call: Call, entry: Entry): StoredObject {
  return representationOf(entry, call.served.version, call.served.type).object;
}
