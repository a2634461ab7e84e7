/**
 * Asks `fill` to complete an object, and makes the patch. `fill` changes a draft, the patch names the fields that differ: the changes of
 * other webhooks stay.
 */
import { createJsonPatch, jsonEqual, type JsonPatchOperation, type KubernetesObject } from "@treadle/apimachinery";
import type { CallError } from "../call.ts";
import { specOf } from "./asked.ts";
import { freeze, ignoreRejections, isObject, type Json } from "../json.ts";
import { type AdmissionRequest, isBuiltIn } from "./request.ts";
import type { AskOptions, ReviewCall } from "./review-call.ts";

/** Returns the patch of what `fill` changes; an empty list when it changes nothing. @throws CallError, and what `deny()` threw */
export async function mutate(call: ReviewCall): Promise<readonly JsonPatchOperation[]> {
  const { object } = call.request;
  const form = formOf(call);
  const before = draftOf(form, object);
  // The API server refuses such an object by its schema. The author's function expects an object there.
  if (!isObject(before)) return [];
  const filled = await fill(call, object, before);
  call.checkDryRun();
  if (jsonEqual(filled, before)) return [];
  const result = freeze(withDraft(form, object, filled));
  checkOwners(call, result);
  // The API server may ask again, also because of another webhook. A fill that changes its own result would never end.
  const again = await fill(call, result, filled, { isMuted: true });
  if (!jsonEqual(again, filled)) {
    const fields = fieldsOf(createJsonPatch(filled, again), form);
    throw call.failure(
      "ERR_NOT_AT_REST",
      `fill changes its own result at ${fields}. Asked again for an object that it has completed, it must change nothing`,
    );
  }
  return createJsonPatch(object, result);
}

/** The draft: the spec, or the object without its status. */
type Form = "spec" | "object";

function formOf(call: ReviewCall): Form {
  const { whole, kind } = call.webhooks;
  const { object, old, subresource } = call.request;
  if (whole) return "object";
  if (kind.resource !== undefined && subresource === "") return "spec";
  if (specOf(object) !== undefined || (old !== undefined && specOf(old) !== undefined)) return "spec";
  if (isBuiltIn(object)) return "object";
  // The types of a kind are not known at run time. A wrong guess would write fields that the API server drops silently.
  throw call.failure("ERR_NO_SPEC", `the object has no spec. Set whole: true, so that fill gets the object without its status`);
}

