/**
 * Decodes bodies of built-in kinds as Go reads them into structs and writes them again. Unknown fields are dropped and null
 * is absent. Empty values are added or omitted as in Go. Quantities and times get their canonical form. Defaults are filled
 * in. A value that does not fit its field is refused with the text of Go's decoder.
 */
import { goQuote, goTypeOf, isObject, type JsonObject } from "../internal/json.ts";
import { MetaTypeError, TIME } from "../errors/meta-type-error.ts";
import { secondsOf } from "../objects/object-meta.ts";
import type { Served } from "../storage/registry.ts";
import { fillDefaults } from "./defaults.ts";
import { deducedGoType } from "./go-type.ts";
import { canonicalQuantity } from "./quantity.ts";
import { definition, definitionOf, type RawSchema } from "./schemas.ts";

/** Decodes the fields of an object. apiVersion, kind and metadata are kept. @throws MetaTypeError */
export function decodeObject(name: string, object: JsonObject, unknown: string[]): JsonObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  const fields = decodeStruct(name, rest, { struct: "", goPath: "", path: "", unknown });
  const decoded: JsonObject = { ...fields, apiVersion, kind, metadata };
  fillDefaults(name, decoded);
  // The order that readers expect.
  return { apiVersion, kind, metadata, ...decoded };
}

/** Returns the `status` of a new object of a kind. */
export function emptyStatus(name: string): unknown {
  const status = definition(name).properties?.["status"];
  return status?.$ref === undefined ? undefined : filled(status.$ref, {}, NOWHERE);
}

/** Returns an empty object of a kind, before defaults. For a custom kind it has no fields. */
export function emptyOf({ type, version }: Served): JsonObject {
  const name = type.isCustom ? undefined : definitionOf(type, version);
  return name === undefined ? {} : emptyObject(name);
}

function emptyObject(name: string): JsonObject {
  const object: JsonObject = {};
  for (const [field, { $ref, zero }] of Object.entries(definition(name).properties ?? {})) {
    if (zero !== undefined) object[field] = $ref !== undefined && isObject(zero) ? emptyObject($ref) : zero;
  }
  return object;
}

/** The place of a value: the struct that contains it, and its path in errors of Go and of strict decoding. */
interface Place {
  readonly struct: string;
  readonly goPath: string;
  readonly path: string;
  readonly unknown: string[];
}

const NOWHERE: Place = { struct: "", goPath: "", path: "", unknown: [] };

/** Decodes a struct and fills in the defaults of everything inside it, but not its own. */
function decodeStruct(name: string, value: JsonObject, place: Place): JsonObject {
  const schema = definition(name);
  const struct = name.slice(name.lastIndexOf(".") + 1);
  const result: JsonObject = {};
  for (const field in value) {
    const property = schema.properties?.[field];
    const path = place.path === "" ? field : `${place.path}.${field}`;
    if (property === undefined || !Object.hasOwn(schema.properties ?? {}, field)) {
      place.unknown.push(path);
      continue;
    }
    if (value[field] === null || value[field] === undefined) continue;
    const goPath = place.goPath === "" ? field : `${place.goPath}.${field}`;
    const decoded = decodeValue(property, value[field], { struct, goPath, path, unknown: place.unknown });
    if (!isOmitted(property, decoded)) result[field] = decoded;
  }
  return withZeros(name, result, place);
}

function decodeValue(schema: RawSchema, value: unknown, place: Place): unknown {
  const { $ref } = schema;
  const own = target(schema);
  if (own.properties !== undefined && $ref !== undefined) {
    if (!isObject(value)) throw mismatch(schema, value, place);
    const decoded = decodeStruct($ref, value, place);
    fillDefaults($ref, decoded);
    return decoded;
  }
  if (own["x-kubernetes-int-or-string"] === true) return decodeIntOrString(value, place);
  switch (own.type) {
    case "array":
      return decodeList(schema, own.items ?? {}, value, place);
    case "object":
      if (own.additionalProperties === undefined) return value;
      return decodeMap(schema, own.additionalProperties, value, place);
    case "string":
      return decodeText(schema, own.format, value, place);
    case "integer":
      return decodeInteger(schema, value, place);
    case "number":
    case "boolean":
      if (typeof value !== own.type) throw mismatch(schema, value, place);
      return value;
    default:
      return value;
  }
}

function decodeList(schema: RawSchema, items: RawSchema, value: unknown, place: Place): unknown {
  if (!Array.isArray(value)) throw mismatch(schema, value, place);
  return value.map((item, i) => decodeElement(items, item, { ...place, path: `${place.path}[${i}]` }));
}

function decodeMap(schema: RawSchema, values: RawSchema, value: unknown, place: Place): unknown {
  if (!isObject(value)) throw mismatch(schema, value, place);
  const map: JsonObject = {};
  for (const key in value) map[key] = decodeElement(values, value[key], { ...place, path: `${place.path}.${key}` });
  return map;
}

/** Decodes an item of a list or a map, in which null is the zero value of the type. */
function decodeElement(schema: RawSchema, value: unknown, place: Place): unknown {
  if (value !== null) return decodeValue(schema, value, place);
  const own = target(schema);
  if (own.properties !== undefined && schema.$ref !== undefined) return filled(schema.$ref, {}, place);
  if (own.format === "quantity") return "0";
  return own.type === "string" ? "" : own.type === "integer" ? 0 : own.type === "boolean" ? false : null;
}

