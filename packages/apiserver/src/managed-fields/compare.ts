/**
 * What changed between two versions of an object, as sets of paths (structured-merge-diff `typed.Compare`).
 * Maps are compared by field, lists as their schema says; without a schema lists are atomic.
 */
import { jsonEqual } from "@treadle/apimachinery";
import type { CompiledSchema } from "../crd/schema.ts";
import { isObject } from "../internal/json.ts";
import { fieldElement, type FieldSet, FieldSetBuilder, keyElement, type PathNode, valueElement } from "./field-set.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** Compares two objects (`undefined`: there is none). `schema` describes them; absent, it is deduced from the values. */
export function compareObjects(before: unknown, after: unknown, schema: CompiledSchema | undefined): Comparison {
  const sets = { added: new FieldSetBuilder(), removed: new FieldSetBuilder(), modified: new FieldSetBuilder() };
  compareMaps(isObject(before) ? before : {}, isObject(after) ? after : {}, { schema, path: undefined, sets });
  return { added: sets.added.build(), removed: sets.removed.build(), modified: sets.modified.build() };
}

/** The items of a list by their path element, or `undefined` where it cannot be taken apart (repeated or missing keys). */
export function itemsByElement(list: readonly unknown[], schema: CompiledSchema): Map<string, unknown> | undefined {
  const items = new Map<string, unknown>();
  for (const item of list) {
    const element = schema.listType === "set" ? valueElement(item) : elementOf(item, schema);
    if (element === undefined || items.has(element)) return undefined;
    items.set(element, item);
  }
  return items;
}

interface Place {
  readonly schema: CompiledSchema | undefined;
  readonly path: PathNode | undefined;
  readonly sets: { readonly added: FieldSetBuilder; readonly removed: FieldSetBuilder; readonly modified: FieldSetBuilder };
}

type Values = Readonly<Record<string, unknown>>;

const NOTHING: Values = {};

function compare(before: unknown, after: unknown, place: Place): void {
  if (before === after) return;
  const { schema, sets, path } = place;
  if (!isLeaf(before, schema) && !isLeaf(after, schema)) {
    if (isMapOrAbsent(before) && isMapOrAbsent(after)) {
      compareMaps(isObject(before) ? before : NOTHING, isObject(after) ? after : NOTHING, place);
      markContainer(before, after, place);
      return;
    }
    if (isListOrAbsent(before) && isListOrAbsent(after) && schema !== undefined && compareLists(before ?? [], after ?? [], schema, place)) {
      markContainer(before, after, place);
      return;
    }
  }
  if (before === undefined) sets.added.add(path);
  else if (after === undefined) sets.removed.add(path);
  else if (!jsonEqual(before, after)) sets.modified.add(path);
}

/** A container that came or went is a path of its own, beside those of its content. */
function markContainer(before: unknown, after: unknown, { sets, path }: Place): void {
  if (before === undefined) sets.added.add(path);
  else if (after === undefined) sets.removed.add(path);
}

function compareMaps(before: Values, after: Values, place: Place): void {
  for (const name in after) descend(name, before, after, place);
  for (const name in before) if (!Object.hasOwn(after, name)) descend(name, before, after, place);
}

function descend(name: string, before: Values, after: Values, { schema, path, sets }: Place): void {
  const was = Object.hasOwn(before, name) ? before[name] : undefined;
  const is = Object.hasOwn(after, name) ? after[name] : undefined;
  if (was === is) return;
  const sub = schema?.properties.get(name) ?? (schema?.additional === true ? undefined : schema?.additional);
  compare(was, is, { schema: sub, path: { parent: path, element: fieldElement(name) }, sets });
}

/** Whether both lists could be compared by item. */
function compareLists(before: readonly unknown[], after: readonly unknown[], schema: CompiledSchema, { path, sets }: Place): boolean {
  const was = itemsByElement(before, schema);
  const is = itemsByElement(after, schema);
  if (was === undefined || is === undefined) return false;
  for (const element of new Set([...is.keys(), ...was.keys()])) {
    compare(was.get(element), is.get(element), { schema: schema.items, path: { parent: path, element }, sets });
  }
  return true;
}

/** A value that has one owner as a whole. */
function isLeaf(value: unknown, schema: CompiledSchema | undefined): boolean {
  if (value === undefined) return false;
  if (Array.isArray(value)) return schema === undefined || schema.listType === "atomic";
  return !isObject(value) || schema?.isAtomicMap === true;
}

function isMapOrAbsent(value: unknown): boolean {
  return value === undefined || isObject(value);
}

function isListOrAbsent(value: unknown): value is readonly unknown[] | undefined {
  return value === undefined || Array.isArray(value);
}

function elementOf(item: unknown, schema: CompiledSchema): string | undefined {
  if (!isObject(item)) return undefined;
  const keys: Record<string, unknown> = {};
  let isKnown = false;
  for (const key of schema.mapKeys) {
    const value = Object.hasOwn(item, key) ? item[key] : schema.items?.properties.get(key)?.default?.value;
    if (value === undefined) continue;
    keys[key] = value;
    isKnown = true;
  }
  return isKnown ? keyElement(keys) : undefined;
}
