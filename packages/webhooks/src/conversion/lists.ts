/**
 * Lists whose items have an identity: lists of type `map` by their keys, lists of type `set` by value. All other lists are atomic.
 *
 * Order of a merged list: the client's. An item that only the hub has follows the item that it follows in the hub, or is at the front. So a
 * client reads its list as it wrote it, and a second write of the same list changes nothing.
 */
import type { JsonSchema } from "@treadle/apimachinery";
import { canonical, isObject, own } from "../json.ts";

/** The items of a list by identity, in the order of the list. */
export type Items = ReadonlyMap<string, unknown>;

/** Returns the items of lists by identity; `undefined` when one of them is atomic or has an item twice. */
export function itemsOf(lists: readonly (readonly unknown[])[], schema: JsonSchema | undefined): readonly Items[] | undefined {
  const identify = identityOf(schema);
  if (identify === undefined) return undefined;
  const all: Items[] = [];
  for (const list of lists) {
    const items = new Map<string, unknown>();
    for (const item of list) {
      const id = identify(item);
      if (id === undefined || items.has(id)) return undefined;
      items.set(id, item);
    }
    all.push(items);
  }
  return all;
}

/** Returns the fields of an item that identify it. */
export function keysOf(item: unknown, schema: JsonSchema | undefined): Record<string, unknown> {
  const keys = schema?.["x-kubernetes-list-map-keys"] ?? [];
  return Object.fromEntries(keys.map((key) => [key, own(item, key)] as const).filter(([, value]) => value !== undefined));
}

/** Returns the identities of `has` in the order of a merged list. */
export function arranged({ mine, theirs }: { readonly mine: Items; readonly theirs: Items }, has: ReadonlySet<string>): readonly string[] {
  const behind = new Map<string | undefined, string[]>();
  let last: string | undefined;
  for (const id of mine.keys()) {
    if (!has.has(id)) continue;
    if (theirs.has(id)) last = id;
    else {
      const group = behind.get(last);
      if (group === undefined) behind.set(last, [id]);
      else group.push(id);
    }
  }
  const order = [...theirs.keys()].filter((id) => has.has(id));
  return [...(behind.get(undefined) ?? []), ...order.flatMap((id) => [id, ...(behind.get(id) ?? [])])];
}

/** Returns the function that identifies an item; it returns `undefined` for an item without identity. */
function identityOf(schema: JsonSchema | undefined): ((item: unknown) => string | undefined) | undefined {
  const type = schema?.["x-kubernetes-list-type"];
  if (type === "set") return canonical;
  const keys = schema?.["x-kubernetes-list-map-keys"];
  if (type !== "map" || keys === undefined) return undefined;
  const properties = schema?.items?.properties;
  return (item) => {
    if (!isObject(item)) return undefined;
    const values = keys.map((key) => own(item, key) ?? (own(properties, key) as JsonSchema | undefined)?.default ?? null);
    return values.some((value) => typeof value === "object" && value !== null) ? undefined : JSON.stringify(values);
  };
}
