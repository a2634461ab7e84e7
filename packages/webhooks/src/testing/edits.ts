/** The single changes that a client can make to a value, and the differences of two values. */
import { jsonEqual, type JsonSchema } from "@treadle/apimachinery";
import { isObject, own, put } from "../json.ts";
import { itemsOf } from "../conversion/lists.ts";
import { memberSchema } from "../conversion/shape.ts";

/** One change: the changed value, and its path. */
export interface Edit {
  /** The path, `spec.ports[0]`. */
  readonly path: string;
  /** The whole value after the change; `undefined` removes it. */
  readonly value: unknown;
}

/** Returns the changes that make `value` more like `other`: fields that are set or removed, items that are added or removed. */
export function editsOf(value: unknown, other: unknown, path = ""): readonly Edit[] {
  if (jsonEqual(value, other)) return [];
  const whole: readonly Edit[] = path === "" ? [] : [{ path, value: other }];
  if (isObject(value) && isObject(other)) {
    const names = [...new Set([...Object.keys(value), ...Object.keys(other)])];
    return [
      ...whole,
      ...names.flatMap((name) => within(value, name, editsOf(value[name], other[name], path === "" ? name : `${path}.${name}`))),
    ];
  }
  if (!Array.isArray(value) || !Array.isArray(other)) return whole;
  return [
    ...whole,
    ...value.map((_, i) => ({ path: `${path}[${i}]`, value: value.filter((__, j) => i !== j) })),
    ...other.map((item) => ({ path: `${path}[${value.length}]`, value: [...value, item] })),
    ...value.flatMap((item, i) =>
      i >= other.length
        ? []
        : editsOf(item, other[i], `${path}[${i}]`).map((edit) => ({
            ...edit,
            value: value.map((each, j) => (i === j ? edit.value : each)),
          })),
    ),
  ];
}

/** Returns how two values differ, as `spec.tls.issuer: "a" became absent`; at most five. */
export function differences(before: unknown, after: unknown, path = ""): readonly string[] {
  if (jsonEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [`${path}: ${shown(before)} became ${shown(after)}`];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => differences(before[name], after[name], path === "" ? name : `${path}.${name}`)).slice(0, 5);
}

function within(object: Readonly<Record<string, unknown>>, name: string, edits: readonly Edit[]): readonly Edit[] {
  return edits.map((edit) => {
    const copy: Record<string, unknown> = { ...object };
    if (edit.value === undefined) delete copy[name];
    else put(copy, name, edit.value);
    return { path: edit.path, value: copy };
  });
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

/** The hub before and after a change, and what `up` makes of the lower version before and after it. */
export interface HubSides {
  /** The hub before. */
  readonly before: unknown;
  /** The hub after. */
  readonly after: unknown;
  /** What `up` makes of the object without the change. */
  readonly base: unknown;
  /** What `up` makes of the object with the change. */
  readonly theirs: unknown;
}

/** Returns how the hub differs in fields that the change does not concern, because `up` gives the same for both. */
export function changedElsewhere({ before, after, base, theirs }: HubSides, schema: JsonSchema | undefined, path = ""): readonly string[] {
  if (jsonEqual(base, theirs)) return differences(before, after, path);
  const sides = [before, after, base, theirs];
  if (sides.every(isObject)) {
    if (schema?.["x-kubernetes-map-type"] === "atomic") return [];
    const names = [...new Set(sides.flatMap((side) => Object.keys(side)))];
    return names.flatMap((name) => {
      const [one, two, three, four] = sides.map((side) => own(side, name));
      const fields = { before: one, after: two, base: three, theirs: four };
      return changedElsewhere(fields, memberSchema(schema, name), path === "" ? name : `${path}.${name}`);
    });
  }
  if (!sides.every(isList) || schema?.["x-kubernetes-list-type"] !== "map") return [];
  const lists = itemsOf(sides, schema) ?? [];
  return [...new Set(lists.flatMap((items) => [...items.keys()]))].flatMap((id) => {
    const [one, two, three, four] = lists.map((items) => items.get(id));
    return changedElsewhere({ before: one, after: two, base: three, theirs: four }, schema.items, `${path}[${id}]`);
  });
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
