/** The scale subresource: the replicas of an object as an `autoscaling/v1` Scale. */
import { type ApiResponse, formatLabelSelector } from "@treadle/apimachinery";
import type { RawSchema } from "../builtin/schemas.ts";
import { encode } from "../content.ts";
import { type Call, respond } from "../context.ts";
import { complete } from "../draft.ts";
import { type FieldError, invalid } from "../field-errors.ts";
import { cloneJson, isObject, type JsonObject, setAt, valueAt } from "../internal/json.ts";
import { readWriteOptions } from "../options.ts";
import { viewOf } from "../present.ts";
import type { ScalePaths } from "../registry.ts";
import { badRequest, invalidObject, unsupportedMediaType } from "../status-errors.ts";
import type { Entry, StoredObject } from "../storage.ts";
import { View } from "../view.ts";
import { readBody } from "./create.ts";
import { APPLY, parsePatch, patchTypeOf, readPatch, readStrategic, STRATEGIC } from "./patch-body.ts";
import { strategicallyMerged } from "./strategic-patch.ts";
import { change, requireEntry, uidConflict } from "./update.ts";

export async function getScale(call: Call): Promise<ApiResponse> {
  return answer(call, objectOf(call, requireEntry(call)));
}

export async function updateScale(call: Call): Promise<ApiResponse> {
  const body = await readBody(call);
  return write(call, () => body, "UpdateOptions");
}

export async function patchScale(call: Call): Promise<ApiResponse> {
  const type = patchTypeOf(call.request.headers["content-type"], call.served.type);
  if (type === APPLY) throw unsupportedMediaType([]);
  if (type === STRATEGIC) {
    const patch = readStrategic(call.request.body ?? "");
    return write(call, (scale) => strategicallyMerged(scale, patch, SCALE), "PatchOptions");
  }
  return write(call, readPatch(type, parsePatch(call.request.body ?? "")), "PatchOptions");
}

const NUMBERS: RawSchema = { type: "object", properties: { replicas: { type: "integer", format: "int32" }, selector: { type: "string" } } };

/** autoscaling/v1 Scale, as far as patches are concerned. */
const SCALE: RawSchema = {
  type: "object",
  properties: {
    kind: { type: "string" },
    apiVersion: { type: "string" },
    metadata: { $ref: "meta.v1.ObjectMeta" },
    spec: NUMBERS,
    status: NUMBERS,
  },
};

async function write(call: Call, next: (scale: JsonObject) => unknown, kind: "UpdateOptions" | "PatchOptions"): Promise<ApiResponse> {
  const options = readWriteOptions(call.query, call.request.headers["user-agent"], kind);
  const entry = requireEntry(call);
  const live = objectOf(call, entry);
  const scale = next(scaleOf(call, live));
  const { served, route } = call;
  if (!isObject(scale) || scale["kind"] !== "Scale") throw badRequest("the object provided is unrecognized (must be of type Scale)");
  const meta = isObject(scale["metadata"]) ? scale["metadata"] : {};
  if (typeof meta["uid"] === "string" && meta["uid"] !== "" && meta["uid"] !== live.metadata.uid)
    throw uidConflict(call, entry, meta["uid"]);
  const errors = scaleErrors(call, scale, meta);
  if (errors.length > 0) throw invalidObject({ group: "autoscaling", kind: "Scale" }, route.name, errors);
  const object: JsonObject = cloneJson(live) as unknown as JsonObject; // the same value, writable
  setAt(object, pathsOf(call).specReplicas, valueAt(scale, ["spec", "replicas"]) ?? 0);
  const { draft } = complete(served, object);
  if (typeof meta["resourceVersion"] === "string" && meta["resourceVersion"] !== "")
    draft.metadata["resourceVersion"] = meta["resourceVersion"];
  const result = change(call, { entry, draft, subresource: "scale", options });
  return answer(call, result instanceof View ? result.object : objectOf(call, result));
}

function scaleErrors(call: Call, scale: JsonObject, meta: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (meta["name"] !== call.route.name) errors.push(invalid("metadata.name", meta["name"] ?? "", "does not match the name on the URL"));
  const replicas = valueAt(scale, ["spec", "replicas"]) ?? 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) errors.push(invalid("spec.replicas", replicas, "must be an integer"));
  else if (replicas < 0) errors.push(invalid("spec.replicas", replicas, "must be greater than or equal to 0"));
  return errors;
}

async function answer(call: Call, object: StoredObject): Promise<ApiResponse> {
  const { encoding } = call.accepted;
  return respond(200, await encode(JSON.stringify(scaleOf(call, object)), encoding), `application/${encoding}`);
}

function scaleOf(call: Call, object: StoredObject): JsonObject {
  const paths = pathsOf(call);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = valueAt(object, paths.specReplicas);
  const selector = selectorOf(object, paths);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: { replicas: replicas ?? 0 },
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
  // A ReplicationController has bare labels, the others have a selector object.
  const isPlain = !("matchLabels" in selector) && !("matchExpressions" in selector);
  return formatLabelSelector(isPlain ? { matchLabels: selector as Record<string, string> } : selector);
}

function pathsOf(call: Call): ScalePaths {
  const { scale } = call.served.version;
  if (scale === undefined) throw new Error("no scale subresource"); // routed only where there is one
  return scale;
}

function objectOf(call: Call, entry: Entry): StoredObject {
  return viewOf(entry, call.served.version, call.served.type.storage).object;
}
