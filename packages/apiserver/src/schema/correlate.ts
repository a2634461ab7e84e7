/** Finds the old value of a new one: fields by their name, items of list-maps by their keys. */
import { isObject } from "../internal/json.ts";
import type { CompiledSchema } from "./schema.ts";

/** Returns a function that finds the old item of a new one. Only items of list-maps have one. */
export function correlateItems(old: unknown, schema: CompiledSchema): (item: unknown) => { readonly value: unknown } | undefined {
  if (schema.listType !== "map" || !Array.isArray(old)) return () => undefined;
  const byKey = new Map<string, unknown>();
  for (const item of old) byKey.set(mapKeyOf(item, schema.mapKeys), item);
  return (item) => {
    const value = byKey.get(mapKeyOf(item, schema.mapKeys));
    return value === undefined ? undefined : { value };
  };
}

/** Returns the path of a field below another one. */
export function child(path: string, field: string): string {
  return path === "" ? field : `${path}.${field}`;
}

function mapKeyOf(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => (isObject(item) ? (item[key] ?? null) : null)));
}
