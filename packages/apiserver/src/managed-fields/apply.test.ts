import type { ManagedFieldsEntry } from "@treadle/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileSchema } from "../schema/schema.ts";
import { freezeJson, type JsonObject } from "../internal/json.ts";
import { applyConfiguration } from "./apply.ts";
import { TypeMismatchError } from "./check-type.ts";
import { compareObjects } from "./compare.ts";
import { decodeEntry } from "./entries.ts";
import { pathsOf, pathText } from "./elements.ts";
import { difference, EMPTY_SET, type FieldSet, hasPath, isEmptySet, toFieldsV1, union } from "./field-set.ts";
import { merge } from "./merge.ts";
import { ConflictError, type Model } from "./settle.ts";
import { fieldsOf, reconciled, removeFields } from "./typed-sets.ts";
import { type TypeDef, typeOf } from "./field-types.ts";

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;

const schema = {
  type: "object",
  properties: {
    base: text,
    n: integer,
    t: text,
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    atoms: { type: "array", items: text },
    map: { type: "object", additionalProperties: text },
    whole: { type: "object", properties: { a: text, b: text }, "x-kubernetes-map-type": "atomic" },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "proto"],
      items: {
        type: "object",
        properties: {
          name: text,
          proto: { ...text, default: "TCP" },
          value: integer,
          set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        },
      },
    },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    nested: { type: "object", properties: { a: { type: "object", properties: { b: integer, c: text } } } },
  },
} as const;

const type: TypeDef = typeOf(compileSchema(schema));
const model: Model = {
  apiVersion: "t/v1",
  ignored: () => EMPTY_SET,
  typeIn: (version) => (version === "t/v1" ? type : undefined),
  convert: (object) => object,
};

interface State {
  readonly object: JsonObject;
  readonly managed: readonly ManagedFieldsEntry[];
}

const NEW: State = { object: {}, managed: [] };

function apply({ object, managed }: State, manager: string, config: JsonObject, isForced = false): State {
  const writer = { manager, subresource: "", time: "2026-01-01T00:00:00Z" };
  return applyConfiguration({ live: freezeJson(object), managed, config: freezeJson(config), model, writer, isForced });
}

function owned({ managed }: State, manager: string): FieldSet {
  const entry = managed.find((one) => one.manager === manager);
  return (entry === undefined ? undefined : decodeEntry(entry)?.fields) ?? EMPTY_SET;
}

function ownedByOthers(state: State, manager: string): FieldSet {
  return state.managed
    .filter((one) => one.manager !== manager)
    .map((one) => owned(state, one.manager ?? ""))
    .reduce(union, EMPTY_SET);
}

const paths = (set: FieldSet): readonly string[] => pathsOf(set).map(pathText);

describe("a merge keeps the existing fields", () => {
  test.for([
    { name: "a merge sets a field", live: { n: 1, t: "a" }, config: { n: 2 }, want: { n: 2, t: "a" } },
    { name: "a merge joins maps", live: { map: { a: "1" } }, config: { map: { b: "2" } }, want: { map: { a: "1", b: "2" } } },
    { name: "a merge replaces an atomic map", live: { whole: { a: "1" } }, config: { whole: { b: "2" } }, want: { whole: { b: "2" } } },
    { name: "a merge replaces an atomic list", live: { atoms: ["a"] }, config: { atoms: ["b"] }, want: { atoms: ["b"] } },
    {
      name: "a merge adds members of a set at their place",
      live: { set: ["a", "c"] },
      config: { set: ["b", "c", "d"] },
      want: { set: ["a", "b", "c", "d"] },
    },
    {
      name: "a merge takes the applied order of common members",
      live: { set: ["a", "b", "c"] },
      config: { set: ["c", "a"] },
      want: { set: ["b", "c", "a"] },
    },
    {
      name: "a merge joins items by their keys, including a default",
      live: {
        items: [
          { name: "x", proto: "TCP", value: 1 },
          { name: "y", proto: "UDP" },
        ],
      },
      config: { items: [{ name: "x", set: ["s"] }, { name: "y" }] },
      want: { items: [{ name: "x", proto: "TCP", value: 1, set: ["s"] }, { name: "y", proto: "UDP" }, { name: "y" }] },
    },
    { name: "a merge replaces a map with content by null", live: { map: { a: "1" } }, config: { map: null }, want: { map: { a: "1" } } },
    { name: "a merge keeps null over a text", live: { t: "a" }, config: { t: null }, want: { t: null } },
    { name: "a merge distinguishes empty from absent", live: {}, config: { map: {}, set: [] }, want: { map: {}, set: [] } },
    {
      name: "a merge joins unknown fields by name",
      live: { free: { a: { b: 1 }, l: [1] } },
      config: { free: { a: { c: 2 }, l: [2] } },
      want: { free: { a: { b: 1, c: 2 }, l: [2] } },
    },
    {
      name: "a merge replaces an unknown field of another type",
      live: { free: { a: { b: 1 } } },
      config: { free: { a: "x" } },
      want: { free: { a: "x" } },
    },
  ])("$name", ({ live, config, want }) => {
    expect(merge(freezeJson(live), freezeJson(config), type)).toEqual(want);
  });
});

