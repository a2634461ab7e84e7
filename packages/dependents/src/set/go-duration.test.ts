import { describe, expect, test } from "vitest";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";

describe("parseGoDuration", () => {
  test.for<[string, number]>([
    ["1h30m", 5_400_000],
    ["90s", 90_000],
    ["500ms", 500],
    ["+1.5s", 1500],
    [".5s", 500],
    ["1.s", 1000],
    ["1m1m", 120_000],
    ["2000us", 2],
    ["2000µs", 2],
    ["2000μs", 2],
    ["1ns", 1],
  ])("%s is %i ms", ([text, ms]) => {
    expect(parseGoDuration(text)).toBe(ms);
  });

  test.for([["0"], ["0s"], ["-1s"], ["1"], ["s"], ["1d"], [""], ["1h 30m"], ["1e3s"], [".s"], ["9999999999h"]])(
    "%s is not a time",
    ([text = ""]) => {
      expect(parseGoDuration(text)).toBeUndefined();
    },
  );
});

describe("formatGoDuration", () => {
  test.for<[number, string]>([
    [3_600_000, "1h"],
    [5_400_000, "1h30m"],
    [90_000, "1m30s"],
    [1500, "1s500ms"],
    [1, "1ms"],
    [90_000_000, "25h"],
  ])("%i ms are %s", ([ms, text]) => {
    expect(formatGoDuration(ms)).toBe(text);
  });

  test.for([[0], [-1], [1.5], [Number.NaN], [Number.POSITIVE_INFINITY]])("%f is written so that it can be reported", ([ms = 0]) => {
    expect(formatGoDuration(ms)).toBe(`${ms}ms`);
  });
});
