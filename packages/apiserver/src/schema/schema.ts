/** A structural schema, compiled once for each definition. Validation, defaulting, pruning and managedFields use it. */
import { readRules, type Rule } from "./rule.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { compilePattern } from "./pattern.ts";

export type ListType = "atomic" | "set" | "map";

export interface CompiledSchema {
  /** One of the JSON types. Absent: any type. */
  readonly type: string | undefined;
  readonly isIntOrString: boolean;
  readonly isNullable: boolean;
  readonly format: string | undefined;
  readonly enum: readonly unknown[] | undefined;
  readonly pattern: { readonly source: string; readonly regexp: RegExp } | undefined;
  /** Numeric limits, lengths and counts, by their keyword. */
  readonly limits: Limits;
  readonly isUnique: boolean;
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, CompiledSchema>;
  /** Schema of additional fields: `true` for anything, absent when there are none. */
  readonly additional: CompiledSchema | true | undefined;
  readonly items: CompiledSchema | undefined;
  readonly default: { readonly value: unknown } | undefined;
  readonly preservesUnknown: boolean;
  readonly isEmbedded: boolean;
  readonly listType: ListType;
  readonly mapKeys: readonly string[];
  /** Whether an object has one owner as a whole (`x-kubernetes-map-type: atomic`). */
  readonly isAtomicMap: boolean;
  readonly allOf: readonly CompiledSchema[];
  readonly anyOf: readonly CompiledSchema[];
  readonly oneOf: readonly CompiledSchema[];
  readonly not: CompiledSchema | undefined;
  /** `x-kubernetes-validations`, compiled when they first run. */
  readonly rules: readonly Rule[];
}

export interface Limits {
  readonly maximum?: number;
  readonly minimum?: number;
  readonly isExclusiveMaximum: boolean;
  readonly isExclusiveMinimum: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly maxProperties?: number;
  readonly minProperties?: number;
}

/** Compiles an openAPIV3Schema that is already validated. Malformed parts are ignored. */
export function compileSchema(raw: unknown): CompiledSchema {
  const source: JsonObject = isObject(raw) ? raw : {};
  const type = textOf(source["type"]);
  return {
    type,
    isIntOrString: source["x-kubernetes-int-or-string"] === true,
    isNullable: source["nullable"] === true,
    format: textOf(source["format"]) || undefined,
    enum: Array.isArray(source["enum"]) ? source["enum"] : undefined,
    pattern: patternOf(source["pattern"]),
    limits: limitsOf(source),
    isUnique: source["uniqueItems"] === true,
    required: Array.isArray(source["required"]) ? source["required"].filter((name) => typeof name === "string") : [],
    properties: propertiesOf(source["properties"]),
    additional: additionalOf(source["additionalProperties"]),
    items: source["items"] === undefined ? undefined : compileSchema(source["items"]),
    default: source["default"] === undefined ? undefined : { value: source["default"] },
    preservesUnknown: source["x-kubernetes-preserve-unknown-fields"] === true,
    isEmbedded: source["x-kubernetes-embedded-resource"] === true,
    listType: listTypeOf(source["x-kubernetes-list-type"]),
    mapKeys: Array.isArray(source["x-kubernetes-list-map-keys"]) ? source["x-kubernetes-list-map-keys"].map(String) : [],
    isAtomicMap: source["x-kubernetes-map-type"] === "atomic",
    allOf: alternativesOf(source["allOf"]),
    anyOf: alternativesOf(source["anyOf"]),
    oneOf: alternativesOf(source["oneOf"]),
    not: source["not"] === undefined ? undefined : compileSchema(source["not"]),
    rules: readRules(source["x-kubernetes-validations"]),
  };
}

/** Returns the schema of a field, or `undefined` when it is unknown. */
export function fieldSchema(schema: CompiledSchema | undefined, field: string): CompiledSchema | undefined {
  if (schema === undefined) return undefined;
  return schema.properties.get(field) ?? (schema.additional === true ? undefined : schema.additional);
}

function propertiesOf(raw: unknown): ReadonlyMap<string, CompiledSchema> {
  return new Map(isObject(raw) ? Object.entries(raw).map(([name, property]) => [name, compileSchema(property)]) : []);
}

function additionalOf(raw: unknown): CompiledSchema | true | undefined {
  if (raw === true) return true;
  return isObject(raw) ? compileSchema(raw) : undefined;
}

function alternativesOf(raw: unknown): readonly CompiledSchema[] {
  return Array.isArray(raw) ? raw.map(compileSchema) : [];
}

function listTypeOf(raw: unknown): ListType {
  return raw === "set" || raw === "map" ? raw : "atomic";
}

function patternOf(raw: unknown): CompiledSchema["pattern"] {
  if (typeof raw !== "string" || raw === "") return undefined;
  const regexp = compilePattern(raw);
  return regexp === undefined ? undefined : { source: raw, regexp };
}

function limitsOf(source: JsonObject): Limits {
  const limits: Record<string, number | boolean> = {
    isExclusiveMaximum: source["exclusiveMaximum"] === true,
    isExclusiveMinimum: source["exclusiveMinimum"] === true,
  };
  for (const name of NUMERIC) {
    const value = source[name];
    if (typeof value === "number") limits[name] = value;
  }
  return limits as unknown as Limits; // built from its own field names
}

const NUMERIC = [
  "maximum",
  "minimum",
  "multipleOf",
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "maxProperties",
  "minProperties",
] as const;

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
