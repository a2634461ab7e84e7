/** Turns a generated definition into a zod schema. A definition that occurs twice in a schema becomes one zod schema. */
import { z } from "zod";
import type { Definition, ObjectJson, SchemaJson } from "./definition.ts";

/** Options of the functions of `@treadle/apimachinery/schemas`. */
export interface SchemaOptions {
  /**
   * Whether the CRD has the descriptions of Kubernetes, which `kubectl explain` prints. They are three quarters of the CRD of a pod template.
   * @defaultValue true
   */
  readonly descriptions?: boolean;
}

/** Returns the zod schema of `definition`. Each call makes a new schema. */
export function objectSchema(definition: Definition, { descriptions = true }: SchemaOptions = {}): z.ZodObject {
  return objectOf(definition, { descriptions, made: new Map() });
}

/** The pattern of a quantity, as controller-gen writes it. */
const QUANTITY = /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/;

/** Returns the schema of a quantity. */
export function quantitySchema(): z.ZodType<string | number, string | number> {
  return z.union([z.int(), z.string().regex(QUANTITY)]);
}

/** Returns the schema of an integer or a string. */
export function intOrStringSchema(): z.ZodType<string | number, string | number> {
  return z.union([z.int32(), z.string()]);
}

interface Context {
  readonly descriptions: boolean;
  readonly made: Map<Definition, z.ZodObject>;
}

function objectOf(definition: Definition, context: Context): z.ZodObject {
  const known = context.made.get(definition);
  if (known !== undefined) return known;
  const json = JSON.parse(definition.json) as ObjectJson; // written by tools/schemas
  const refs = definition.refs();
  const required = new Set(json.required);
  const shape = Object.fromEntries(
    Object.entries(json.properties).map(([name, field]) => [name, fieldOf(field, required.has(name), refs, context)]),
  );
  const made = z.object(shape);
  annotate(made, json, context);
  context.made.set(definition, made);
  return made;
}

type Refs = Readonly<Record<string, Definition>>;

/** The text of a type is that of a field with this type, unless the field has its own. So the field needs a schema of its own. */
function fieldOf(json: SchemaJson, isRequired: boolean, refs: Refs, context: Context): z.ZodType {
  const value = valueOf(json, refs, context);
  const field =
    json.default !== undefined
      ? value.default(json.default)
      : !isRequired
        ? value.exactOptional()
        : json.$ref !== undefined
          ? value.clone()
          : value;
  annotate(field, json, context);
  return field;
}

function elementOf(json: SchemaJson | undefined, refs: Refs, context: Context): z.ZodType {
  if (json === undefined) throw new Error("unreachable: a generated list or map has no elements");
  return fieldOf(json, true, refs, context);
}

function valueOf(json: SchemaJson, refs: Refs, context: Context): z.ZodType {
  if (json.$ref !== undefined) {
    const target = refs[json.$ref];
    if (target === undefined) throw new Error(`unreachable: the generated refs lack ${json.$ref}`);
    return objectOf(target, context);
  }
  switch (json.type) {
    case "object":
      return z.record(z.string(), elementOf(json.additionalProperties, refs, context));
    case "array":
      return z.array(elementOf(json.items, refs, context));
    case "string":
      return json.enum === undefined ? z.string() : z.enum(json.enum);
    case "integer":
      return json.format === "int32" ? z.int32() : z.int();
    case "boolean":
      return z.boolean();
    case "quantity":
      return quantitySchema();
    case "intOrString":
      return intOrStringSchema();
    default:
      throw new Error("unreachable: a generated schema has neither a type nor a reference");
  }
}

/** Adds the description and the `x-kubernetes-*` keywords of `json` to a new schema. `.meta()` would copy the schema, which is slow. */
function annotate(schema: z.ZodType, json: SchemaJson, { descriptions }: Context): void {
  const { description, ...rest } = json;
  const keywords = Object.entries(rest).filter(([keyword]) => keyword.startsWith("x-kubernetes-"));
  if (!descriptions && keywords.length === 0) return;
  schema.register(z.globalRegistry, {
    ...(descriptions && description !== undefined ? { description } : {}),
    ...Object.fromEntries(keywords),
  });
}
