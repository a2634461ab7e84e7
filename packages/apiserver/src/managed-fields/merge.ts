/** Merges an applied configuration into an object (structured-merge-diff `typed.Merge`). Removes nothing. */
import { isObject } from "../internal/json.ts";
import { elementsOf } from "./elements.ts";
import { type ListKind, type MapKind, narrow, type TypeDef, visit } from "./field-types.ts";

type Values = Readonly<Record<string, unknown>>;

/** Returns the merged value without modifying the arguments. `undefined` means absent, also in the result. */
export function merge(live: unknown, applied: unknown, type: TypeDef): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  return visit(narrow(type, applied), {
    scalar: () => applied,
    map: (kind) => mergeMaps(live, applied, kind),
    list: (kind) => mergeLists(live, applied, kind),
  });
}

function mergeMaps(live: unknown, applied: unknown, kind: MapKind): unknown {
  const [old, given]: readonly [Values, Values] = [isObject(live) ? live : {}, isObject(applied) ? applied : {}];
  const [oldKeys, givenKeys] = [Object.keys(old), Object.keys(given)];
  // Empty and null differ only when there is nothing to merge.
  if (kind.isAtomic || (oldKeys.length === 0 && givenKeys.length === 0)) return applied;
  const merged: Record<string, unknown> = {};
  for (const key of new Set([...oldKeys, ...givenKeys])) {
    const was = Object.hasOwn(old, key) ? old[key] : undefined;
    const is = Object.hasOwn(given, key) ? given[key] : undefined;
    const value = merge(was, is, kind.fieldType(key) ?? {});
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

function mergeLists(live: unknown, applied: unknown, kind: ListKind): unknown {
  const [old, given]: readonly [readonly unknown[], readonly unknown[]] = [
    Array.isArray(live) ? live : [],
    Array.isArray(applied) ? applied : [],
  ];
  if (kind.relation === "atomic" || (old.length === 0 && given.length === 0)) return applied;
  const merged = mergeItems(elementsOf(kind, old), elementsOf(kind, given), kind.items);
  return merged.length === 0 ? undefined : merged;
}

interface Item {
  readonly element: string;
  readonly item: unknown;
}

/** Merges items in the order of both lists. Applied items keep their order; the others keep their place between items of both lists. */
function mergeItems(old: readonly Item[], given: readonly Item[], type: TypeDef): unknown[] {
  const [were, are] = [byElement(old), byElement(given)];
  const shared = given.map(({ element }) => element).filter((element) => were.has(element));
  const taken = new Set<string>();
  const merged: unknown[] = [];
  let next = 0; // of the items that both have, the one that is wanted
  let i = 0;
  let j = 0;
  const take = (element: string): void => {
    taken.add(element);
    merged.push(merge(were.get(element), are.get(element), type));
    if (shared[next] === element) next++;
    j++;
  };
  while (i < old.length || j < given.length) {
    const was = old[i];
    const is = given[j];
    if (was !== undefined && is !== undefined) {
      if (was.element === is.element) {
        i++;
        take(is.element);
        continue;
      }
      if (are.has(was.element) && next < shared.length && shared[next] !== was.element) {
        i++;
        continue;
      }
    }
    if (was !== undefined) {
      if (!are.has(was.element)) {
        merged.push(was.item);
        i++;
        continue;
      }
      if (taken.has(was.element)) i++;
    }
    if (is !== undefined) take(is.element);
  }
  return merged;
}

/** Returns the items by element. The values of duplicate items are unknown. */
function byElement(items: readonly Item[]): ReadonlyMap<string, unknown> {
  const map = new Map<string, unknown>();
  for (const { element, item } of items) map.set(element, map.has(element) ? null : item);
  return map;
}
