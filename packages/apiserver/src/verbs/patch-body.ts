/** Bodies of PATCH: JSON patch and merge patch. */
import { applyJsonPatch, applyMergePatch, type JsonPatchOperation, PatchError } from "@treadle/apimachinery";
import { mediaTypeOf, parseJson } from "../content.ts";
import { goTypeOf, isObject } from "../internal/json.ts";
import { badRequest, entityTooLarge, type StatusError, unprocessablePatch, unsupportedMediaType } from "../status-errors.ts";

/** k8s.io/apiserver `maxJSONPatchOperations`. */
const MAX_OPERATIONS = 10_000;

export const MERGE = "application/merge-patch+json" as const;
export const APPLY = "application/apply-patch+yaml" as const;
const JSON_PATCH = "application/json-patch+json" as const;
const PATCH_TYPES: readonly PatchType[] = [JSON_PATCH, MERGE, APPLY];

export type PatchType = "application/json-patch+json" | "application/merge-patch+json" | "application/apply-patch+yaml";

/** @throws StatusError 415 */
export function patchTypeOf(contentType: string | undefined): PatchType {
  const type = mediaTypeOf(contentType ?? "");
  const known = PATCH_TYPES.find((one) => one === type);
  if (known === undefined) throw unsupportedMediaType(PATCH_TYPES);
  return known;
}

/** @throws StatusError 400 */
export function parsePatch(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding patch: ${error.message}`);
  }
}

/** A parsed patch as a function. @throws StatusError 400, 413; the function throws 422. */
export function readPatch(type: Exclude<PatchType, "application/apply-patch+yaml">, parsed: unknown): (target: unknown) => unknown {
  if (type === MERGE) {
    if (parsed === null) throw badRequest("Invalid JSON Patch");
    if (!isObject(parsed)) throw notDecoded(parsed, "map[string]interface {}");
    return (target) => attempt(() => applyMergePatch(target, parsed));
  }
  const body = parsed ?? [];
  if (!Array.isArray(body)) throw notDecoded(body, "[]handlers.jsonPatchOp");
  const misfit = body.find((operation) => !isObject(operation));
  if (misfit !== undefined) throw notDecoded(misfit, "handlers.jsonPatchOp");
  if (body.length > MAX_OPERATIONS) {
    throw entityTooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${body.length}`);
  }
  const operations = body as unknown as JsonPatchOperation[]; // applyJsonPatch checks each operation
  return (target) => attempt(() => applyJsonPatch(target, operations, { replaceAdds: true }));
}

function notDecoded(value: unknown, goType: string): StatusError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${goType}`);
}

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatchError) throw unprocessablePatch();
    throw error;
  }
}
