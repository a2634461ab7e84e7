/** Bodies of PATCH: JSON patch, merge patch and strategic merge patch. */
import { applyMergePatch, PatchError } from "@treadle/apimachinery";
import { mediaTypeOf, parseJson } from "../request/content.ts";
import { goTypeOf, isObject, type JsonObject } from "../internal/json.ts";
import { applyPatch } from "./json-patch.ts";
import type { ResourceType } from "../storage/registry.ts";
import { badRequest, entityTooLarge, StatusError, unprocessablePatch, unsupportedMediaType } from "../errors/status-errors.ts";

/** k8s.io/apiserver `maxJSONPatchOperations`. */
const MAX_OPERATIONS = 10_000;

export const MERGE = "application/merge-patch+json" as const;
export const APPLY = "application/apply-patch+yaml" as const;
const JSON_PATCH = "application/json-patch+json" as const;
export const STRATEGIC = "application/strategic-merge-patch+json" as const;
/** For custom resources the server does not know how lists merge. */
const CUSTOM_TYPES: readonly PatchType[] = [JSON_PATCH, MERGE, APPLY];
const BUILTIN_TYPES: readonly PatchType[] = [JSON_PATCH, MERGE, STRATEGIC, APPLY];

export type PatchType = typeof JSON_PATCH | typeof MERGE | typeof STRATEGIC | typeof APPLY;

/** Returns the type of a patch. @throws StatusError 415 */
export function patchTypeOf(contentType: string | undefined, { isCustom }: Pick<ResourceType, "isCustom">): PatchType {
  const type = mediaTypeOf(contentType ?? "");
  const types = isCustom ? CUSTOM_TYPES : BUILTIN_TYPES;
  const known = types.find((one) => one === type);
  if (known !== undefined) return known;
  throw isCustom ? unsupportedMediaType(types) : NO_ROUTE;
}

/** For other types the server has no route for built-in kinds, so the refusal does not list the valid types. */
const NO_ROUTE: StatusError = new StatusError({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "415: Unsupported Media Type",
  reason: "UnsupportedMediaType",
  details: {},
  code: 415,
});

/** Parses a patch. `isUnread`: unknown fields are not checked, so errors of its operations come first. @throws StatusError 400 */
export function parsePatch(text: string, isUnread: boolean = false): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(isUnread ? "Invalid JSON Patch" : `error decoding patch: ${error.message}`);
  }
}

/** Returns a parsed patch as a function. @throws StatusError 400, 413; the function throws 422 */
export function readPatch(type: typeof JSON_PATCH | typeof MERGE, parsed: unknown): (target: unknown) => unknown {
  if (type === MERGE) {
    if (parsed === null) throw badRequest("Invalid JSON Patch");
    if (!isObject(parsed)) throw notDecoded(parsed, "map[string]interface {}");
    return (target) => attempt(() => applyMergePatch(target, parsed));
  }
  const operations = readOperations(parsed);
  return (target) => attempt(() => applyPatch(target, operations));
}

/** Reads the operations of a JSON patch. @throws StatusError 400, 413 */
export function readOperations(parsed: unknown): readonly JsonObject[] {
  const body = parsed ?? [];
  if (!Array.isArray(body)) throw notDecoded(body, "[]handlers.jsonPatchOp");
  const operations = body.map(readOperation);
  if (body.length > MAX_OPERATIONS) {
    throw entityTooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${body.length}`);
  }
  return operations;
}

/** Checks the types of an operation's strings, which the server does first. @throws StatusError 400 */
function readOperation(operation: unknown): JsonObject {
  if (operation === null) return {};
  if (!isObject(operation)) throw notDecoded(operation, "handlers.jsonPatchOp");
  for (const [field, value] of Object.entries(operation)) {
    if (value === null || typeof value === "string" || !TEXTS.has(field)) continue;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goTypeOf(value)} into Go struct field jsonPatchOp.${field} of type string`,
    );
  }
  return operation;
}

/** Returns the unknown members of operations. */
export function unknownMembers(body: unknown): readonly string[] {
  if (!Array.isArray(body)) return [];
  return body.flatMap((operation: unknown, i) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((member) => member !== "value" && !TEXTS.has(member))
          .map((member) => `[${i}].${member}`)
      : [],
  );
}

const TEXTS: ReadonlySet<string> = new Set(["op", "path", "from"]);

/** Returns a parsed strategic merge patch; null counts as an empty patch. @throws StatusError 400 */
export function readStrategic(text: string): JsonObject {
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(error.message);
  }
  if (parsed === null) return {};
  if (isObject(parsed)) return parsed;
  throw badRequest(`json: cannot unmarshal ${goTypeOf(parsed)} into Go value of type map[string]interface {}`);
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
