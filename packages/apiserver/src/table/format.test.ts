import { expect, test } from "vitest";
import { humanDuration, selectorText, withMore } from "./format.ts";

const [S, M, H, D, Y] = [1000, 60_000, 3_600_000, 86_400_000, 365 * 86_400_000];

test.for([
  [-5 * S, "<invalid>"],
  [-1500, "0s"],
  [0, "0s"],
  [119 * S, "119s"],
  [2 * M, "2m"],
  [2 * M + S, "2m1s"],
  [10 * M + 30 * S, "10m"],
  [179 * M, "179m"],
  [3 * H, "3h"],
  [3 * H + M, "3h1m"],
  [8 * H + M, "8h"],
  [47 * H, "47h"],
  [2 * D, "2d"],
  [2 * D + H, "2d1h"],
  [8 * D + H, "8d"],
  [729 * D, "729d"],
  [2 * Y, "2y"],
  [2 * Y + D, "2y1d"],
  [8 * Y + D, "8y"],
] as const)("%i ms are %s", ([ms, want]) => {
  expect(humanDuration(ms)).toBe(want);
});

test("a selector has the format of -l, in the order of its keys", () => {
  const matchExpressions = [
    { key: "b", operator: "NotIn", values: ["y", "x"] },
    { key: "a", operator: "Exists" },
    { key: "d", operator: "DoesNotExist" },
  ];
  expect(selectorText({ matchLabels: { c: "1" }, matchExpressions })).toBe("a,b notin (x,y),c=1,!d");
  expect(selectorText({})).toBe("");
});

test("a long list shows its first items and the number of the others", () => {
  expect(withMore(["a", "b", "c", "d", "e"], 3, "-")).toBe("a,b,c + 2 more...");
  expect(withMore(["a", "b", "c"], 3, "-")).toBe("a,b,c");
  expect(withMore([], 3, "-")).toBe("-");
});
