/** Strategic merge patches of built-in kinds: merged by the schema of the kind, then read again. */
import type { Call } from "../request/context.ts";
import { definitionOf } from "../builtin/schemas.ts";
import type { RawSchema } from "../builtin/schemas.ts";
import { checkFields, complete, fieldProblems, type Incoming } from "../request/draft.ts";
import { invalid } from "../errors/field-errors.ts";
import { cloneJson, goValue, type JsonObject } from "../internal/json.ts";
import { duplicateMembers } from "../internal/json-text.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import type { WriteOptions } from "../request/write-options.ts";
import { conversionProblem } from "../patch/struct-conversion.ts";
import { StrategicMergeError, strategicMerge } from "../patch/strategic-merge.ts";
import { badRequest, invalidObject, type StatusError, unprocessablePatch, untypable } from "../errors/status-errors.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { readStrategic } from "../patch/patch-body.ts";

/** Returns the draft that the patch makes of the live object. @throws StatusError 400, 422, 500 */
export function patchStrategically(call: Call, live: StoredObject, { fieldValidation }: WriteOptions): Incoming["draft"] {
  const { served, request } = call;
  const text = request.body ?? "";
  const patch = readStrategic(text);
  const duplicates = fieldValidation === "Ignore" ? [] : duplicateMembers(text, patch);
  const definition = definitionOf(served.type, served.version);
  if (definition === undefined) throw new Error(`there is no schema of ${served.type.kind}`); // built-in kinds have one
  const schema = { $ref: definition };
  const object = strategicallyMerged(live, patch, schema);
  try {
    const { draft, unknown } = complete(served, object);
    const problems = fieldProblems(duplicates, unknown.toSorted());
    checkFields(call, { problems, validation: fieldValidation, refuse: (cause) => badResult(patch, cause) });
    return draft;
  } catch (error) {
    if (error instanceof MetaTypeError) throw badResult(patch, error.describe(served.type));
    throw error;
  }
}

/** Returns a copy of `live` with the patch merged into it. The patch is modified. @throws StatusError 400, 422, 500 */
export function strategicallyMerged(live: object, patch: JsonObject, schema: RawSchema): JsonObject {
  const merged = attempt(() => strategicMerge(cloneJson(live) as JsonObject, patch, schema));
  const problem = conversionProblem(schema, merged);
  if (problem !== undefined) throw badResult(patch, problem);
  return merged;
}

/** Makes the refusal of a result. The real server shows what the merge has left of the patch. */
function badResult(patch: JsonObject, cause: string): StatusError {
  return invalidObject({ group: "", kind: "" }, "", [invalid("patch", goValue(patch), cause)]);
}

function attempt<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    throw error.code === 400 ? badRequest(error.message) : error.code === 422 ? unprocessablePatch() : untypable(error.message);
  }
}