describe("a configuration owns", () => {
  test.for([
    { name: "leaves", config: { n: 1, nested: { a: { b: 1 } } }, want: [".n", ".nested.a.b"] },
    { name: "a configuration owns keys of maps, but not declared structs", config: { map: { a: "1" } }, want: [".map.a"] },
    {
      name: "a configuration owns an atomic list or struct as a whole",
      config: { atoms: ["a"], whole: { a: "1" } },
      want: [".atoms", ".whole"],
    },
    {
      name: "a configuration owns items, their fields and keys",
      config: { items: [{ name: "x", value: 1 }] },
      want: ['.items[name="x",proto="TCP"]', '.items[name="x",proto="TCP"].name', '.items[name="x",proto="TCP"].value'],
    },
    { name: "members", config: { set: ["b", "a"] }, want: ['.set[="a"]', '.set[="b"]'] },
    {
      name: "a configuration owns empty and null fields, but not an empty list",
      config: { map: {}, t: null, set: [], nested: {} },
      want: [".map", ".nested", ".t"],
    },
    { name: "a configuration owns unknown fields one by one", config: { free: { a: { b: 1 } } }, want: [".free.a", ".free.a.b"] },
  ])("$name", ({ config, want }) => {
    expect(paths(fieldsOf(config, type))).toEqual(want);
  });
});

test("a removed field loses its content, and a container without content is null", () => {
  const object = {
    n: 1,
    map: { a: "1", b: "2" },
    items: [
      { name: "x", proto: "TCP", value: 1 },
      { name: "y", proto: "TCP" },
    ],
    nested: { a: { b: 1 } },
  };
  const set = fieldsOf({ map: { a: "1", b: "2" }, items: [{ name: "x" }], nested: { a: { b: 1 } } }, type);
  expect(removeFields(object, set, type)).toEqual({ n: 1, map: null, items: [{ name: "y", proto: "TCP" }], nested: { a: null } });
});

test("a comparison treats duplicate items as one value", () => {
  const compare = (before: unknown, after: unknown): readonly (readonly string[])[] => {
    const { added, removed, modified } = compareObjects({ set: before }, { set: after }, type);
    return [paths(added), paths(removed), paths(modified)];
  };
  expect(compare(["a"], ["a", "a"])).toEqual([['.set[="a"]'], ['.set[="a"]'], []]);
  expect(compare(["a", "a"], ["a", "b", "a"])).toEqual([['.set[="b"]'], [], []]);
});

test("fields below a value that became atomic are owned as a whole", () => {
  const before = fieldsOf(
    { whole: { a: "1" }, atoms: ["x"], n: 1 },
    typeOf(
      compileSchema({
        type: "object",
        properties: {
          n: integer,
          whole: { type: "object", properties: { a: text } },
          atoms: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        },
      }),
    ),
  );
  expect(toFieldsV1(reconciled(before, type))).toEqual({ "f:atoms": {}, "f:n": {}, "f:whole": {} });
});

test.for([
  { name: "a type check reports an unknown field", config: { nope: 1 }, text: ".nope: field not declared in schema" },
  { name: "a type check reports a duplicate member", config: { set: ["a", "a"] }, text: '.set: duplicate entries for key [="a"]' },
  { name: "a type check reports an item without keys", config: { items: [{ value: 1 }], n: 1 }, text: undefined },
  {
    name: "a type check reports two problems",
    config: { n: "x", t: 1 },
    text: "errors:\n  .n: expected numeric (int or float), got string\n  .t: expected string, got &value.valueUnstructured{Value:1}",
  },
])("a configuration with $name is of no type", ({ config, text: want }) => {
  const run = (): State => apply(NEW, "m", config);
  if (want === undefined) return void expect(run().object).toEqual(config); // the other key has a default
  expect(run).toThrow(TypeMismatchError);
  expect(run).toThrow(want);
});