function decodeText(schema: RawSchema, format: string | undefined, value: unknown, place: Place): unknown {
  if (format === "quantity") return decodeQuantity(value);
  if (typeof value !== "string") throw mismatch(format === "date-time" || format === "micro-time" ? TEXT : schema, value, place);
  if (format === "date-time" || format === "micro-time") return decodeTime(value, format === "micro-time");
  if (format === "byte") return decodeBytes(value);
  return value;
}

const TEXT: RawSchema = { type: "string" };

function decodeQuantity(value: unknown): string {
  // A number can have any form of JSON. Other types are not quantities.
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  return attempt(() => canonicalQuantity(text === "" ? "?" : text));
}

function decodeTime(value: string, isMicro: boolean): string {
  const at = Date.parse(value);
  const refuse = (rest: string, part: string): MetaTypeError => {
    const layout = goQuote(`2006-01-02T15:04:05${isMicro ? ".000000" : ""}Z07:00`);
    return complaint(`parsing time ${goQuote(value)} as ${layout}: cannot parse ${goQuote(rest)} as ${goQuote(part)}`);
  };
  const [whole = ""] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(value) ?? [];
  if (whole === "" || Number.isNaN(at)) throw refuse(value, "2006");
  if (!isMicro) return secondsOf(at);
  // Unlike other times, these have exactly six digits after the dot.
  const rest = value.slice(whole.length);
  const [fraction] = /^\.\d{6}/.exec(rest) ?? [];
  if (fraction === undefined) throw refuse(rest, ".000000");
  return secondsOf(at).replace("Z", `${fraction}Z`);
}

/** Returns the canonical form of a base64 text. @throws MetaTypeError */
export function decodeBytes(value: string): string {
  const clean = value.replace(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/]/.exec(clean.replace(/={1,2}$/, ""))?.index;
  if (bad !== undefined) throw complaint(`illegal base64 data at input byte ${bad}`);
  const cut = clean.length % 4;
  if (cut !== 0) throw complaint(`illegal base64 data at input byte ${clean.endsWith("=") ? clean.length : clean.length - cut}`);
  return Buffer.from(clean, "base64").toString("base64");
}

function decodeInteger(schema: RawSchema, value: unknown, place: Place): number {
  const [low, high] = schema.format === "int32" ? [-(2 ** 31), 2 ** 31 - 1] : [-(2 ** 63), 2 ** 63];
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high) return value;
  throw mismatch({ type: "integer", format: schema.format ?? "int64" }, value, place);
}

function decodeIntOrString(value: unknown, place: Place): unknown {
  return typeof value === "string" ? value : decodeInteger({ format: "int32" }, value, place);
}

/** Reports whether Go omits the value when it writes the field. */
function isOmitted(schema: RawSchema, value: unknown): boolean {
  return isEmpty(schema, value) && schema.zero === undefined && !deducedGoType(schema).startsWith("*");
}

function isEmpty({ $ref }: RawSchema, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === "" || value === 0 || value === false;
  // Go never omits a struct.
  return Array.isArray(value) ? value.length === 0 : $ref === undefined && Object.keys(value).length === 0;
}

/** Returns the schema of the values of a field. Other keywords of the field do not matter here. */
function target(schema: RawSchema): RawSchema {
  return schema.$ref === undefined ? schema : definition(schema.$ref);
}

function filled(name: string, value: JsonObject, place: Place): JsonObject {
  const struct = withZeros(name, value, place);
  fillDefaults(name, struct);
  return struct;
}

/** Adds absent values that Go writes. Required lists and pointers are not added, because such an object is refused. */
function withZeros(name: string, value: JsonObject, place: Place): JsonObject {
  for (const [field, schema] of zeroFields(name)) {
    if (Object.hasOwn(value, field)) continue;
    if (schema.$ref !== undefined && isObject(schema.zero)) value[field] = filled(schema.$ref, {}, place);
    else value[field] = schema.zero;
  }
  return value;
}

const ZERO_FIELDS = new Map<string, readonly (readonly [string, RawSchema])[]>();

function zeroFields(name: string): readonly (readonly [string, RawSchema])[] {
  let fields = ZERO_FIELDS.get(name);
  if (fields === undefined) {
    const { properties = {}, required = [] } = definition(name);
    fields = Object.entries(properties).filter(([field, { zero }]) => zero !== undefined && !(zero === null && required.includes(field)));
    ZERO_FIELDS.set(name, fields);
  }
  return fields;
}

function mismatch(schema: RawSchema, value: unknown, { struct, goPath }: Place): MetaTypeError {
  const wanted = deducedGoType(schema).replace(/^\*/, "");
  // Go shows a number where a number of another type is needed.
  const number = schema.type === "integer" && typeof value === "number" ? ` ${value}` : "";
  return complaint(`json: cannot unmarshal ${goTypeOf(value)}${number} into Go struct field ${struct}.${goPath} of type ${wanted}`);
}

function complaint(text: string): MetaTypeError {
  return new MetaTypeError([], TIME, text);
}

function attempt<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof SyntaxError) throw complaint(error.message);
    throw error;
  }
}
