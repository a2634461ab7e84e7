/** Mutations of a MutatingAdmissionPolicy: apply configurations and JSON patches that expressions make. */
import { PatchError } from "@treadle/apimachinery";
import type { Budget } from "../cel/budget.ts";
import { JsonPatchValue, ObjectValue } from "../cel/library/patches.ts";
import { Dict, Duration, List, Struct, Timestamp, Uint, type Value } from "../cel/values.ts";
import { durationText, timestampText } from "../cel/library/time.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { textAt } from "../internal/read.ts";
import { mergeConfiguration } from "../managed-fields/configuration.ts";
import { CEL_NULL, TypeMismatchError } from "../managed-fields/check-type.ts";
import type { TypeDef } from "../managed-fields/field-types.ts";
import { applyPatch } from "../patch/json-patch.ts";
import { ExpressionError, type Names, run } from "./expressions.ts";

export interface Mutated {
  readonly object: JsonObject;
  readonly names: Names;
  readonly budget: Budget;
  readonly type: TypeDef;
}

/** Returns the object after a mutation, without defaults. @throws ExpressionError, BudgetError */
export function mutatedBy(mutation: JsonObject, given: Mutated): JsonObject {
  if (mutation["patchType"] === "JSONPatch") return patchedBy(textAt(mutation, "jsonPatch", "expression"), given);
  return mergedWith(textAt(mutation, "applyConfiguration", "expression"), given);
}

function evaluated(expression: string, returns: string, { names, budget }: Mutated): Value {
  return run(expression, names, budget, { returns: [returns], hasPatchTypes: true });
}

function mergedWith(expression: string, given: Mutated): JsonObject {
  const { object, type } = given;
  const value = evaluated(expression, "Object", given);
  checkNames(value, ["Object"]);
  const config = { ...objectOf(value), apiVersion: object["apiVersion"], kind: object["kind"] };
  try {
    return mergeConfiguration(object, config, type);
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    throw new ExpressionError(`error applying patch: ${error.message}`);
  }
}

function patchedBy(expression: string, given: Mutated): JsonObject {
  const { object } = given;
  const value = evaluated(expression, "list(JSONPatch)", given);
  const operations = (value instanceof List ? value.items : []).map(operationOf);
  try {
    const next = applyPatch(object, operations);
    return isObject(next) ? next : object;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    // As on the real server, a failing test leaves the object as it is.
    if (error.code === "ERR_PATCH_TEST") return object;
    throw new ExpressionError(`JSON Patch: ${error.message}`);
  }
}

function operationOf(value: Value): JsonObject {
  if (!(value instanceof JsonPatchValue))
    throw new ExpressionError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
  const { op, path, from } = value;
  if (value.value instanceof ObjectValue) checkNames(value.value, [value.value.typeName]);
  return {
    op,
    path,
    ...(from === "" ? {} : { from }),
    ...(value.value === undefined ? {} : { value: toJson(value.value, PATCH) }),
  };
}

/** Checks that the type of each part of an object is the path of its field. @throws ExpressionError */
function checkNames(value: Value, path: readonly string[]): void {
  const problems = nameProblems(value, path);
  if (problems.length > 0) throw new ExpressionError(`type mismatch: ${problems.join("\n")}`);
}

function nameProblems(value: Value, path: readonly string[]): readonly string[] {
  if (value instanceof List) return value.items.flatMap((item) => nameProblems(item, path));
  if (value instanceof Dict) return [...value.entries.values()].flatMap((item) => nameProblems(item, path));
  if (!(value instanceof ObjectValue)) return [];
  const [wanted, { typeName }] = [path.join("."), value];
  const own =
    typeName === wanted
      ? []
      : [`unexpected type name "${typeName}", expected "${wanted}", which matches field name path from root Object type`];
  return [...own, ...value.fields.flatMap((field) => nameProblems(value.get(field) ?? null, [...path, field]))];
}

function objectOf(value: Value): JsonObject {
  const json = toJson(value, CONFIGURATION);
  return isObject(json) ? json : {};
}

/** How values are written that JSON does not have, or not in the same way. */
interface Form {
  readonly nothing: unknown;
  number(value: number | bigint): unknown;
}

const CONFIGURATION: Form = { nothing: CEL_NULL, number: Number };

/** Protobuf's `Value`: integers that a double cannot have are texts. */
const PATCH: Form = {
  nothing: null,
  number(value) {
    const number = Number(value);
    if (typeof value === "bigint") return Number.isSafeInteger(number) ? number : String(value);
    if (Number.isFinite(number)) return number;
    const text = Number.isNaN(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf";
    throw new ExpressionError(
      `${NO_JSON}: json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid ${text} value`,
    );
  },
};

const NO_JSON = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";

/** Returns a value as JSON. @throws ExpressionError for values that JSON does not have */
function toJson(value: Value, form: Form): unknown {
  const to = (item: Value): unknown => toJson(item, form);
  if (value === null) return form.nothing;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" || typeof value === "bigint") return form.number(value);
  if (value instanceof Uint) return form.number(value.value);
  if (value instanceof List) return value.items.map(to);
  if (value instanceof Dict) return Object.fromEntries([...value.entries].map(([key, item]) => [String(key), to(item)]));
  if (value instanceof Struct) return Object.fromEntries(value.fields.map((field) => [field, to(value.get(field) ?? null)]));
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  throw new ExpressionError(NO_JSON);
}
