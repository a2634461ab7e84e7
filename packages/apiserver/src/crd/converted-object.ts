/**
 * Checks an object that a conversion webhook answered, and restores its metadata. A conversion may change labels and
 * annotations only (k8s.io/apiextensions-apiserver `conversion.restoreObjectMeta`). Nothing else is validated.
 */
import { jsonEqual } from "@treadle/apimachinery";
import { aggregate } from "../errors/field-errors.ts";
import { untypable } from "../errors/status-errors.ts";
import { goDynamicType, isObject, type JsonObject } from "../internal/json.ts";
import { annotationErrors, labelErrors } from "../objects/object-meta.ts";
import type { ServedVersion } from "../storage/registry.ts";

/** Returns the object with the metadata of the original. `of` is the kind in errors. @throws StatusError 500 */
export function checkConverted(
  original: JsonObject,
  converted: unknown,
  { of, to }: { readonly of: string; readonly to: ServedVersion },
): JsonObject {
  const wrong = (cause: string): Error => untypable(`conversion webhook for ${of} returned invalid ${cause}`);
  const result = isObject(converted) ? converted : {};
  if (result["apiVersion"] !== to.apiVersion) {
    const { group, version } = partsOf(String(result["apiVersion"] ?? ""));
    const received = group === "" ? version : `${group}/${version}`;
    throw wrong(`object at index 0: invalid groupVersion (expected ${to.apiVersion}, received ${received})`);
  }
  if (result["kind"] !== original["kind"])
    throw wrong(`object at index 0: invalid kind (expected ${String(original["kind"])}, received ${String(result["kind"])})`);
  const before = isObject(original["metadata"]) ? original["metadata"] : {};
  const after = isObject(result["metadata"]) ? result["metadata"] : {};
  for (const [field, name] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [was, is] = [before[field] ?? "", after[field] ?? ""];
    if (was !== is) throw wrong(`object: must have the same ${name}: ${String(was)} != ${String(is)}`);
  }
  const problem = noteProblem("labels", before, after) ?? noteProblem("annotations", before, after);
  if (problem !== undefined) throw wrong(`metadata: ${problem}`);
  return { ...result, metadata: withNotesOf(before, result) };
}

/** Returns metadata with the labels and annotations of a converted object. */
export function withNotesOf(metadata: JsonObject, converted: JsonObject): JsonObject {
  const { labels: _, annotations: __, ...kept } = metadata;
  const { labels, annotations } = isObject(converted["metadata"]) ? converted["metadata"] : {};
  return { ...kept, ...(isObject(labels) ? { labels } : {}), ...(isObject(annotations) ? { annotations } : {}) };
}

/** Returns what is wrong with the labels or annotations of a conversion. Those that it left as they were are not validated. */
function noteProblem(field: "labels" | "annotations", before: JsonObject, after: JsonObject): string | undefined {
  const notes = after[field];
  if (notes === undefined || notes === null) return undefined;
  if (!isObject(notes)) return `invalid metadata.${field} of type ${goDynamicType(notes)} in converted object`;
  const wrong = Object.entries(notes).find(([, value]) => typeof value !== "string");
  if (wrong !== undefined) return `metadata.${field}[${wrong[0]}] must be a string, but is ${goDynamicType(wrong[1])} in converted object`;
  if (jsonEqual(notes, before[field] ?? {})) return undefined;
  // The real server names the field in the singular.
  const errors = field === "labels" ? labelErrors(notes) : annotationErrors(notes, "metadata.annotation");
  return errors.length === 0 ? undefined : aggregate(errors);
}

export function partsOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}
