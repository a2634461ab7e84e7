import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createJsonPatch } from "./json-patch-of.ts";
import { applyJsonPatch, type JsonPatchOperation } from "./patches.ts";

const parsed = (json: string): unknown => JSON.parse(json) as unknown;

describe("createJsonPatch", () => {
  test.for<{ name: string; before: unknown; after: unknown; want: readonly JsonPatchOperation[] }>([
    { name: "equal values", before: { a: [1, { b: 2 }] }, after: { a: [1, { b: 2 }] }, want: [] },
    {
      name: "fields in an object",
      before: { a: 1, b: { c: 1, d: 1 }, e: 1 },
      after: { b: { c: 2, d: 1 }, e: 1, f: null },
      want: [
        { op: "remove", path: "/a" },
        { op: "replace", path: "/b/c", value: 2 },
        { op: "add", path: "/f", value: null },
      ],
    },
    { name: "a member that is undefined", before: { a: 1 }, after: { a: undefined }, want: [{ op: "remove", path: "/a" }] },
    {
      name: "names with ~ and /",
      before: {},
      after: { "a/b~c": 1 },
      want: [{ op: "add", path: "/a~1b~0c", value: 1 }],
    },
    {
      name: "a field of an item",
      before: [{ name: "a", image: "x" }, { name: "b" }],
      after: [{ name: "a", image: "y" }, { name: "b" }],
      want: [{ op: "replace", path: "/0/image", value: "y" }],
    },
    {
      name: "an item that is put first",
      before: [{ name: "a" }, { name: "b" }],
      after: [{ name: "new" }, { name: "a" }, { name: "b" }],
      want: [{ op: "add", path: "/0", value: { name: "new" } }],
    },
    {
      name: "two items that are removed",
      before: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }],
      after: [{ name: "a" }, { name: "d" }],
      want: [
        { op: "remove", path: "/2" },
        { op: "remove", path: "/1" },
      ],
    },
    { name: "a list that is emptied", before: { a: [1, 2, 3] }, after: { a: [] }, want: [{ op: "replace", path: "/a", value: [] }] },
    { name: "another type", before: { a: {} }, after: { a: [] }, want: [{ op: "replace", path: "/a", value: [] }] },
    {
      name: "a name that applyJsonPatch does not follow",
      before: { labels: { a: "1" } },
      after: { labels: { a: "1", constructor: "2" } },
      want: [{ op: "replace", path: "/labels", value: { a: "1", constructor: "2" } }],
    },
    { name: "a whole document", before: [1], after: "a", want: [{ op: "replace", path: "", value: "a" }] },
  ])("the patch for $name", ({ before, after, want }) => {
    expect(createJsonPatch(before, after)).toEqual(want);
  });

  test("a field named __proto__ is kept", () => {
    const [before, after] = [parsed('{"a":{"b":1}}'), parsed('{"a":{"b":1,"__proto__":{"c":1}}}')];
    expect(JSON.stringify(applyJsonPatch(before, createJsonPatch(before, after)))).toBe(JSON.stringify(after));
  });

  const key = fc.oneof(fc.constantFrom("a", "b", "c", "__proto__", "constructor", "toString", "a/b", "~1", "-", "0"), fc.string());
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(null, 0, 1, "", "x", true),
      fc.array(tie("json"), { maxLength: 5 }),
      fc.array(fc.tuple(key, tie("json")), { maxLength: 4 }).map((entries) => parsed(`{${entries.map(member).join(",")}}`)),
    ),
  }));
  const member = ([name, value]: readonly [string, unknown]): string => `${JSON.stringify(name)}:${JSON.stringify(value)}`;

  // For all JSON values: the patch, applied to the first, gives the second, and equal values need no patch.
  test("applied to the first value, the patch gives the second", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(applyJsonPatch(before, createJsonPatch(before, after))).toEqual(after);
        expect(createJsonPatch(after, structuredClone(after))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
