/** Compares two versions of an object and returns the changed paths as sets (structured-merge-diff `typed.Compare`). */
import { jsonEqual } from "@treadle/apimachinery";
import { isObject } from "../internal/json.ts";
import { fits } from "./check-type.ts";
import { elementsOf } from "./elements.ts";
import { difference, fieldElement, type FieldSet, FieldSetBuilder, type PathNode, recursiveDifference } from "./field-set.ts";
import { DEDUCED, type ListKind, type MapKind, narrow, type Scalar, type TypeDef, visit } from "./field-types.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** Compares two objects. `undefined`: the object does not exist. */
export function compareObjects(before: unknown, after: unknown, type: TypeDef): Comparison {
  const sets = { added: new FieldSetBuilder(), removed: new FieldSetBuilder(), modified: new FieldSetBuilder() };
  compareFields(isObject(before) ? before : {}, isObject(after) ? after : {}, (type.map ?? DEDUCED.map) as MapKind, {
    path: undefined,
    sets,
  });
  return { added: sets.added.build(), removed: sets.removed.build(), modified: sets.modified.build() };
}

/** Removes fields, and everything below them, from a comparison. */
export function withoutFields({ added, removed, modified }: Comparison, fields: FieldSet): Comparison {
  return {
    added: recursiveDifference(added, fields),
    removed: recursiveDifference(removed, fields),
    modified: recursiveDifference(modified, fields),
  };
}

/** Returns the paths of a set that did not change. */
export function unchanged(set: FieldSet, { added, removed, modified }: Comparison): FieldSet {
  return difference(difference(difference(set, modified), added), removed);
}

interface Place {
  readonly path: PathNode | undefined;
  readonly sets: { readonly added: FieldSetBuilder; readonly removed: FieldSetBuilder; readonly modified: FieldSetBuilder };
}

type Values = Readonly<Record<string, unknown>>;

/** Compares two values. `undefined`: absent. */
function compare(before: unknown, after: unknown, type: TypeDef, place: Place): void {
  if (before === after) return;
  const [was, is] = [narrow(type, before), narrow(type, after)];
  let isLeaf: boolean;
  if (after === undefined) isLeaf = compareAs(before, after, was, place);
  else {
    if (before !== undefined && !isSameKind(was, is)) compareAs(before, after, was, place);
    isLeaf = compareAs(before, after, is, place);
  }
  if (isLeaf) return;
  // An added or removed container has its own path, in addition to those of its content.
  if (before === undefined) place.sets.added.add(place.path);
  else if (after === undefined) place.sets.removed.add(place.path);
}

/** Compares values as a whole if their type requires it, and reports whether it did. */
function compareAs(before: unknown, after: unknown, type: TypeDef, place: Place): boolean {
  return visit(type, {
    scalar: (kind) => {
      if (fitsOrAbsent(before, kind) || fitsOrAbsent(after, kind)) compareLeaves(before, after, place);
      return true;
    },
    map: (kind) => {
      const [was, is]: readonly [Values, Values] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
      if (kind.isAtomic || (isEmpty(was) && isEmpty(is))) return compareLeaves(before, after, place);
      compareFields(was, is, kind, place);
      return false;
    },
    list: (kind) => {
      const [was, is] = [Array.isArray(before) ? before : [], Array.isArray(after) ? after : []];
      if (kind.relation === "atomic" || (was.length === 0 && is.length === 0)) return compareLeaves(before, after, place);
      compareItems(was, is, kind, place);
      return false;
    },
  });
}

function compareLeaves(before: unknown, after: unknown, { path, sets }: Place): true {
  if (before === undefined) sets.added.add(path);
  else if (after === undefined) sets.removed.add(path);
  else if (!jsonEqual(before, after)) sets.modified.add(path);
  return true;
}

function compareFields(before: Values, after: Values, kind: MapKind, { path, sets }: Place): void {
  const descend = (name: string): void => {
    const was = Object.hasOwn(before, name) ? before[name] : undefined;
    const is = Object.hasOwn(after, name) ? after[name] : undefined;
    if (was === is) return;
    compare(was, is, kind.fieldType(name) ?? DEDUCED, { path: { parent: path, element: fieldElement(name) }, sets });
  };
  for (const name in after) descend(name);
  for (const name in before) if (!Object.hasOwn(after, name)) descend(name);
}

function compareItems(before: readonly unknown[], after: readonly unknown[], kind: ListKind, { path, sets }: Place): void {
  const [were, are] = [grouped(before, kind), grouped(after, kind)];
  for (const element of new Set([...were.keys(), ...are.keys()])) {
    const [was, is] = [were.get(element) ?? [], are.get(element) ?? []];
    const at: Place = { path: { parent: path, element }, sets };
    if (was.length <= 1 && is.length <= 1) compare(was[0], is[0], kind.items, at);
    else if (was.length >= 2 && is.length >= 2) {
      // Duplicate items are one value, and paths below them are ignored.
      if (!jsonEqual(was, is)) sets.modified.add(at.path);
    } else if (was.length >= 2) {
      if (is.length > 0) compare(undefined, is[0], kind.items, at);
      sets.removed.add(at.path);
    } else {
      if (was.length > 0) compare(was[0], undefined, kind.items, at);
      sets.added.add(at.path);
    }
  }
}

function grouped(list: readonly unknown[], kind: ListKind): ReadonlyMap<string, readonly unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const { element, item } of elementsOf(kind, list)) {
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

function isSameKind(a: TypeDef, b: TypeDef): boolean {
  return a.map === b.map && a.list === b.list && a.scalar === b.scalar;
}

function fitsOrAbsent(value: unknown, kind: Scalar): boolean {
  return value === undefined || value === null || fits(value, kind);
}

function isEmpty(map: Values): boolean {
  for (const _ in map) return false;
  return true;
}
