/** Which part of the long tests a run does. */
import { expect, test } from "vitest";
import { testPart } from "./test-part.ts";

const NAMES = Array.from({ length: 800 }, (_, index) => `case ${index}`);

test("the whole part has every case and every run, with a seed of fast-check's choice", () => {
  const whole = testPart({ isWhole: true, seed: 1 });
  expect(NAMES.every((name) => whole.has(name) && whole.points({ id: name }))).toBe(true);
  expect(whole.runs(600)).toEqual({ numRuns: 600 });
  expect(whole.pick(["a", "b", "c"])).toEqual(["a", "b", "c"]);
});

test("the random part has about an eighth of the cases, the same ones for the same seed", () => {
  const chosen = (seed: number): readonly string[] => NAMES.filter((name) => testPart({ isWhole: false, seed }).has(name));
  for (const seed of [1, 2, 2 ** 31]) {
    expect(chosen(seed).length).toBeGreaterThan(60);
    expect(chosen(seed).length).toBeLessThan(140);
    expect(chosen(seed)).toEqual(chosen(seed));
  }
  expect(chosen(1)).not.toEqual(chosen(2));
});

test("the random part has an eighth of the runs, at least one, and one of several cases", () => {
  const part = testPart({ isWhole: false, seed: 7 });
  expect([part.runs(600), part.runs(1)]).toEqual([
    { numRuns: 75, seed: 7 },
    { numRuns: 1, seed: 7 },
  ]);
  expect(part.pick(["a", "b", "c"])).toHaveLength(1);
});

test("the random part of an exploration has the crash before the first write, so it is never empty", () => {
  expect([1, 2, 3, 4].every((seed) => testPart({ isWhole: false, seed }).points({ id: "crash@0" }))).toBe(true);
});
