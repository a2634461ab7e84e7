/** What webhooks and policies make of an object: patched, and completed with the defaults of its version. */
import { complete, fieldProblems } from "../request/draft.ts";
import { cloneJson, isObject, type JsonObject } from "../internal/json.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { internalError } from "../errors/status-errors.ts";
import { applyPatch } from "../patch/json-patch.ts";
import { readOperations } from "../patch/patch-body.ts";
import { applyDefaults } from "../schema/coerce.ts";
import type { Served } from "../storage/registry.ts";

/** Applies the patch of a webhook. @throws StatusError 500 */
export function patched(object: JsonObject, patch: unknown): JsonObject {
  try {
    const { kind, apiVersion } = object;
    const next = applyPatch({ ...object, apiVersion: String(apiVersion) }, readOperations(patch));
    if (isObject(next)) return { ...next, kind, apiVersion };
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error));
  }
  throw internalError("the patch of a webhook left no object");
}

/**
 * Fills in the defaults of the version. A custom object keeps its unknown fields until it is stored. With `isStrict` a built-in
 * object may have no unknown fields. @throws StatusError 500
 */
export function completed(served: Served, object: JsonObject, isStrict = false): JsonObject {
  const { isCustom } = served.type;
  const { schema } = served.version;
  if (isCustom) return schema === undefined ? object : applyDefaults(object, schema);
  try {
    const { draft, unknown } = complete(served, cloneJson(object));
    if (isStrict && unknown.length > 0) throw internalError(`strict decoding error: ${fieldProblems([], unknown).join(", ")}`);
    return draft;
  } catch (error) {
    if (error instanceof MetaTypeError) throw internalError(error.describe(served.type));
    throw error;
  }
}
