/** The Go types of fields, as the errors of the real server name them. */
import type { RawSchema } from "./schemas.ts";

/** The Go type of a field as its schema alone suggests it; where that is wrong the data holds the right one. */
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
