/** Checks that a schema is structural (apiextensions-apiserver `apiserver/schema`) and consistent. */
import { jsonEqual } from "@treadle/apimachinery";
import { ruleCompileErrors, ruleFormErrors } from "../cel/check-rules.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../errors/field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt } from "../internal/read.ts";
import { applyDefaults, pruneObject } from "../schema/coerce.ts";
import { compilePattern } from "../schema/pattern.ts";
import { compileSchema } from "../schema/schema.ts";
import { listErrors, schemaErrors } from "../schema/validate-object.ts";

/** Returns the errors of an openAPIV3Schema at the path `at`. */
export function rootSchemaErrors(schema: JsonObject, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (schema["type"] === undefined || schema["type"] === "") errors.push(required(`${at}.type`, "must not be empty at the root"));
  else if (schema["type"] !== "object") errors.push(invalid(`${at}.type`, schema["type"], "must be object at the root"));
  if (schema["nullable"] === true) errors.push(forbidden(`${at}.nullable`, "nullable cannot be true at the root"));
  if (schema["additionalProperties"] !== undefined) errors.push(forbidden(`${at}.additionalProperties`, "must not be used at the root"));
  walk(schema, { at, isRoot: true, isNested: false }, errors);
  errors.push(...completenessErrors(schema, schema, { at, place: at, isRule: false }));
  // Defaults are checked with a compiled schema, which needs a correct one.
  if (errors.length === 0) defaultErrors(schema, at, errors);
  if (errors.length === 0) errors.push(...ruleCompileErrors(schema, at));
  return errors;
}

interface Place {
  readonly at: string;
  readonly isRoot: boolean;
  /** Whether the schema is inside allOf, anyOf, oneOf or not, where only validations of values are allowed. */
  readonly isNested: boolean;
}

const TYPES: readonly string[] = ["array", "boolean", "integer", "number", "object", "string"];

const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

