import { describe, expect, test } from "vitest";
import { formatDuration } from "./duration.ts";

describe("formatDuration", () => {
  test.for<[number, string]>([
    [3_600_000, "1h"],
    [5_400_000, "1h30m"],
    [90_000, "1m30s"],
    [1500, "1s500ms"],
    [1, "1ms"],
    [90_000_000, "25h"],
  ])("%i ms are %s", ([ms, text]) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test.for([[0], [-1], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY]])("%f is written so that it can be reported", ([ms = 0]) => {
    expect(formatDuration(ms)).toBe(`${ms}ms`);
  });
});
