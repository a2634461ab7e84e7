import { expect, test } from "vitest";
import { inPairs } from "./in-pairs.ts";

/** Each measurement takes so many milliseconds; returns the sides in their order. */
async function sidesOf(options: { readonly rounds: number; readonly lateMs?: number; readonly stepMs: number }): Promise<string> {
  const sides: string[] = [];
  let nowMs = 0;
  const pairs = await inPairs({ ...options, log() {}, now: () => nowMs }, async (side) => {
    nowMs += options.stepMs;
    sides.push(side);
    return { value: nowMs };
  });
  expect(pairs.old).toHaveLength(pairs.new.length);
  return sides.join(" ");
}

test("the side that is first in a round is second in the next", async () => {
  expect(await sidesOf({ rounds: 3, stepMs: 1 })).toBe("old new new old old new");
});

test.for([
  { name: "a fast machine", stepMs: 1, pairs: 5 },
  { name: "a slow machine", stepMs: 20, pairs: 3 },
  { name: "a machine on which one pair takes too long", stepMs: 1_000, pairs: 3 },
])("$name measures $pairs of 5 pairs", async ({ stepMs, pairs }) => {
  expect((await sidesOf({ rounds: 5, stepMs, lateMs: 100 })).split(" ")).toHaveLength(2 * pairs);
});
