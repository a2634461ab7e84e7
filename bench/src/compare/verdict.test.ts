import { expect, test } from "vitest";
import { isAbove, type Pairs, ratiosOf, table } from "./verdict.ts";

const pairs: Pairs = {
  old: [{ widgetCpuMs: 2 }, { widgetCpuMs: 4 }, { widgetCpuMs: 2, passUs: 5 }],
  new: [{ widgetCpuMs: 3 }, { widgetCpuMs: 4 }, { widgetCpuMs: 2.2 }],
};

test("a ratio is that of one pair, and the table has only measures of both sides", () => {
  expect(ratiosOf(pairs, "widgetCpuMs").map((ratio) => ratio.toFixed(2))).toEqual(["1.50", "1.00", "1.10"]);
  expect(ratiosOf(pairs, "passUs")).toEqual([]);
  expect(table(pairs)).toEqual([
    "| median (quartiles) | old | new | new / old, of pairs |",
    "|---|---|---|---|",
    "| processor time for each Widget, ms | 2.00 (2.00 to 3.00) | 3.00 (2.60 to 3.50) | 1.100 (1.000 to 1.500) |",
  ]);
});

test.for([
  { name: "a first set at the limit", first: [1.15, 1.15, 2], again: [], want: false, asks: 0 },
  { name: "a first set with one slow pair", first: [1, 1.01, 0.99, 1.02, 9], again: [], want: false, asks: 0 },
  { name: "a second set below the limit", first: [1.2, 1.2, 1.2], again: [1, 1.1, 1.3], want: false, asks: 1 },
  { name: "two sets above the limit", first: [1.2, 1.2, 1.2], again: [1.16, 1.2, 1], want: true, asks: 1 },
])("$name: the result is above the limit: $want", async ({ first, again, want, asks }) => {
  let asked = 0;
  expect(await isAbove(1.15, first, async () => (asked++, again))).toBe(want);
  expect(asked).toBe(asks);
});

test("a comparison without a pair throws, so that it cannot pass", async () => {
  await expect(isAbove(1.15, [], async () => [])).rejects.toThrow("no pair");
});
