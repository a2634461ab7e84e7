/** PATCH with a JSON patch, a merge patch or a strategic merge patch. `apply.ts` handles an apply. */
import type { ApiResponse } from "@treadle/apimachinery";
import { BodyError, checkDepth, checkHeader } from "../request/content.ts";
import type { Call } from "../request/context.ts";
import { checkFields, checkKind, complete, fieldProblems, foreign, type Incoming } from "../request/draft.ts";
import { invalid } from "../errors/field-errors.ts";
import { goJson, type JsonObject } from "../internal/json.ts";
import { duplicateMembers } from "../internal/json-text.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { readWriteOptions } from "../request/write-options.ts";
import { representationOf } from "../storage/served-form.ts";
import { badRequest, invalidObject, type StatusError, unprocessablePatch } from "../errors/status-errors.ts";
import { answerWritten } from "./create.ts";
import { apply } from "./apply.ts";
import { APPLY, MERGE, parsePatch, patchTypeOf, readPatch, STRATEGIC, unknownMembers } from "../patch/patch-body.ts";
import { patchStrategically } from "./strategic-patch.ts";
import { change, checkName, requireEntry } from "./update.ts";

export async function patch(call: Call): Promise<ApiResponse> {
  const { request, query, served, route } = call;
  const type = patchTypeOf(request.headers["content-type"], served.type);
  if (type === APPLY) return apply(call);
  if (route.name === "") throw badRequest("name must be provided");
  const options = readWriteOptions(query, request.headers["user-agent"], "PatchOptions");
  const entry = requireEntry(call);
  if (type === STRATEGIC) {
    const draft = patchStrategically(call, representationOf(entry, served.version, served.type).object, options);
    checkName(call, draft);
    return answerWritten(call, 200, change(call, { entry, draft, subresource: route.subresource, options }));
  }
  const text = request.body ?? "";
  const isUnread = type === MERGE && options.fieldValidation === "Ignore";
  const body = parsePatch(text, isUnread);
  if (isUnread && (typeof body !== "object" || body === null)) throw badRequest("Invalid JSON Patch");
  const applyTo = readPatch(type, body);
  const live = representationOf(entry, served.version, served.type).object;
  const { draft, patched, unknown } = readPatched(call, applyTo(live));
  const sorted = served.type.isCustom ? unknown : unknown.toSorted();
  const duplicates = options.fieldValidation === "Ignore" ? [] : duplicateMembers(text, body);
  const problems =
    type === MERGE
      ? fieldProblems(duplicates, sorted)
      : [
          ...duplicates.map((path) => `json patch duplicate field "${path}"`),
          ...unknownMembers(body).map((path) => `json patch unknown field "${path}"`),
          ...fieldProblems([], sorted),
        ];
  checkFields(call, { problems, validation: options.fieldValidation, refuse: (cause) => badResult(patched, cause) });
  checkName(call, draft);
  return answerWritten(call, 200, change(call, { entry, draft, subresource: route.subresource, options }));
}

interface Patched extends Incoming {
  readonly patched: JsonObject;
}

/** Reads the result of a patch as if the client had sent it. @throws StatusError 400, 422 */
function readPatched(call: Call, patched: unknown): Patched {
  const { served } = call;
  if (typeof patched !== "object" || patched === null) throw unprocessablePatch();
  checkDepth(patched);
  try {
    checkHeader(patched);
    const object = patched as JsonObject; // by checkHeader
    checkType(call, object);
    return { ...complete(served, object), patched: object };
  } catch (error) {
    if (error instanceof BodyError) throw badResult(patched, error.message);
    if (error instanceof MetaTypeError) throw badResult(patched, error.describe(served.type));
    throw error;
  }
}

/** The result of the patch is not an object of the kind. */
function badResult(patched: unknown, cause: string): StatusError {
  return invalidObject({ group: "", kind: "" }, "", [invalid("patch", goJson(patched), cause)]);
}

/** Checks that a patch does not change kind and version. @throws BodyError, StatusError */
function checkType({ served, route }: Call, patched: JsonObject): void {
  const { type, version } = served;
  const kind = patched["kind"] || (type.isCustom ? "" : type.kind);
  const apiVersion = patched["apiVersion"] || (type.isCustom ? "" : version.apiVersion);
  if (kind === "") throw new BodyError(`Object 'Kind' is missing in '${goJson(patched)}'`);
  if (type.isCustom) {
    checkKind(served, patched);
    if (apiVersion !== version.apiVersion)
      throw invalidObject({ group: type.group, kind: type.kind }, route.name, [
        invalid("apiVersion", apiVersion, `must be ${version.apiVersion}`),
      ]);
  } else if (kind !== type.kind || apiVersion !== version.apiVersion) {
    throw new BodyError(foreign(served, String(kind), String(apiVersion)));
  }
}
