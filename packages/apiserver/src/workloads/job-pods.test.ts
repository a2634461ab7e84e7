import fc from "fast-check";
import { expect, test } from "vitest";
import { formatIndexes, parseIndexes } from "./job-pods.ts";

test.for([
  { indexes: [], want: "" },
  { indexes: [3], want: "3" },
  { indexes: [0, 1], want: "0,1" },
  { indexes: [2, 0, 1, 2], want: "0-2" },
  { indexes: [1, 3, 4, 5, 7], want: "1,3-5,7" },
])("$indexes are written as '$want'", ({ indexes, want }) => {
  expect(formatIndexes(indexes)).toBe(want);
});

test("formatted indexes are read back, up to the number of completions", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(200)), (indexes) => {
      expect([...parseIndexes(formatIndexes(indexes), 100)]).toEqual(indexes.filter((index) => index < 100).toSorted((a, b) => a - b));
    }),
  );
});

test("the valid parts of a foreign text of indexes are read", () => {
  expect([...parseIndexes("x,1,-,2-1,5-99999999", 7)]).toEqual([1, 5, 6]);
  expect([...parseIndexes(undefined, 7)]).toEqual([]);
});
