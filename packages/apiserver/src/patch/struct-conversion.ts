/**
 * Checks the result of a strategic merge patch. The real server converts it to Go's structs without JSON, so the errors
 * differ from those of a body.
 */
import { decodeBytes } from "../builtin/decode-object.ts";
import { deducedGoType } from "../builtin/go-type.ts";
import { definition, type RawSchema } from "../builtin/schemas.ts";
import { goDynamicType, isObject } from "../internal/json.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { goKind } from "./patch-schema.ts";

/** Returns the reason why a value does not fit its type, or `undefined`. */
export function conversionProblem(schema: RawSchema, value: unknown): string | undefined {
  if (value === null || value === undefined || readsItself(schema)) return undefined;
  const own = schema.$ref === undefined ? schema : definition(schema.$ref);
  if (own.properties !== undefined) {
    if (!isObject(value)) return `cannot restore struct from: ${reflectKind(value)}`;
    return first(Object.entries(own.properties), ([field, property]) => conversionProblem(property, value[field]));
  }
  const { items = {}, additionalProperties } = own;
  if (own.type === "array") {
    if (!Array.isArray(value)) return `cannot restore slice from ${reflectKind(value)}`;
    return first(value, (item) => conversionProblem(items, item));
  }
  if (own.format === "byte") return bytesProblem(value);
  if (own.type === "object") {
    if (additionalProperties === undefined) return undefined;
    if (!isObject(value)) return `cannot restore map from ${reflectKind(value)}`;
    return first(Object.values(value), (member) => conversionProblem(additionalProperties, member));
  }
  return scalarProblem(schema, value);
}

function bytesProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return `cannot restore slice from ${reflectKind(value)}`;
  try {
    decodeBytes(value);
    return undefined;
  } catch (error) {
    if (!(error instanceof MetaTypeError)) throw error;
    return `error decoding from json: ${error.given}`;
  }
}

/** Reports whether Go reads the type with its own function, which gives the same errors as for a body. */
function readsItself(schema: RawSchema): boolean {
  const own = schema.$ref === undefined ? schema : definition(schema.$ref);
  return (
    own.format === "quantity" ||
    own.format === "date-time" ||
    own.format === "micro-time" ||
    own["x-kubernetes-int-or-string"] === true ||
    own["x-kubernetes-preserve-unknown-fields"] === true
  );
}

function scalarProblem(schema: RawSchema, value: unknown): string | undefined {
  const wanted = goKind(schema);
  const given = reflectKind(value);
  const isNumber = (kind: string): boolean => /^(int|float)/.test(kind);
  if (wanted === "interface" || wanted === given) return undefined;
  const goType = deducedGoType(schema).replace(/^\*/, "");
  if (isNumber(wanted) && isNumber(given))
    return given === "float64" && wanted !== "float64" ? `cannot convert ${given} to ${goType}` : undefined;
  // Go can convert an integer to a string, but refuses to.
  if (wanted === "string" && given === "int64") return `cannot convert ${given} to ${goType}`;
  return `unrecognized type: ${wanted}`;
}

function reflectKind(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  return isObject(value) ? "map" : goDynamicType(value);
}

function first<T>(list: readonly T[], problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of list) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
