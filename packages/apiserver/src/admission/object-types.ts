/** Types of objects for the type check of policies: those of OpenAPI, as kube-controller-manager resolves them. */
import { definition, definitionOf, type RawSchema } from "../builtin/schemas.ts";
import { escapeName } from "../cel/escaping.ts";
import { plain, STRING, type Type, typeOfSchema } from "../cel/types.ts";
import type { Served } from "../storage/registry.ts";

/** Returns the type of a served kind, or `undefined` when it has none. `name` is the name of the type in messages. */
export function typeOfKind({ type, version }: Served, name: string): Type | undefined {
  if (!type.isCustom) {
    const of = definitionOf(type, version);
    return of === undefined ? undefined : typeOf({ $ref: of }, name, []);
  }
  const root = version.schema && typeOfSchema(version.schema, true, name);
  if (root?.type !== "object") return undefined;
  const metadata = typeOf({ $ref: METADATA }, `${name}.metadata`, []);
  return { ...root, fields: new Map([...root.fields, ...(metadata === undefined ? [] : [["metadata", metadata] as const])]) };
}

const METADATA = "meta.v1.ObjectMeta";

const FORMATS: Readonly<Record<string, string>> = { byte: "bytes", duration: "duration", date: "timestamp", "date-time": "timestamp" };
/** Formats whose schemas have several types in the OpenAPI of version 3, so that expressions do not see them. */
const UNTYPED: ReadonlySet<string> = new Set(["quantity"]);

/** Returns the type of a schema. `open` has the definitions that the schema is in; one of them is an object without fields. */
function typeOf(schema: RawSchema, name: string, open: readonly string[]): Type | undefined {
  const { $ref } = schema;
  if ($ref !== undefined && open.includes($ref)) return { type: "object", name, fields: new Map() };
  const within = $ref === undefined ? open : [...open, $ref];
  const {
    type,
    format = "",
    items,
    additionalProperties,
    properties = {},
    ...rest
  } = { ...($ref === undefined ? {} : definition($ref)), ...schema };
  if (rest["x-kubernetes-int-or-string"] === true) return { type: "dyn" };
  switch (type) {
    case "array": {
      const item = items && typeOf(items, `${name}.@idx`, within);
      return item && { type: "list", item };
    }
    case "object": {
      if (additionalProperties !== undefined) {
        const value = typeOf(additionalProperties, `${name}.@elem`, within);
        return value && { type: "map", key: STRING, value };
      }
      const fields = Object.entries(properties).flatMap(([property, sub]) => {
        const escaped = escapeName(property);
        const of = escaped === undefined ? undefined : typeOf(sub, `${name}.${escaped}`, within);
        return escaped === undefined || of === undefined ? [] : [[escaped, of] as const];
      });
      return { type: "object", name, fields: new Map(fields) };
    }
    case "string":
      return UNTYPED.has(format) ? undefined : plain(FORMATS[format === "micro-time" ? "date-time" : format] ?? "string");
    case "boolean":
      return plain("bool");
    case "integer":
      return plain("int");
    case "number":
      return plain("double");
    default:
      return undefined;
  }
}
