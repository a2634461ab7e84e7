/** The Go types of fields, for errors of the real server. */
import type { RawSchema } from "./schemas.ts";

/** Returns the Go type that follows from a schema. Where that is wrong, the data contains the right one. */
export function deducedGoType(schema: RawSchema): string {
  if (schema.go !== undefined) return schema.go;
  if (schema.$ref !== undefined) return schema.$ref.split(".").slice(-2).join(".");
  switch (schema.type) {
    case "integer":
      return schema.format ?? "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "string":
      return schema.format === "byte" ? "[]uint8" : "string";
    case "array":
      return `[]${deducedGoType(schema.items ?? {})}`;
    case "object":
      return schema.additionalProperties === undefined ? "interface {}" : `map[string]${deducedGoType(schema.additionalProperties)}`;
    default:
      return "interface {}";
  }
}
