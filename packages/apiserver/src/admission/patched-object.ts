/** What webhooks and policies make of an object: patched, and completed with the defaults of its version. */
import { complete } from "../request/draft.ts";
import { cloneJson, isObject, type JsonObject, valueAt } from "../internal/json.ts";
import { listAt } from "../internal/read.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { internalError } from "../errors/status-errors.ts";
import { readPatch } from "../patch/patch-body.ts";
import { applyDefaults } from "../schema/coerce.ts";
import type { Served } from "../storage/registry.ts";

/** Applies the patch of a webhook. @throws StatusError 500 */
export function patched(object: JsonObject, patch: unknown): JsonObject {
  try {
    const { kind, apiVersion } = object;
    const next = readPatch("application/json-patch+json", patch)({ ...object, apiVersion: String(apiVersion) });
    if (isObject(next)) return { ...next, kind, apiVersion };
  } catch (error) {
    throw internalError(patchProblem(patch, object) ?? (error instanceof Error ? error.message : String(error)));
  }
  throw internalError("the patch of a webhook left no object");
}

/** Fills in the defaults of the version. A custom object keeps its unknown fields until it is stored. @throws StatusError 500 */
export function completed(served: Served, object: JsonObject): JsonObject {
  const { isCustom } = served.type;
  const { schema } = served.version;
  if (isCustom) return schema === undefined ? object : applyDefaults(object, schema);
  try {
    return complete(served, cloneJson(object)).draft;
  } catch (error) {
    if (error instanceof MetaTypeError) throw internalError(error.describe(served.type));
    throw error;
  }
}

/** Returns the text of Go's JSON patch library for a removed field that does not exist. */
export function patchProblem(patch: unknown, object: JsonObject): string | undefined {
  for (const operation of listAt(patch)) {
    const { op, path } = operation;
    if (op !== "remove" || typeof path !== "string") continue;
    const fields = path
      .slice(1)
      .split("/")
      .map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (valueAt(object, fields) !== undefined) continue;
    return `error in remove for path: '${path}': Unable to remove nonexistent key: ${fields.at(-1)}: missing value`;
  }
  return undefined;
}
