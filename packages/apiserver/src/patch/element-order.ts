/**
 * Orders merged lists. Elements that the patch names have its order, the others that of the stored list. The stored list
 * decides how the two are interleaved.
 */
import { goDynamicType, goValue, isObject, type JsonObject } from "../internal/json.ts";

/** The two parts of a merged list: elements that the patch (or its order) names, and elements that only the server has. */
export interface Parts {
  readonly named: readonly unknown[];
  readonly serverOnly: readonly unknown[];
}

export interface Ordering {
  readonly order: readonly unknown[];
  readonly serverOrder: readonly unknown[];
  /** Merge key; empty for lists of strings and numbers. */
  readonly mergeKey: string;
  readonly isMaps: boolean;
}

/** Splits a merged list. @throws Error when an element has no merge key */
export function partition(merged: readonly unknown[], names: readonly unknown[], mergeKey: string): Parts {
  const [named, serverOnly]: [unknown[], unknown[]] = [[], []];
  if (mergeKey !== "") keysChecked(merged, mergeKey);
  const known = new Set(names.map((item) => identity(item, mergeKey)));
  for (const item of merged) (known.has(identity(item, mergeKey)) ? named : serverOnly).push(item);
  return { named, serverOnly };
}

/** Orders a merged list. @throws Error when an element has no merge key */
export function arrange({ named, serverOnly }: Parts, { order, serverOrder, mergeKey, isMaps }: Ordering): readonly unknown[] {
  if (isMaps) for (const list of [named, order, serverOnly, serverOrder]) keysChecked(list, mergeKey);
  const positions = positionsIn(serverOrder, mergeKey);
  const left = sorted(serverOnly, positions, mergeKey);
  const right = sorted(named, positionsIn(order, mergeKey), mergeKey);
  const woven: unknown[] = [];
  let next = 0;
  for (const item of right) {
    const limit = positions.get(identity(item, mergeKey));
    while (next < left.length) {
      const at = positions.get(identity(left[next], mergeKey));
      if (at === undefined || limit === undefined || at >= limit) break;
      woven.push(left[next++]);
    }
    woven.push(item);
  }
  return [...woven, ...left.slice(next)];
}

/** Returns the kind of the elements of both lists. @throws Error when they differ */
export function elementKind(...lists: readonly (readonly unknown[])[]): string {
  let kind: string | undefined;
  for (const item of lists.flat(1)) {
    const own = kindOf(item);
    if (kind === undefined && own === "list") throw new Error("lists of lists are not supported");
    if (kind !== undefined && kind !== own) throw new Error(`list element types are not identical: ${goValue(lists)}`);
    kind = own;
  }
  if (kind === undefined) throw new Error("no elements in any of the given slices");
  return kind;
}

/** Returns the list. @throws Error when an element is not a map, or has no merge key */
export function keysChecked<T>(list: readonly T[], mergeKey: string): readonly T[] {
  for (const item of list) {
    if (!isObject(item))
      throw new Error(`expected a map[string]interface {}, but received a ${item === null ? "%!s(<nil>)" : goDynamicType(item)}`);
    if (!Object.hasOwn(item, mergeKey)) throw new Error(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return list;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return isObject(value) ? "map" : value === null ? "null" : goDynamicType(value);
}

function identity(item: unknown, mergeKey: string): unknown {
  return mergeKey !== "" && isObject(item) ? (item as JsonObject)[mergeKey] : item;
}

/** Returns the first index of each element. */
function positionsIn(list: readonly unknown[], mergeKey: string): ReadonlyMap<unknown, number> {
  const positions = new Map<unknown, number>();
  list.forEach((item, i) => {
    const key = identity(item, mergeKey);
    if (!positions.has(key)) positions.set(key, i);
  });
  return positions;
}

/** Sorts by insertion, as Go sorts short lists. An element without a position goes before all sorted elements. */
function sorted(list: readonly unknown[], positions: ReadonlyMap<unknown, number>, mergeKey: string): readonly unknown[] {
  const result = [...list];
  const isBefore = (a: unknown, b: unknown): boolean => {
    const [first, second] = [positions.get(identity(a, mergeKey)), positions.get(identity(b, mergeKey))];
    return first === undefined || second === undefined || first < second;
  };
  for (let i = 1; i < result.length; i++)
    for (let j = i; j > 0 && isBefore(result[j], result[j - 1]); j--) [result[j - 1], result[j]] = [result[j], result[j - 1]];
  return result;
}
