import { expect, test } from "vitest";
import { median, percentile, quartiles, ratios, spread } from "./statistics.ts";

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

// What `quantile(values, c(0.25, 0.75))` of R returns.
test.for([
  { values: [5, 1, 2, 4, 3], want: [2, 4] },
  { values: [10, 20], want: [12.5, 17.5] },
  { values: [1, 2, 3, 4, 100], want: [2, 4] },
  { values: [1, 2, 3, 4], want: [1.75, 3.25] },
  { values: [7], want: [7, 7] },
  { values: [], want: [Number.NaN, Number.NaN] },
])("the quartiles of $values are $want", ({ values, want }) => {
  expect(quartiles(values)).toEqual(want);
});

test("a ratio needs both values of its pair", () => {
  expect(ratios([2, 9, 4], [1, 3])).toEqual([2, 3]);
  expect(ratios([], [1])).toEqual([]);
});

test("a spread shows the median and the quartiles, so that one slow round does not widen it", () => {
  expect(spread([10, 11, 12, 13, 900])).toBe("12.00 (11.00 to 13.00)");
  expect(spread([1234.5])).toBe("1235");
  expect(spread()).toBe("");
});
