/**
 * Converts between values and sets of paths (structured-merge-diff `typed`): the fields of an object, and the object without
 * some fields.
 */
import { isObject } from "../internal/json.ts";
import { elementsOf } from "./elements.ts";
import {
  EMPTY_SET,
  fieldElement,
  type FieldSet,
  FieldSetBuilder,
  isEmptySet,
  type PathNode,
  recursiveDifference,
  union,
} from "./field-set.ts";
import { type ListKind, type MapKind, narrow, type TypeDef, visit } from "./field-types.ts";

/** Returns each leaf and list item of an object, which an apply of it owns. */
export function fieldsOf(object: unknown, type: TypeDef): FieldSet {
  const set = new FieldSetBuilder();
  collect(object, type, undefined, set);
  return set.build();
}

/** Returns the value without the paths of a set. A container that lost everything, or that has one owner, becomes null. */
export function removeFields(value: unknown, set: FieldSet, type: TypeDef): unknown {
  return visit(narrow(type, value), {
    scalar: () => value,
    map: (kind) => (isObject(value) && !kind.isAtomic ? removeMembers(value, set, kind) : null),
    list: (kind) => (Array.isArray(value) && kind.relation !== "atomic" ? removeItems(value, set, kind) : null),
  });
}

/** Returns the set with the declared fields that lead to its paths. */
export function withNamedFields(set: FieldSet, type: TypeDef | undefined): FieldSet {
  if (set.children.size === 0) return set;
  const children = new Map<string, FieldSet>();
  for (const [element, sub] of set.children) {
    const isField = element.startsWith("f:");
    const name = element.slice(2);
    const under = isField ? type?.map?.fieldType(name) : element.startsWith("k:") ? type?.list?.items : undefined;
    const full = withNamedFields(sub, under);
    const isNamed = isField && sub.children.size > 0 && type?.map?.declares(name) === true;
    children.set(element, isNamed && !full.isMember ? { ...full, isMember: true } : full);
  }
  return { isMember: set.isMember, children };
}

/** Adapts a set of an older schema: a value that has one owner now is owned as a whole. */
export function reconciled(set: FieldSet, type: TypeDef): FieldSet {
  const whole = new FieldSetBuilder();
  let isChanged = false;
  const walk = (at: FieldSet, kind: TypeDef, path: PathNode | undefined): void => {
    const isAtomic = visit(kind, {
      scalar: () => false,
      map: (map) => !map.isDeduced && map.isAtomic,
      list: (list) => list.relation === "atomic",
    });
    if (isAtomic) {
      if (at.children.size === 0 || path === undefined) return;
      whole.add(path);
      isChanged = true;
      return;
    }
    for (const [element, sub] of at.children) {
      const under = childType(kind, element);
      if (under !== undefined) walk(sub, under, { parent: path, element });
    }
  };
  walk(set, type, undefined);
  if (!isChanged) return set;
  const owned = whole.build();
  return union(recursiveDifference(set, owned), owned);
}

function collect(value: unknown, type: TypeDef, path: PathNode | undefined, set: FieldSetBuilder): void {
  visit(narrow(type, value), {
    scalar: () => set.add(path),
    list: (kind) => {
      if (kind.relation === "atomic") set.add(path);
      else if (Array.isArray(value)) collectItems(value, kind, path, set);
    },
    map: (kind) => {
      if (kind.isAtomic) set.add(path);
      else if (isObject(value)) collectMembers(value, kind, path, set);
    },
  });
}

function collectMembers(map: Readonly<Record<string, unknown>>, kind: MapKind, path: PathNode | undefined, set: FieldSetBuilder): void {
  for (const field in map) {
    const value = map[field];
    const at: PathNode = { parent: path, element: fieldElement(field) };
    collect(value, kind.fieldType(field) ?? {}, at, set);
    const isBare = value === null || (isObject(value) && Object.keys(value).length === 0);
    if (isBare || !kind.declares(field)) set.add(at);
  }
}

function collectItems(list: readonly unknown[], kind: ListKind, path: PathNode | undefined, set: FieldSetBuilder): void {
  const items = elementsOf(kind, list);
  const counts = new Map<string, number>();
  for (const { element } of items) counts.set(element, (counts.get(element) ?? 0) + 1);
  for (const { element, item } of items) {
    const at: PathNode = { parent: path, element };
    // Of duplicate items only the path is owned.
    if (counts.get(element) === 1) collect(item, kind.items, at, set);
    set.add(at);
  }
}

function removeMembers(map: Readonly<Record<string, unknown>>, set: FieldSet, kind: MapKind): unknown {
  const rest: Record<string, unknown> = {};
  let isEmpty = true;
  for (const field in map) {
    const sub = set.children.get(fieldElement(field)) ?? EMPTY_SET;
    if (sub.isMember) continue;
    rest[field] = isEmptySet(sub) ? map[field] : removeFields(map[field], sub, kind.fieldType(field) ?? {});
    isEmpty = false;
  }
  return isEmpty ? null : rest;
}

function removeItems(list: readonly unknown[], set: FieldSet, kind: ListKind): unknown {
  const rest: unknown[] = [];
  for (const { element, item } of elementsOf(kind, list)) {
    const sub = set.children.get(element) ?? EMPTY_SET;
    if (sub.isMember) continue;
    rest.push(isEmptySet(sub) ? item : removeFields(item, sub, kind.items));
  }
  return rest.length === 0 ? null : rest;
}

function childType(type: TypeDef, element: string): TypeDef | undefined {
  return visit(type, {
    scalar: () => undefined,
    map: (kind) => (kind.isDeduced ? undefined : kind.fieldType(element.startsWith("f:") ? element.slice(2) : "")),
    list: (kind) => kind.items,
  });
}
