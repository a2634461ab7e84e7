import { expect, test } from "vitest";
import { median, percentile } from "./statistics.ts";

test.for([
  { values: [3, 1, 2], want: 2 },
  { values: [4, 1, 3, 2], want: 2.5 },
  { values: [7], want: 7 },
  { values: [], want: Number.NaN },
])("the median of $values is $want", ({ values, want }) => {
  expect(median(values)).toBe(want);
});

test("a percentile is one of the values, and 99 in 100 lie at or below that of 0.99", () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  expect(percentile(values, 0.5)).toBe(50);
  expect(percentile(values, 0.99)).toBe(99);
  expect(percentile(values, 1)).toBe(100);
  expect(percentile([5], 0.99)).toBe(5);
  expect(percentile([], 0.99)).toBeNaN();
});
