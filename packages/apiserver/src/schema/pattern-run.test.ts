/** Patterns that would block the server. */
import { expect, test } from "vitest";
import { runPattern, PatternTimeError } from "./pattern-run.ts";

const SLOW = /^(a+)+$/u;

test("a pattern that needs exponential time is ended", () => {
  const text = `${"a".repeat(40)}b`;
  expect(() => runPattern(SLOW, text, () => SLOW.test(text))).toThrow(PatternTimeError);
});

test("a pattern that was too slow on hundreds of texts does not block for seconds", () => {
  const begin = performance.now();
  for (let i = 0; i < 200; i++) {
    const text = `${"a".repeat(40)}${i}`;
    expect(() => runPattern(SLOW, text, () => SLOW.test(text))).toThrow(PatternTimeError);
  }
  expect(performance.now() - begin).toBeLessThan(5_000);
});

test("a slow pattern still matches a text that it can check", () => {
  expect(runPattern(SLOW, "a".repeat(40), () => SLOW.test("a".repeat(40)))).toBe(true);
});
