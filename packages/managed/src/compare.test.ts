import { expect, test } from "vitest";
import { changesOf, differences, differenceText } from "./compare.ts";

const NONE: ReadonlySet<string> = new Set();

test.for<{ name: string; want: object; seen: object; paths: readonly string[] }>([
  { name: "equal values", want: { a: 1, b: "x", c: true }, seen: { a: 1, b: "x", c: true }, paths: [] },
  { name: "another value", want: { a: 1 }, seen: { a: 2 }, paths: ["a"] },
  { name: "a key that want does not name", want: { a: 1 }, seen: { a: 1, b: 2 }, paths: [] },
  { name: "a key that is undefined", want: { a: undefined }, seen: { a: 1 }, paths: [] },
  { name: "a key that seen does not have", want: { a: 1 }, seen: {}, paths: ["a"] },
  { name: "null and a missing value", want: { a: null }, seen: {}, paths: [] },
  { name: "null and a value", want: { a: null }, seen: { a: 0 }, paths: ["a"] },
  { name: "a value and null", want: { a: 0 }, seen: { a: null }, paths: ["a"] },
  { name: "a number and its text", want: { a: 1 }, seen: { a: "1" }, paths: ["a"] },
  { name: "NaN", want: { a: Number.NaN }, seen: { a: Number.NaN }, paths: [] },
  { name: "nested keys that want does not name", want: { a: { b: 1 } }, seen: { a: { b: 1, c: 2 } }, paths: [] },
  { name: "a nested key", want: { a: { b: 1, d: 4 } }, seen: { a: { b: 2, d: 4 } }, paths: ["a.b"] },
  { name: "an object and a text", want: { a: { b: 1 } }, seen: { a: "b" }, paths: ["a"] },
  { name: "equal lists", want: { a: [1, { b: 2 }] }, seen: { a: [1, { b: 2, c: 3 }] }, paths: [] },
  { name: "an item of a list", want: { a: [1, { b: 2 }] }, seen: { a: [1, { b: 3 }] }, paths: ["a[1].b"] },
  { name: "lists of two lengths", want: { a: [1] }, seen: { a: [1, 2] }, paths: ["a"] },
  { name: "an empty list and nothing", want: { a: [] }, seen: {}, paths: ["a"] },
  { name: "a list and an object", want: { a: [1] }, seen: { a: { 0: 1 } }, paths: ["a"] },
  { name: "equal dates", want: { a: new Date(5) }, seen: { a: new Date(5) }, paths: [] },
  { name: "two dates", want: { a: new Date(5) }, seen: { a: new Date(6) }, paths: ["a"] },
  { name: "equal bytes", want: { a: new Uint8Array([1, 2]) }, seen: { a: Buffer.from([1, 2]) }, paths: [] },
  { name: "objects of a class", want: { a: new Map() }, seen: { a: new Map() }, paths: ["a"] },
  { name: "a key of the prototype", want: { toString: 1 }, seen: {}, paths: ["toString"] },
])("the differences of $name", ({ want, seen, paths }) => {
  expect(differences(want, seen).map(({ path }) => path)).toEqual(paths);
});

test("the changes are the whole desired values of the keys that differ, each once", () => {
  const want = { a: { b: 1, c: 2 }, d: 3, e: [1] };
  const found = differences(want, { a: { b: 0, c: 0 }, d: 3, e: [] });
  expect(changesOf(want, found)).toEqual({ a: { b: 1, c: 2 }, e: [1] });
});

test.for<{ name: string; want: object; seen: object; says: string; redacted?: readonly string[] }>([
  { name: "a value", want: { a: "new" }, seen: { a: "old" }, says: 'a: "old" -> "new"' },
  { name: "a missing value", want: { a: { b: 1 } }, seen: {}, says: 'a: nothing -> {"b":1}' },
  {
    name: "a redacted key, also below it",
    want: { a: { b: 1 }, c: 2 },
    seen: { a: { b: 0 }, c: 0 },
    redacted: ["a"],
    says: "a.b: <redacted>, c: 0 -> 2",
  },
  { name: "a long value", want: { a: "x".repeat(100) }, seen: { a: 1 }, says: `a: 1 -> "${"x".repeat(62)}…` },
  {
    name: "many keys",
    want: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`k${i}`, 1])),
    seen: {},
    says: "k0: nothing -> 1, k1: nothing -> 1, k2: nothing -> 1, k3: nothing -> 1, k4: nothing -> 1, and 3 more",
  },
  { name: "a number of 64 bits", want: { a: 5n }, seen: { a: 4n }, says: "a: 4 -> 5" },
])("the text of $name", ({ want, seen, says, redacted }) => {
  expect(differenceText(differences(want, seen), redacted === undefined ? NONE : new Set(redacted), String)).toBe(says);
});

test("values that refer to themselves neither hang nor throw", () => {
  const circle: Record<string, unknown> = { a: 1 };
  circle["self"] = circle;
  const other: Record<string, unknown> = { a: 1 };
  other["self"] = other;
  expect(() => differenceText(differences({ value: circle }, { value: 1 }), NONE, String)).not.toThrow();
  expect(() => differences({ value: circle }, { value: other })).not.toThrow();
});
