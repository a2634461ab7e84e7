/** Walks the schema of a CRD. Pure. */
import type { JsonSchema } from "@treadle/apimachinery";

/** A field of a schema. */
export interface SchemaField {
  /** As in `spec.ports[].name`, with `*` for the values of a map. */
  readonly path: string;
  /** Name of the field itself; `[]` and `*` for items and values. */
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Returns the fields below a schema, parents first. */
export function fieldsOf(schema: JsonSchema, path = ""): readonly SchemaField[] {
  return childrenOf(schema, path).flatMap((field) => [field, ...fieldsOf(field.schema, field.path)]);
}

function childrenOf({ properties = {}, items, additionalProperties }: JsonSchema, path: string): readonly SchemaField[] {
  return [
    ...Object.entries(properties).map(([name, schema]) => ({ name, schema, path: below(path, name) })),
    ...(isSchema(items) ? [{ name: "[]", schema: items, path: `${path}[]` }] : []),
    ...(isSchema(additionalProperties) ? [{ name: "*", schema: additionalProperties, path: below(path, "*") }] : []),
  ];
}

/** Returns the path of a field in an object at `path`. */
export function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** A CRD may have a boolean in the place of a schema. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
