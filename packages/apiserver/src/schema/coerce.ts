/**
 * Pruning and defaulting by a structural schema. Both leave their input unchanged, and return the same reference when nothing
 * changes, so frozen objects are fine.
 */
import { isObject, type JsonObject } from "../internal/json.ts";
import type { CompiledSchema } from "./schema.ts";

/**
 * Returns `object` without the fields that the schema does not know, and adds their paths to `unknown`. `apiVersion`, `kind`
 * and `metadata` of the root and of embedded objects stay.
 */
export function pruneObject<T extends JsonObject>(object: T, schema: CompiledSchema | undefined, unknown?: string[]): T {
  const root: CompiledSchema | undefined = schema === undefined ? undefined : { ...schema, isEmbedded: true };
  return prune(object, root, "", unknown) as T; // the root is never removed
}

/** Returns `object` with the defaults of the schema. Nulls that the schema does not allow are removed, unless it `keepsNulls`. */
export function applyDefaults<T extends JsonObject>(object: T, schema: CompiledSchema, keepsNulls = false): T {
  return withDefaults(object, schema, { keepsNulls, fills: true }) as T; // an object stays one
}

/** Returns `object` without the nulls that the schema does not allow, unless the field has a default. No default is filled in. */
export function dropNulls<T extends JsonObject>(object: T, schema: CompiledSchema): T {
  return withDefaults(object, schema, { keepsNulls: false, fills: false }) as T; // an object stays one
}

interface How {
  readonly keepsNulls: boolean;
  readonly fills: boolean;
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function prune(value: unknown, schema: CompiledSchema | undefined, path: string, unknown: string[] | undefined): unknown {
  if (Array.isArray(value)) {
    const items = schema?.items;
    if (schema?.preservesUnknown && items === undefined) return value;
    return mapList(value, (item, i) => prune(item, preserved(items, schema), `${path}[${i}]`, unknown));
  }
  if (!isObject(value)) return value;
  let result: JsonObject | undefined;
  for (const field in value) {
    if (schema?.isEmbedded && META_FIELDS.has(field)) continue;
    const property = schema?.properties.get(field);
    const sub = property ?? (schema?.additional === true ? undefined : schema?.additional);
    const at = path === "" ? field : `${path}.${field}`;
    if (sub === undefined && schema?.additional !== true) {
      if (schema?.preservesUnknown) continue;
      unknown?.push(at);
      result ??= { ...value };
      delete result[field];
      continue;
    }
    const before = value[field];
    const after = prune(before, sub, at, unknown);
    if (after !== before) (result ??= { ...value })[field] = after;
  }
  return result ?? value;
}

/** In a list whose schema preserves unknown fields, items are pruned only where they are specified. */
function preserved(items: CompiledSchema | undefined, list: CompiledSchema | undefined): CompiledSchema | undefined {
  return items !== undefined && list?.preservesUnknown ? { ...items, preservesUnknown: true } : items;
}

function withDefaults(value: unknown, schema: CompiledSchema | undefined, how: How): unknown {
  if (schema === undefined || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    return mapList(value, (item) =>
      withDefaults(how.fills && item === null && !items.isNullable && items.default ? items.default.value : item, items, how),
    );
  }
  const object = value as JsonObject; // neither null nor a list
  let result: JsonObject | undefined;
  for (const field in object) {
    const sub = schema.properties.get(field) ?? (schema.additional === true ? undefined : schema.additional);
    if (sub === undefined) continue;
    const before = object[field];
    if (before === null && !sub.isNullable && sub.default === undefined) {
      if (how.keepsNulls) continue;
      result ??= { ...object };
      delete result[field];
      continue;
    }
    const after = withDefaults(how.fills && before === null && !sub.isNullable ? sub.default?.value : before, sub, how);
    if (after !== before) (result ??= { ...object })[field] = after;
  }
  for (const [field, sub] of how.fills ? schema.properties : []) {
    if (sub.default === undefined || Object.hasOwn(object, field)) continue;
    (result ??= { ...object })[field] = withDefaults(sub.default.value, sub, how);
  }
  return result ?? object;
}

function mapList(list: readonly unknown[], map: (item: unknown, index: number) => unknown): readonly unknown[] {
  let result: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const after = map(list[i], i);
    if (after !== list[i]) (result ??= [...list])[i] = after;
  }
  return result ?? list;
}
