import { describe, expect, test } from "vitest";
import { earlier, isToBeAsked, Timing, type TimeUse } from "./timing.ts";

const at = (nowMs: number): Timing => new Timing({ now: () => nowMs }, 'step "web"');

describe("the time that a function gets", () => {
  test("is noted as used, until it is taken", () => {
    const timing = at(1_000);
    expect(timing.take("desired")).toBeUndefined();
    expect(timing.now()).toBe(1_000);
    expect(timing.take("desired")).toEqual({ isTimed: true, dueAtMs: undefined });
    expect(timing.take("desired")).toBeUndefined();
  });

  test("notes the earliest request for another pass", () => {
    const timing = at(1_000);
    timing.revisit(500);
    timing.revisit(200);
    timing.revisit(Number.POSITIVE_INFINITY);
    expect(timing.take("until")).toEqual({ isTimed: false, dueAtMs: 1_200 });
  });

  test("names the first function that does not report when its answer changes", () => {
    const timing = at(0);
    timing.now();
    timing.revisit(1);
    timing.take("when");
    expect(timing.vague).toBeUndefined();
    for (const name of ["until", "desired"]) {
      timing.now();
      timing.take(name);
    }
    expect(timing.vague).toBe("until");
  });

  test.for([-1, Number.NaN, "1", undefined, null])("refuses %j as a delay", (afterMs) => {
    expect(() => at(0).revisit(afterMs as never)).toThrow(
      `step "web": revisit: afterMs must be a number of milliseconds from 0, or Infinity, not ${String(afterMs)}`,
    );
  });
});

test.for<{ name: string; use: TimeUse | undefined; want: boolean }>([
  { name: "that did not use the time", use: undefined, want: false },
  { name: "that asked for the time", use: { isTimed: true, dueAtMs: 9_000 }, want: true },
  { name: "that wants to be asked later", use: { isTimed: false, dueAtMs: 5_001 }, want: false },
  { name: "that wants to be asked now", use: { isTimed: false, dueAtMs: 5_000 }, want: true },
])("a function $name must be called again: $want", ({ use, want }) => {
  expect(isToBeAsked(use, 5_000)).toBe(want);
});

test.for<[number | undefined, number | undefined, number | undefined]>([
  [undefined, undefined, undefined],
  [1, undefined, 1],
  [undefined, 2, 2],
  [3, 2, 2],
  [2, 3, 2],
])("the earlier of %j and %j is %j", ([a, b, want]) => {
  expect(earlier(a, b)).toBe(want);
});
