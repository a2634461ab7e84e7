/**
 * What an API server makes of an object by its structural schema: fields without a schema are pruned, defaults are filled in.
 * The result shares its unchanged parts with the input, which never changes.
 *
 * The in-memory API server has this too, in two walks that report unknown fields. With these a conversion takes 40 % more processor time.
 */
import type { JsonSchema } from "@treadle/apimachinery";
import { isObject, type Json, own, put } from "../json.ts";

/** Returns the schema of a member of an object; `undefined` where the schema says nothing. */
export function memberSchema(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  if (schema === undefined) return undefined;
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/**
 * Returns the value without fields that the schema does not know, without members that are `undefined`, and without nulls that the schema
 * does not allow. With `fill` it gets the defaults of the schema.
 */
export function shaped(value: unknown, schema: JsonSchema, fill: boolean): unknown {
  if (Array.isArray(value)) return shapedList(value, schema, fill);
  return isObject(value) ? shapedObject(value, schema, fill) : value;
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function shapedList(list: readonly unknown[], schema: JsonSchema, fill: boolean): readonly unknown[] {
  const { items } = schema;
  if (items === undefined) return list;
  // A list that preserves unknown fields preserves them in its items as well.
  const item: JsonSchema = schema[PRESERVE] === true && items[PRESERVE] !== true ? { ...items, [PRESERVE]: true } : items;
  let result: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const after = shaped(list[i], item, fill);
    if (after !== list[i]) (result ??= [...list])[i] = after;
  }
  return result ?? list;
}

function shapedObject(object: Json, schema: JsonSchema, fill: boolean): Json {
  let result: Record<string, unknown> | undefined;
  for (const name of Object.keys(object)) {
    const before = object[name];
    const member = memberSchema(schema, name);
    // Most members are scalars, which have no shape.
    if (member !== undefined && (typeof before === "string" || typeof before === "number")) continue;
    const after = isKept(name, member, schema) ? before : shapedMember(before, member, fill);
    if (after === before && before !== undefined) continue;
    result ??= { ...object };
    if (after === undefined) delete result[name];
    else put(result, name, after);
  }
  const { properties } = schema;
  if (!fill || properties === undefined) return result ?? object;
  // A schema is made of plain objects, which inherit nothing that is enumerable.
  for (const name in properties) {
    const member = properties[name];
    if (member?.default === undefined || own(result ?? object, name) !== undefined) continue;
    put((result ??= { ...object }), name, shaped(member.default, member, fill));
  }
  return result ?? object;
}

function shapedMember(value: unknown, schema: JsonSchema | undefined, fill: boolean): unknown {
  // A null that is not allowed is absent. A server fills in the default for it, as for every absent member.
  if (schema === undefined || value === undefined || (value === null && schema.nullable !== true)) return undefined;
  return shaped(value, schema, fill);
}

/** Whether a member stays as it is without a schema of its own. */
function isKept(name: string, member: JsonSchema | undefined, of: JsonSchema): boolean {
  if (of["x-kubernetes-embedded-resource"] === true && META_FIELDS.has(name)) return true;
  return member === undefined && (of[PRESERVE] === true || of.additionalProperties === true);
}

const PRESERVE = "x-kubernetes-preserve-unknown-fields";