const value = fc.constantFrom("a", "b");
// Nothing empty: where a map loses its last member to an empty one, the real server makes null of it, which its schema then refuses.
const members = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 });
const some = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [] }).filter((made) => Object.keys(made).length > 0);
const configs: fc.Arbitrary<JsonObject> = fc.record(
  {
    n: fc.constantFrom(1, 2),
    t: value,
    set: members,
    atoms: fc.array(value, { maxLength: 2 }),
    map: fc.dictionary(fc.constantFrom("x", "y"), value, { minKeys: 1, maxKeys: 2 }),
    whole: some({ a: value, b: value }),
    items: fc.uniqueArray(
      fc.record(
        { name: fc.constantFrom("i", "j"), proto: fc.constantFrom("TCP", "UDP"), value: fc.constantFrom(1, 2), set: members },
        { requiredKeys: ["name"] },
      ),
      { minLength: 1, maxLength: 3, selector: ({ name, proto = "TCP" }) => `${name}/${proto}` },
    ),
    free: some({ a: fc.oneof(value, fc.record({ b: value })), c: value }),
    nested: fc.record({ a: some({ b: fc.constantFrom(1, 2), c: value }) }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;
const managers = fc.constantFrom("one", "two", "three");
const histories = fc.array(fc.tuple(managers, configs), { maxLength: 5 });

function after(history: readonly (readonly [string, JsonObject])[]): State {
  // An object with managers. One without managers would get an entry for its existing fields.
  return history.reduce((state, [manager, config]) => apply(state, manager, config, true), apply(NEW, "base", { base: "x" }));
}

function attempt(run: () => State): State | readonly string[] {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConflictError) return error.conflicts.map(({ path, manager }) => `${manager.manager} ${pathText(path)}`);
    throw error;
  }
}

// After any history of forced applies by three managers:
// 1. Applying the same again changes neither object nor owners.
// 2. The object holds what was applied last, and its manager owns all of it.
// 3. Without force the apply fails exactly when with force another manager would lose a field to another value.
// 4. Applying nothing removes exactly what nobody else owns: no path goes that was another's or nobody's, and of the paths
//    that only this manager owned, none stays that leads to nothing of another's.
// 5. Every owner is listed once, and owns something.
// 6. No argument is changed (they are frozen), and the result follows from them alone.
test("invariants of applies", { tags: ["part"] }, ({ part }) => {
  fc.assert(
    fc.property(histories, managers, configs, (history, manager, config) => {
      const state = after(history);
      const forced = apply(state, manager, config, true);
      expect(apply(forced, manager, config)).toEqual(forced);
      expect(apply(state, manager, config, true)).toEqual(forced);

      expect(merge(forced.object, config, type)).toEqual(forced.object);
      expect(isEmptySet(difference(fieldsOf(config, type), owned(forced, manager)))).toBe(true);

      const others = ownedByOthers(state, manager);
      const { added, modified } = compareObjects(state.object, forced.object, type);
      const lost = paths(union(added, modified)).filter((path) => paths(others).includes(path));
      const unforced = attempt(() => apply(state, manager, config));
      if (lost.length === 0) expect(unforced).toEqual(forced);
      else expect(unforced).toEqual(expect.arrayContaining(lost.map((path) => expect.stringContaining(path) as string)));

      const emptied = apply(forced, manager, {}, true);
      const [own, rest] = [owned(forced, manager), ownedByOthers(forced, manager)];
      const gone = difference(fieldsOf(forced.object, type), fieldsOf(emptied.object, type));
      for (const path of pathsOf(gone)) {
        expect(hasPath(rest, path), pathText(path)).toBe(false);
        expect(
          path.some((_, i) => hasPath(own, path.slice(0, i + 1))),
          pathText(path),
        ).toBe(true);
      }
      const left = fieldsOf(emptied.object, type);
      for (const path of pathsOf(difference(own, rest))) {
        const leadsOn = paths(rest).some((other) => other.startsWith(pathText(path)));
        if (!leadsOn) expect(hasPath(left, path), pathText(path)).toBe(false);
      }

      const names = forced.managed.map((entry) => entry.manager);
      expect(new Set(names).size).toBe(names.length);
      for (const entry of forced.managed) expect(entry.fieldsV1).not.toEqual({});
    }),
    part.runs(200),
  );
});