/** Keywords that are allowed at each depth, except where only validations of values are allowed. */
const STRUCTURAL_ONLY: readonly (readonly [keyword: string, text: string])[] = [
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function walk(schema: JsonObject, place: Place, errors: FieldError[]): void {
  const { at, isNested } = place;
  for (const keyword of UNSUPPORTED)
    if (schema[keyword] !== undefined) errors.push(forbidden(`${at}.${keyword}`, `${keyword} is not supported`));
  if (schema["uniqueItems"] === true) {
    errors.push(forbidden(`${at}.uniqueItems`, "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
  }
  valueKeywordErrors(schema, at, errors);
  if (isNested) nestedErrors(schema, at, errors);
  else structureErrors(schema, place, errors);
  descend(schema, place, errors);
}

function valueKeywordErrors(schema: JsonObject, at: string, errors: FieldError[]): void {
  const { type, pattern, required: names } = schema;
  if (type !== undefined && type !== "" && !TYPES.includes(String(type))) errors.push(notSupported(`${at}.type`, type, TYPES));
  if (pattern !== undefined && (typeof pattern !== "string" || compilePattern(pattern) === undefined)) {
    errors.push(invalid(`${at}.pattern`, pattern, "must be a valid regular expression, but isn't: error parsing regexp"));
  }
  if (names !== undefined && (!Array.isArray(names) || !names.every((name) => typeof name === "string"))) {
    errors.push(invalid(`${at}.required`, names, "must be a list of field names"));
  }
  if (schema["enum"] !== undefined && !Array.isArray(schema["enum"])) errors.push(invalid(`${at}.enum`, schema["enum"], "must be a list"));
}

function nestedErrors(schema: JsonObject, at: string, errors: FieldError[]): void {
  for (const [keyword, text] of STRUCTURAL_ONLY) {
    const value = schema[keyword];
    if (value !== undefined && value !== false && value !== "") errors.push(forbidden(`${at}.${keyword}`, text));
  }
  if (schema["type"] !== undefined && schema["type"] !== "") errors.push(forbidden(`${at}.type`, "must be empty to be structural"));
}

function structureErrors(schema: JsonObject, { at, isRoot }: Place, errors: FieldError[]): void {
  const { type, properties, additionalProperties, items } = schema;
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  const preserves = schema["x-kubernetes-preserve-unknown-fields"];
  if (preserves !== undefined && preserves !== true) {
    errors.push(invalid(`${at}.x-kubernetes-preserve-unknown-fields`, preserves, "must be true or undefined"));
  }
  if (!isRoot && (type === undefined || type === "") && !isIntOrString && preserves !== true && schema["$ref"] === undefined) {
    errors.push(
      required(
        `${at}.type`,
        at.endsWith(".items") ? "must not be empty for specified array items" : "must not be empty for specified object fields",
      ),
    );
  }
  if (isIntOrString && preserves === true)
    errors.push(invalid(`${at}.x-kubernetes-preserve-unknown-fields`, true, "must be false if x-kubernetes-int-or-string is true"));
  if (isObject(properties) && Object.keys(properties).length > 0 && additionalProperties !== undefined && additionalProperties !== false) {
    errors.push(forbidden(`${at}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  }
  if (type === "array" && items === undefined) errors.push(required(`${at}.items`, "must be specified"));
  if (Array.isArray(items)) errors.push(forbidden(`${at}.items`, "items must be a schema object and not an array"));
  if (schema["x-kubernetes-embedded-resource"] === true) embeddedErrors(schema, at, errors);
  listErrorsOf(schema, at, errors);
  mapErrorsOf(schema, at, errors);
  errors.push(...ruleFormErrors(schema, at));
}

function embeddedErrors(schema: JsonObject, at: string, errors: FieldError[]): void {
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (!isOpen && !isObject(schema["properties"])) {
    errors.push(
      required(
        `${at}.properties`,
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
  }
  const [type, text] = [schema["type"] ?? "", "must be object if x-kubernetes-embedded-resource is true"];
  if (type === "") errors.push(required(`${at}.type`, text));
  else if (type !== "object") errors.push(invalid(`${at}.type`, type, text));
  if (schema["x-kubernetes-int-or-string"] === true)
    errors.push(invalid(`${at}.x-kubernetes-embedded-resource`, true, "must be false if x-kubernetes-int-or-string is true"));
}

function mapErrorsOf(schema: JsonObject, at: string, errors: FieldError[]): void {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return;
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(notSupported(`${at}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  if (schema["type"] !== "object")
    errors.push(invalid(`${at}.type`, schema["type"] ?? "", "must be object if x-kubernetes-map-type is specified"));
}

function listErrorsOf(schema: JsonObject, at: string, errors: FieldError[]): void {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"];
  const items = isObject(schema["items"]) ? schema["items"] : undefined;
  if (listType !== undefined) {
    if (!["atomic", "set", "map"].includes(String(listType))) {
      errors.push(notSupported(`${at}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
    }
    if (schema["type"] !== "array")
      errors.push(invalid(`${at}.type`, schema["type"] ?? "", "must be array if x-kubernetes-list-type is specified"));
  }
  if ((listType === "set" || listType === "map") && items?.["nullable"] === true)
    errors.push(forbidden(`${at}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  if (listType === "set" && items !== undefined) setItemErrors(items, at, errors);
  const hasKeys = Array.isArray(keys) && keys.length > 0;
  if (hasKeys && listType !== "map")
    errors.push(invalid(`${at}.x-kubernetes-list-type`, listType ?? "", "must be map if x-kubernetes-list-map-keys is non-empty"));
  if (listType !== "map") return;
  if (!hasKeys) errors.push(required(`${at}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
  if (items === undefined) {
    errors.push(required(`${at}.items`, "must have a schema if x-kubernetes-list-type is map"));
    return;
  }
  if (items["type"] !== "object") {
    errors.push(invalid(`${at}.items.type`, items["type"] ?? "", "must be object if parent array's x-kubernetes-list-type is map"));
    return;
  }
  if (hasKeys && new Set(keys).size < keys.length)
    errors.push(invalid(`${at}.x-kubernetes-list-map-keys`, keys, "must not contain duplicate entries"));
  for (const key of hasKeys ? keys : []) mapKeyErrors(String(key), { items, keys, at }, errors);
}

/** Checks the items of a set, which are compared as a whole. */
function setItemErrors(items: JsonObject, at: string, errors: FieldError[]): void {
  const text = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const [listType, mapType] = [items["x-kubernetes-list-type"], items["x-kubernetes-map-type"]];
  if (items["type"] === "object" && mapType !== "atomic") errors.push(invalid(`${at}.items.x-kubernetes-map-type`, null, text));
  if (items["type"] === "array" && listType !== undefined && listType !== "atomic")
    errors.push(invalid(`${at}.items.x-kubernetes-list-type`, listType, text));
}

function mapKeyErrors(
  key: string,
  { items, keys, at }: { readonly items: JsonObject; readonly keys: unknown; readonly at: string },
  errors: FieldError[],
): void {
  const property = isObject(items["properties"]) ? items["properties"][key] : undefined;
  if (!isObject(property)) {
    errors.push(invalid(`${at}.x-kubernetes-list-map-keys`, keys, "entries must all be names of item properties"));
    return;
  }
  if (property["type"] === "array" || property["type"] === "object") {
    errors.push(
      invalid(
        `${at}.items.properties[${key}].type`,
        property["type"],
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      ),
    );
  }
  if (property["nullable"] === true) {
    const text = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
    errors.push(forbidden(`${at}.items.properties[${key}].nullable`, text));
  }
  const isRequired = Array.isArray(items["required"]) && items["required"].includes(key);
  if (!isRequired && property["default"] === undefined) {
    errors.push(
      required(
        `${at}.items.properties[${key}].default`,
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      ),
    );
  }
}

function descend(schema: JsonObject, { at, isRoot, isNested }: Place, errors: FieldError[]): void {
  const inner = { isRoot: false, isNested };
  const { properties, additionalProperties, items } = schema;
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties)) {
      if (isRoot && name === "metadata") {
        metadataErrors(property, `${at}.properties[metadata]`, errors);
        continue;
      }
      child(property, { at: `${at}.properties[${name}]`, ...inner }, errors);
    }
  }
  if (isObject(additionalProperties)) child(additionalProperties, { at: `${at}.additionalProperties`, ...inner }, errors);
  if (isObject(items)) child(items, { at: `${at}.items`, ...inner }, errors);
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const list = schema[keyword];
    if (!Array.isArray(list) || (isIntOrString && keyword !== "oneOf" && namesBothTypes(schema))) continue;
    list.forEach((alternative, i) => child(alternative, { at: `${at}.${keyword}[${i}]`, isRoot: false, isNested: true }, errors));
  }
  if (schema["not"] !== undefined) child(schema["not"], { at: `${at}.not`, isRoot: false, isNested: true }, errors);
}

/**
 * Reports whether a schema lists the two types of int-or-string in `anyOf`, alone or first in `allOf`. Kubernetes allows only
 * these forms.
 */
function namesBothTypes({ anyOf, allOf }: JsonObject): boolean {
  const isForm = (list: unknown): boolean => Array.isArray(list) && jsonEqual(list, [{ type: "integer" }, { type: "string" }]);
  return isForm(anyOf) || (Array.isArray(allOf) && isObject(allOf[0]) && isForm(allOf[0]["anyOf"]));
}

/** Checks that the validations of values at `at` name only fields of the structure at `place`. */
function completenessErrors(
  value: unknown,
  structure: unknown,
  { at, place, isRule }: { readonly at: string; readonly place: string; readonly isRule: boolean },
): FieldError[] {
  if (!isObject(value)) return [];
  if (!isObject(structure)) return [required(place, `because it is defined in ${at}`)];
  const rules = ["allOf", "anyOf", "oneOf"].flatMap((keyword) =>
    listAt(value, keyword).map((rule, i) => [rule, `${at}.${keyword}[${i}]`] as const),
  );
  const nested = [...rules, [value["not"], `${at}.not`] as const];
  const errors = nested.flatMap(([rule, step]) => completenessErrors(rule, structure, { at: step, place, isRule: true }));
  if (!isRule) return errors;
  const inner = (part: unknown, of: unknown, step: string): FieldError[] =>
    completenessErrors(part, of, { at: at + step, place: place + step, isRule });
  for (const [name, property] of Object.entries(objectAt(value, "properties")))
    errors.push(...inner(property, objectAt(structure, "properties")[name], `.properties[${name}]`));
  return [...errors, ...inner(value["items"], structure["items"], ".items")];
}

function child(schema: unknown, place: Place, errors: FieldError[]): void {
  if (isObject(schema)) walk(schema, place, errors);
  else errors.push(invalid(place.at, schema ?? null, "must be a schema object"));
}

function metadataErrors(schema: unknown, at: string, errors: FieldError[]): void {
  if (!isObject(schema)) return;
  if (schema["type"] !== "object") errors.push(invalid(`${at}.type`, schema["type"] ?? "", "must be object"));
  const names = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  if (names.some((name) => name !== "name" && name !== "generateName")) {
    errors.push(forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified"));
  }
}

/** Checks that each default is valid by its own schema. */
function defaultErrors(schema: JsonObject, at: string, errors: FieldError[]): void {
  if (schema["default"] !== undefined) {
    const compiled = compileSchema({ ...schema, default: undefined });
    const value = schema["default"];
    const full = isObject(value) ? applyDefaults(value, compiled) : value;
    const found = [...schemaErrors({ value: full, schema: compiled, path: "" }), ...listErrors(full, compiled)];
    for (const error of found) errors.push({ ...error, field: error.field === "<nil>" ? `${at}.default` : `${at}.default.${error.field}` });
    if (isObject(value) && pruneObject(value, compiled) !== value)
      errors.push(invalid(`${at}.default`, value, "must not have unknown fields"));
  }
  const { properties, additionalProperties, items } = schema;
  if (isObject(properties))
    for (const [name, sub] of Object.entries(properties)) if (isObject(sub)) defaultErrors(sub, `${at}.properties[${name}]`, errors);
  if (isObject(additionalProperties)) defaultErrors(additionalProperties, `${at}.additionalProperties`, errors);
  if (isObject(items)) defaultErrors(items, `${at}.items`, errors);
}
