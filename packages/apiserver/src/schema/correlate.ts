/** Which old value a new one continues: by field name, items of lists by their keys. */
import { isObject } from "../internal/json.ts";
import type { CompiledSchema } from "./schema.ts";

/** Finds the old item that a new one continues; only items of list-maps have one. */
export function correlateItems(old: unknown, schema: CompiledSchema): (item: unknown) => { readonly value: unknown } | undefined {
  if (schema.listType !== "map" || !Array.isArray(old)) return () => undefined;
  const byKey = new Map<string, unknown>();
  for (const item of old) byKey.set(mapKeyOf(item, schema.mapKeys), item);
  return (item) => {
    const value = byKey.get(mapKeyOf(item, schema.mapKeys));
    return value === undefined ? undefined : { value };
  };
}

/** The path of a field below another. */
export function child(path: string, field: string): string {
  return path === "" ? field : `${path}.${field}`;
}

function mapKeyOf(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isObject(item) ? (item[key] ?? null) : null)));
}
