/**
 * Removes what Go's structs of a CRD do not keep: empty strings, false flags and empty lists. Bodies in protobuf contain many
 * of them (`id: ""`), and they have no meaning.
 */
import { isObject, type JsonObject } from "../internal/json.ts";

/** Removes empty fields from an openAPIV3Schema and all schemas in it. Values (defaults, examples, enums) are not modified. */
export function omitEmpty(schema: JsonObject): void {
  for (const field of OMITTED) if (isEmpty(schema[field])) delete schema[field];
  for (const inner of schemasIn(schema)) omitEmpty(inner);
}

/** Fields with `omitempty` whose Go type is not a pointer (apiextensions/v1 `JSONSchemaProps`). */
const OMITTED = [
  "id",
  "$schema",
  "description",
  "type",
  "format",
  "title",
  "pattern",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "uniqueItems",
  "nullable",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "enum",
  "required",
  "allOf",
  "oneOf",
  "anyOf",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-validations",
  "properties",
  "patternProperties",
  "dependencies",
  "definitions",
] as const;

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === "" || value === false || (isObject(value) && Object.keys(value).length === 0);
}

function schemasIn(schema: JsonObject): readonly JsonObject[] {
  const single = [schema["items"], schema["additionalProperties"], schema["additionalItems"], schema["not"]];
  const lists = [schema["allOf"], schema["oneOf"], schema["anyOf"]].filter(Array.isArray).flat();
  const maps = [schema["properties"], schema["patternProperties"], schema["definitions"]].filter(isObject).flatMap(Object.values);
  return [...single, ...lists, ...maps].filter(isObject);
}