function draftOf(form: Form, object: KubernetesObject): unknown {
  if (form === "spec") return specOf(object) ?? {};
  const { status: _, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  return rest;
}

function withDraft(form: Form, object: KubernetesObject, draft: Json): KubernetesObject {
  if (form === "spec") return { ...object, spec: draft } as KubernetesObject;
  const { status } = object as KubernetesObject & { readonly status?: unknown };
  // What the draft lacks is checked by checkOwners.
  return { ...draft, ...(status === undefined || "status" in draft ? {} : { status }) } as unknown as KubernetesObject;
}

async function fill(call: ReviewCall, object: KubernetesObject, from: Json, options?: AskOptions): Promise<Json> {
  const draft = structuredClone(from);
  try {
    const returned = await call.ask((review) => call.webhooks.fill?.(draft, object, review), object, options);
    if (returned !== undefined) {
      const fix = "Change the fields of its first argument, and return nothing";
      throw call.failure("ERR_FILL_RESULT", `fill returned ${typeof returned === "object" ? "an object" : `a ${typeof returned}`}. ${fix}`);
    }
    return plainJson(call, draft);
  } catch (error) {
    ignoreRejections(draft);
    throw error;
  }
}

/** Returns the draft as it is sent. */
function plainJson(call: ReviewCall, draft: Json): Json {
  const places = new Map<object, Place>();
  // JSON.stringify calls it with the object or list around the value, and with what toJSON() returned.
  function check(this: Json, key: string, value: unknown): unknown {
    const strange = strangeness(value) ?? lossIn(this, key, value);
    if (strange !== undefined) throw notJson(call, `${strange} at ${shownPath(call, places, { parent: this, key })}`);
    if (typeof value === "object" && value !== null) places.set(value, { parent: this, key });
    return value;
  }
  try {
    return JSON.parse(JSON.stringify(draft, check)) as Json; // a draft is an object
  } catch (error) {
    throw error instanceof TypeError ? notJson(call, "a circle or a value that has no form in JSON") : error;
  }
}

/** Where a value is. */
interface Place {
  readonly parent: object;
  readonly key: string;
}

/** The path for the author: `"spec.ports[0]"`. */
function shownPath(call: ReviewCall, places: ReadonlyMap<object, Place>, place: Place): string {
  const names: string[] = [];
  // The draft itself has a place of JSON.stringify, which has none.
  for (let at = place, up = places.get(at.parent); up !== undefined; at = up, up = places.get(at.parent))
    names.unshift(Array.isArray(at.parent) ? `[${at.key}]` : `.${at.key}`);
  const shown = [...(formOf(call) === "spec" ? [".spec"] : []), ...names];
  return JSON.stringify(`${shown.slice(0, MAX_NAMES).join("").slice(1)}${shown.length > MAX_NAMES ? "..." : ""}`);
}

const MAX_NAMES = 12;

/** Values that JSON.stringify changes or drops without an error. An absent member may be undefined. */
function strangeness(value: unknown): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return `the number ${value}`;
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  if (value instanceof Promise) return "a promise";
  // A Map, an Error or a class with private fields: JSON.stringify writes {}.
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || prototype === Object.prototype || Object.keys(value).length > 0;
  return isPlain ? undefined : `an instance of ${value.constructor?.name || "a class"}`;
}

/** A value that JSON.stringify makes null or leaves out: undefined in a list, and a date that is not valid. */
function lossIn(around: Json, key: string, value: unknown): string | undefined {
  if (value === undefined && Array.isArray(around)) return "undefined in a list";
  return value === null && around[key] !== null ? "a date that is not valid" : undefined;
}

function notJson(call: ReviewCall, what: string): CallError {
  return call.failure("ERR_NOT_JSON", `fill put ${what} into the draft. Use texts, finite numbers, booleans, lists and plain objects`);
}

/** The fields of metadata that the API server or the name of the request decides. */
const FIXED = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
] as const;

/** @throws CallError when `fill` changed a field that is not its own */
function checkOwners(call: ReviewCall, result: KubernetesObject): void {
  const { object }: AdmissionRequest = call.request;
  const fields = (of: KubernetesObject): Json => {
    const { apiVersion, kind, status } = of as KubernetesObject & { readonly status?: unknown };
    const metadata: Json = isObject(of.metadata) ? of.metadata : {};
    return { apiVersion, kind, status, ...Object.fromEntries(FIXED.map((name) => [`metadata.${name}`, metadata[name]])) };
  };
  const [was, is] = [fields(object), fields(result)];
  const changed = Object.keys(is).filter((name) => !jsonEqual(was[name], is[name]));
  if (changed.length === 0) return;
  throw call.failure(
    "ERR_FORBIDDEN_CHANGE",
    `fill changed ${changed.join(", ")}. It may change the spec, labels, annotations, finalizers, owners and other fields of the author`,
  );
}

const MAX_FIELDS = 3;

/** Paths for the author: `spec.host`. Keys of maps may be values of users, so only the beginning of a path is shown. */
function fieldsOf(patch: readonly JsonPatchOperation[], form: Form): string {
  const paths = patch.map(({ path }) => [...(form === "spec" ? ["spec"] : []), ...path.split("/").slice(1, MAX_DEPTH)].join("."));
  const distinct = [...new Set(paths)];
  return distinct.length > MAX_FIELDS ? `${distinct.slice(0, MAX_FIELDS).join(", ")} and more` : distinct.join(", ");
}

const MAX_DEPTH = 5;
