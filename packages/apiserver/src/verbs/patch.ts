/** PATCH: JSON patch and merge patch. Other kinds of patch are refused until they are built. */
import { type ApiResponse, applyJsonPatch, applyMergePatch, type JsonPatchOperation, PatchError } from "@treadle/apimachinery";
import { checkDepth, mediaTypeOf, parseJson } from "../content.ts";
import type { Call } from "../context.ts";
import { complete } from "../draft.ts";
import { invalid } from "../field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { type FieldValidation, readWriteOptions } from "../options.ts";
import { viewOf } from "../present.ts";
import { badRequest, entityTooLarge, invalidObject, type StatusError, unprocessablePatch, unsupportedMediaType } from "../status-errors.ts";
import { answerWritten } from "./create.ts";
import { change, checkName, requireEntry } from "./update.ts";

/** k8s.io/apiserver `maxJSONPatchOperations`. */
const MAX_OPERATIONS = 10_000;

const PATCH_TYPES = ["application/json-patch+json", "application/merge-patch+json"] as const;

type PatchType = (typeof PATCH_TYPES)[number];

export async function patch(call: Call): Promise<ApiResponse> {
  const { request, query, served, route } = call;
  const type = patchTypeOf(request.headers["content-type"]);
  const options = readWriteOptions(query, request.headers["user-agent"], "PatchOptions");
  const apply = readPatch(type, request.body ?? "");
  const entry = requireEntry(call);
  const live = viewOf(entry, served.version, served.type.storage).object;
  const patched = apply(live);
  if (!isObject(patched)) throw badRequest("the patched object is not an object");
  checkDepth(patched);
  checkType(call, patched);
  const { draft, unknown } = complete(served, patched);
  checkName(call, draft);
  reportUnknown(call, { patched, unknown, validation: options.fieldValidation });
  return answerWritten(call, 200, change(call, { entry, draft, subresource: route.subresource, options }));
}

/** @throws StatusError 415 */
export function patchTypeOf(contentType: string | undefined): PatchType {
  const type = mediaTypeOf(contentType ?? "");
  const known = PATCH_TYPES.find((one) => one === type);
  if (known === undefined) throw unsupportedMediaType(PATCH_TYPES);
  return known;
}

/** The patch as a function. @throws StatusError 400, 413; the function throws 422. */
export function readPatch(type: PatchType, text: string): (target: unknown) => unknown {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding patch: ${error.message}`);
  }
  if (type === "application/merge-patch+json") {
    if (!isObject(body)) throw badRequest("Invalid JSON Patch");
    return (target) => attempt(() => applyMergePatch(target, body));
  }
  if (!Array.isArray(body) || !body.every(isObject))
    throw badRequest("error decoding patch: json: cannot unmarshal object into Go value of type []jsonPatchOp");
  if (body.length > MAX_OPERATIONS) {
    throw entityTooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${body.length}`);
  }
  const operations = body as unknown as JsonPatchOperation[]; // applyJsonPatch checks each operation
  return (target) => attempt(() => applyJsonPatch(target, operations));
}

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatchError) throw unprocessablePatch();
    throw error;
  }
}

/** A patch cannot turn an object into one of another kind or version. */
function checkType(call: Call, patched: JsonObject): void {
  const { type, version } = call.served;
  const errors = [];
  if (patched["kind"] !== type.kind) errors.push(invalid("kind", patched["kind"] ?? "", `must be ${type.kind}`));
  if (patched["apiVersion"] !== version.apiVersion)
    errors.push(invalid("apiVersion", patched["apiVersion"] ?? "", `must be ${version.apiVersion}`));
  if (errors.length > 0) throw invalidObject({ group: type.group, kind: type.kind }, call.route.name, errors);
}

function reportUnknown(
  call: Call,
  {
    patched,
    unknown,
    validation,
  }: { readonly patched: JsonObject; readonly unknown: readonly string[]; readonly validation: FieldValidation },
): void {
  if (unknown.length === 0 || validation === "Ignore") return;
  const texts = unknown.toSorted().map((path) => `unknown field "${path}"`);
  if (validation === "Warn") call.warnings.push(...texts);
  else throw strictPatch(patched, texts);
}

function strictPatch(patched: JsonObject, texts: readonly string[]): StatusError {
  return invalidObject({ group: "", kind: "" }, "", [
    invalid("patch", JSON.stringify(patched), `strict decoding error: ${texts.join(", ")}`),
  ]);
}
