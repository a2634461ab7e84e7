/**
 * Checks a value against a structural schema: types, required fields, limits, and the items of lists. CEL rules are not evaluated.
 *
 * The spec of an object is checked by its zod schema first, which has better messages. This check knows what zod does not: items that are
 * twice in a list. It is also for the status, whose fields are partly those of the engine, which have no zod schema.
 */
import { jsonEqual, type JsonSchema } from "@treadle/apimachinery";
import { isObject, type Json, own } from "../json.ts";
import { itemsOf } from "./lists.ts";
import { memberSchema } from "./shape.ts";

/** Returns the path of the first field that breaks the schema; `undefined` when there is none. */
export function brokenPath(value: unknown, schema: JsonSchema, path: string): string | undefined {
  if (value === null) return schema.nullable === true || (schema.type === undefined && !isIntOrString(schema)) ? undefined : path;
  if (!hasType(value, schema) || !isWithin(value, schema) || !isCombined(value, schema, path)) return path;
  if (schema.enum !== undefined && !schema.enum.some((one) => jsonEqual(one, value))) return path;
  if (Array.isArray(value)) return brokenItem(value, schema, path);
  return isObject(value) ? brokenMember(value, schema, path) : undefined;
}

function isIntOrString(schema: JsonSchema): boolean {
  return schema["x-kubernetes-int-or-string"] === true;
}

function hasType(value: unknown, schema: JsonSchema): boolean {
  if (isIntOrString(schema)) return typeof value === "string" || Number.isInteger(value);
  switch (schema.type) {
    case undefined:
      return true;
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value) && (schema.format !== "int32" || Math.abs(Number(value) + 0.5) < 2 ** 31);
    default:
      return typeof value === schema.type;
  }
}

function isWithin(value: unknown, schema: JsonSchema): boolean {
  const { minLength = 0, maxLength = Infinity, minItems = 0, maxItems = Infinity, minProperties = 0, maxProperties = Infinity } = schema;
  if (typeof value === "number") return isInRange(value, schema);
  if (Array.isArray(value)) return value.length >= minItems && value.length <= maxItems;
  if (isObject(value)) return Object.keys(value).length >= minProperties && Object.keys(value).length <= maxProperties;
  if (typeof value !== "string") return true;
  const length = schema.minLength === undefined && schema.maxLength === undefined ? 0 : [...value].length;
  if (length < minLength || length > maxLength) return false;
  if (schema.format === "date-time" && Number.isNaN(Date.parse(value))) return false;
  return schema.pattern === undefined || isMatch(value, schema.pattern);
}

function isInRange(value: number, schema: JsonSchema): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf } = schema;
  if (exclusiveMinimum ? value <= minimum : value < minimum) return false;
  if (exclusiveMaximum ? value >= maximum : value > maximum) return false;
  if (multipleOf === undefined) return true;
  // Decimal factors are not exact in binary.
  const times = value / multipleOf;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function isMatch(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // RE2 has syntax that JavaScript does not know. The API server checks what clients write.
    return true;
  }
}

function isCombined(value: unknown, { allOf = [], anyOf, oneOf, not }: JsonSchema, path: string): boolean {
  const fits = (schema: JsonSchema): boolean => brokenPath(value, schema, path) === undefined;
  if (!allOf.every(fits) || (not !== undefined && fits(not))) return false;
  return (anyOf === undefined || anyOf.some(fits)) && (oneOf === undefined || oneOf.filter(fits).length === 1);
}

function brokenItem(list: readonly unknown[], schema: JsonSchema, path: string): string | undefined {
  const type = schema["x-kubernetes-list-type"];
  if ((type === "set" || type === "map") && itemsOf([list], schema) === undefined) return path;
  if (schema.items === undefined) return undefined;
  for (const [i, item] of list.entries()) {
    const broken = brokenPath(item, schema.items, `${path}[${i}]`);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

function brokenMember(object: Json, schema: JsonSchema, path: string): string | undefined {
  const missing = schema.required?.find((name) => own(object, name) === undefined);
  if (missing !== undefined) return `${path}.${missing}`;
  for (const [name, value] of Object.entries(object)) {
    const member = memberSchema(schema, name);
    const broken = member === undefined || value === undefined ? undefined : brokenPath(value, member, `${path}.${name}`);
    if (broken !== undefined) return broken;
  }
  return undefined;
}
