/** What a strategic merge patch needs to know of a type: how the lists and maps of a field are merged. */
import { definition, type RawSchema } from "../builtin/schemas.ts";
import { goQuote } from "../internal/json.ts";

/** How a field is merged. */
export interface PatchMeta {
  /** Type of the field's value, or of the elements of its list. */
  readonly schema: RawSchema;
  /** `merge`, `replace` or empty. By default lists are replaced and maps are merged. */
  readonly strategy: string;
  /** Field that identifies an element; empty for lists of strings and numbers. */
  readonly mergeKey: string;
}

/** Returns how a field of an object is merged. @throws Error with the text of the real server when the type has no such field */
export function fieldMeta(schema: RawSchema, field: string): PatchMeta {
  const own = target(schema);
  if (own.properties === undefined) throw new Error(`merging an object in json but data type is not struct, instead is: ${goKind(schema)}`);
  const property = Object.hasOwn(own.properties, field) ? own.properties[field] : undefined;
  if (property === undefined) {
    const struct = schema.$ref?.split(".").at(-1) ?? "";
    throw new Error(`unable to find api field in struct ${struct} for the json field ${goQuote(field)}`);
  }
  const strategies = (property["x-kubernetes-patch-strategy"] ?? "").split(",");
  return {
    schema: property,
    strategy: strategies.find((one) => one !== "retainKeys") ?? "",
    mergeKey: property["x-kubernetes-patch-merge-key"] ?? "",
  };
}

/** As {@link fieldMeta}, for the elements of a list. @throws Error when the field is not a list */
export function listMeta(schema: RawSchema, field: string): PatchMeta {
  const meta = fieldMeta(schema, field);
  const { items } = target(meta.schema);
  if (items === undefined && !isPointer(meta.schema)) throw new Error(`expected slice or array type, but got: ${goKind(schema)}`);
  return items === undefined ? meta : { ...meta, schema: items };
}

/** Returns the kind of the Go type, as `reflect` names it. */
export function goKind(schema: RawSchema): string {
  const own = target(schema);
  if (own.properties !== undefined || own.format === "quantity" || own["x-kubernetes-int-or-string"] === true) return "struct";
  switch (own.type) {
    case "array":
      return "slice";
    case "object":
      return own.additionalProperties === undefined ? "struct" : "map";
    case "integer":
      return own.format ?? "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return own.format === "byte" ? "slice" : (own.type ?? "interface");
  }
}

function isPointer({ go = "" }: RawSchema): boolean {
  return go.startsWith("*");
}

/** Returns the schema of the values of a field. */
function target(schema: RawSchema): RawSchema {
  return schema.$ref === undefined ? schema : definition(schema.$ref);
}
