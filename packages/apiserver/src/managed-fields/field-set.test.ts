import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareObjects } from "./compare.ts";
import {
  difference,
  EMPTY_SET,
  equalSets,
  type FieldSet,
  FieldSetBuilder,
  fieldElement,
  fromFieldsV1,
  hasPath,
  intersection,
  isEmptySet,
  type PathNode,
  toFieldsV1,
  union,
} from "./field-set.ts";
import { DEDUCED } from "./field-types.ts";

const path = fc.array(fc.constantFrom("f:a", "f:b", 'k:{"type":"X"}', 'v:"y"'), { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });

function setOf(given: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const one of given) builder.add(one.reduce<PathNode | undefined>((parent, element) => ({ parent, element }), undefined));
  return builder.build();
}

// For any sets of paths a and b, and any path p:
// 1. p is in the union iff it is in a or b; in the intersection iff in both; in the difference iff in a and not in b.
// 2. What is written as FieldsV1 and read back is the same set.
// 3. A set without paths is empty, whatever made it.
describe("sets of paths", () => {
  test("satisfy the laws of sets for each path", () => {
    fc.assert(
      fc.property(paths, paths, path, (left, right, probe) => {
        const [a, b] = [setOf(left), setOf(right)];
        for (const p of [...left, ...right, probe]) {
          const [inA, inB] = [hasPath(a, p), hasPath(b, p)];
          expect(hasPath(union(a, b), p)).toBe(inA || inB);
          expect(hasPath(intersection(a, b), p)).toBe(inA && inB);
          expect(hasPath(difference(a, b), p)).toBe(inA && !inB);
        }
        expect(isEmptySet(difference(a, a))).toBe(true);
        expect(equalSets(union(difference(a, b), intersection(a, b)), a)).toBe(true);
      }),
    );
  });

  test("do not change when they are written and read back", () => {
    fc.assert(
      fc.property(paths, (given) => {
        const set = setOf(given);
        const back = fromFieldsV1(JSON.parse(JSON.stringify(toFieldsV1(set))));
        expect(back !== undefined && equalSets(back, set)).toBe(true);
      }),
    );
  });

  test("with an invalid stored form are refused", () => {
    const bad = [undefined, [], "x", { a: {} }, { "f:a": 1 }, { "f:a": { "f:b": [] } }, { "i:x": {} }, { "v:x": {} }, { "k:[]": {} }];
    for (const form of bad) expect(fromFieldsV1(form)).toBeUndefined();
    expect(fromFieldsV1({})).toEqual(EMPTY_SET);
  });

  test("drop elements of an unknown type", () => {
    expect(fromFieldsV1({ "x:a": 1, "f:a": {}, "i:1": {}, "v:1": {}, 'k:{"a":1}': {} })).toEqual(
      fromFieldsV1({ "f:a": {}, "i:1": {}, "v:1": {}, 'k:{"a":1}': {} }),
    );
  });
});

// Over any two JSON objects: nothing is both added and removed or modified; comparing the other way round swaps added and
// removed; equal objects differ in nothing.
test("a comparison with swapped arguments swaps added and removed", () => {
  const json = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  fc.assert(
    fc.property(json, json, (x, y) => {
      const [there, back] = [compareObjects(x, y, DEDUCED), compareObjects(y, x, DEDUCED)];
      expect(equalSets(there.added, back.removed)).toBe(true);
      expect(equalSets(there.modified, back.modified)).toBe(true);
      expect(isEmptySet(intersection(there.added, union(there.removed, there.modified)))).toBe(true);
      const same = compareObjects(x, structuredClone(x), DEDUCED);
      expect([same.added, same.removed, same.modified].every(isEmptySet)).toBe(true);
    }),
  );
});

test("a list whose items have no keys has one owner", () => {
  const { modified } = compareObjects({ l: [{ k: 1 }] }, { l: [{ k: 1 }, { k: 1 }] }, DEDUCED);
  expect(toFieldsV1(modified)).toEqual({ [fieldElement("l")]: {} });
});
