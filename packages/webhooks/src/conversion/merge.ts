/**
 * The three-way merge of a conversion, and the compact form of two of its inputs.
 *
 * - `base`: the hub after `down` and `up`, which is the hub as a client of the other version sees it.
 * - `mine`: the hub.
 * - `theirs`: what the client made of `base`.
 *
 * Guarantees: what the client did not change is as in the hub. What the client changed, added or removed is as the client left it. Objects
 * are merged by field, lists by their type in the schema. Pure; the result may share parts with the inputs.
 */
import { jsonEqual, type JsonSchema } from "@treadle/apimachinery";
import { isObject, type Json, own, put } from "../json.ts";
import { arranged, type Items, itemsOf, keysOf } from "./lists.ts";
import { memberSchema } from "./shape.ts";

/** The inputs of a merge. `undefined` is an absent value; null is a value. */
export interface Sides {
  /** The hub after `down` and `up`. */
  readonly base: unknown;
  /** The hub. */
  readonly mine: unknown;
  /** What the client made of it. */
  readonly theirs: unknown;
}

/** Merges the values of a field with this schema. Without a schema, lists are atomic. */
export function merged({ base, mine, theirs }: Sides, schema: JsonSchema | undefined): unknown {
  if (jsonEqual(base, mine)) return theirs;
  if (jsonEqual(base, theirs)) return mine;
  if (isAtomic(schema)) return theirs;
  if (isObject(mine) && isObject(theirs)) return mergedObjects({ base, mine, theirs }, schema);
  if (!Array.isArray(mine) || !Array.isArray(theirs)) return theirs;
  const lists = itemsOf([Array.isArray(base) ? base : [], mine, theirs], schema);
  const [first = NONE, second = NONE, third = NONE] = lists ?? [];
  return lists === undefined ? theirs : mergedItems({ base: first, mine: second, theirs: third }, schema);
}

/** The two inputs of a merge that are kept between the way down and the way up. */
export interface Kept {
  /** Parts of the base. */
  readonly base: unknown;
  /** Parts of the hub. */
  readonly mine: unknown;
}

/**
 * Returns the parts of both values at which they differ; `undefined` when they are equal. A merge of the parts is a merge of the whole.
 *
 * Members and items that are equal are left out; such an item leaves its keys. `filled` is the base with the hub's defaults: a difference
 * that the defaults remove is not a difference.
 */
export function reduced({ base, mine, filled }: Kept & { readonly filled: unknown }, schema: JsonSchema | undefined): Kept | undefined {
  if (jsonEqual(filled, mine)) return undefined;
  if (isAtomic(schema)) return { base, mine };
  if (isObject(base) && isObject(mine)) return reducedObjects({ base, mine, filled }, schema);
  if (!Array.isArray(base) || !Array.isArray(mine)) return { base, mine };
  const lists =
    schema?.["x-kubernetes-list-type"] === "map" ? itemsOf([base, mine, Array.isArray(filled) ? filled : []], schema) : undefined;
  const [first = NONE, second = NONE, third = NONE] = lists ?? [];
  return lists === undefined ? { base, mine } : reducedItems({ base: first, mine: second, filled: third }, schema);
}

const NONE: Items = new Map();

/** Whether a value is replaced as a whole though it is an object. */
function isAtomic(schema: JsonSchema | undefined): boolean {
  return schema?.["x-kubernetes-map-type"] === "atomic";
}

function mergedObjects(
  { base, mine, theirs }: Sides & { readonly mine: Json; readonly theirs: Json },
  schema: JsonSchema | undefined,
): Json {
  const result: Record<string, unknown> = {};
  for (const name of namesOf(mine, theirs)) {
    const sides = { base: own(base, name), mine: own(mine, name), theirs: own(theirs, name) };
    const value = merged(sides, memberSchema(schema, name));
    if (value !== undefined) put(result, name, value);
  }
  return result;
}

interface ListSides {
  readonly base: Items;
  readonly mine: Items;
  readonly theirs: Items;
}

/** An item of a set has no members, so its presence is merged. */
function mergedItems(sides: ListSides, schema: JsonSchema | undefined): readonly unknown[] {
  const values = new Map<string, unknown>();
  for (const id of new Set([...sides.mine.keys(), ...sides.theirs.keys()])) {
    const item = { base: sides.base.get(id), mine: sides.mine.get(id), theirs: sides.theirs.get(id) };
    const value = merged(item, schema?.items);
    if (value !== undefined) values.set(id, value);
  }
  return arranged(sides, new Set(values.keys())).map((id) => values.get(id));
}

function reducedObjects(
  { base, mine, filled }: Kept & { readonly base: Json; readonly mine: Json; readonly filled: unknown },
  schema: JsonSchema | undefined,
): Kept {
  const kept = { base: {} as Record<string, unknown>, mine: {} as Record<string, unknown> };
  for (const name of namesOf(base, mine)) {
    const [shown, had] = [own(base, name), own(mine, name)];
    // Most members are equal scalars.
    const parts = shown === had ? undefined : reduced({ base: shown, mine: had, filled: own(filled, name) }, memberSchema(schema, name));
    if (parts?.base !== undefined) put(kept.base, name, parts.base);
    if (parts?.mine !== undefined) put(kept.mine, name, parts.mine);
  }
  return kept;
}

/** All items of both lists, for their order; those that are equal by their keys alone. */
function reducedItems(lists: { readonly base: Items; readonly mine: Items; readonly filled: Items }, schema: JsonSchema | undefined): Kept {
  const common = new Map<string, Kept | undefined>();
  for (const [id, mine] of lists.mine) {
    if (lists.base.has(id)) common.set(id, reduced({ base: lists.base.get(id), mine, filled: lists.filled.get(id) }, schema?.items));
  }
  const side = (which: "base" | "mine"): readonly unknown[] =>
    Array.from(lists[which], ([id, item]) => {
      if (!common.has(id)) return item;
      const parts = common.get(id)?.[which];
      return parts === undefined || isObject(parts) ? { ...keysOf(item, schema), ...parts } : parts;
    });
  return { base: side("base"), mine: side("mine") };
}

function namesOf(a: Json, b: Json): readonly string[] {
  const names = Object.keys(a);
  for (const name of Object.keys(b)) if (!Object.hasOwn(a, name)) names.push(name);
  return names;
}
