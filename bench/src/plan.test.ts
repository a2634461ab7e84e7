import { expect, test } from "vitest";
import { halfOfSlowest, inTurn } from "./plan.ts";

test("the first operator of a round is the last of the next", () => {
  expect([0, 1, 2].map((round) => inTurn(["a", "b"], round))).toEqual([
    ["a", "b"],
    ["b", "a"],
    ["a", "b"],
  ]);
});

test("the rate of changes is half of what the slower operator carries, by medians", () => {
  expect(halfOfSlowest([[200, 220, 20], [180, 160, 170], []])).toBe(85);
  expect(halfOfSlowest([[], []])).toBeUndefined();
});
