import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  conditionProblems,
  findCondition,
  formatTime,
  isConditionReason,
  isConditionTrue,
  mergeConditions,
  setCondition,
} from "./conditions.ts";
import type { Condition } from "./objects.ts";

const T0 = Date.UTC(2026, 0, 1, 12, 0, 0, 999);
const ready = (given: Partial<Condition> = {}): Condition => ({
  type: "Ready",
  status: "True",
  reason: "Ok",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...given,
});

describe("setCondition", () => {
  test("a new condition is appended, with the present time in whole seconds", () => {
    const other = ready({ type: "Other" });
    expect(setCondition([other], { type: "Ready", status: "False", reason: "No", message: "m", observedGeneration: 3 }, T0)).toEqual([
      other,
      { type: "Ready", status: "False", reason: "No", message: "m", observedGeneration: 3, lastTransitionTime: "2026-01-01T12:00:00Z" },
    ]);
  });

  test("the transition time changes only with the status", () => {
    const before = [ready()];
    const sameStatus = setCondition(before, { type: "Ready", status: "True", reason: "Better", message: "x" }, T0);
    expect(sameStatus).toEqual([ready({ reason: "Better", message: "x" })]);
    expect(setCondition(before, { type: "Ready", status: "Unknown", reason: "Ok", message: "" }, T0)[0]?.lastTransitionTime).toBe(
      "2026-01-01T12:00:00Z",
    );
  });

  test("a call without a change returns the same list", () => {
    const before = [ready()];
    expect(setCondition(before, { type: "Ready", status: "True", reason: "Ok", message: "" }, T0)).toBe(before);
  });

  test("a frozen list is accepted", () => {
    const before = Object.freeze([Object.freeze(ready())]);
    expect(setCondition(before, { type: "Ready", status: "False", reason: "No", message: "" }, T0)).toHaveLength(1);
    expect(before).toEqual([ready()]);
  });
});

describe("mergeConditions", () => {
  test("conditions of ours replace those of their type, others stay, removed types are left out", () => {
    const live = [ready({ type: "A" }), ready({ type: "B" }), ready({ type: "C" })];
    const merged = mergeConditions(live, [ready({ type: "D" }), ready({ type: "B", status: "False" })], new Set(["C", "Nope"]));
    expect(merged.map(({ type, status }) => `${type}=${status}`)).toEqual(["A=True", "B=False", "D=True"]);
  });

  test("a condition both set and removed is set", () => {
    expect(mergeConditions([ready()], [ready({ status: "False" })], new Set(["Ready"]))).toEqual([ready({ status: "False" })]);
  });

  test("unknown fields of other writers are kept", () => {
    const foreign = { ...ready({ type: "Foreign" }), severity: "Info" };
    expect(mergeConditions([foreign], [ready()])).toEqual([foreign, ready()]);
  });

  test("an absent list without changes gives an empty list", () => {
    expect(mergeConditions(undefined, [])).toEqual([]);
  });
});

/**
 * Invariants: 1. Types stay unique. 2. Conditions of others are identical before and after, in the same order.
 * 3. Merging twice gives the same as merging once. 4. The order of our conditions decides only the order of new ones.
 */
test("mergeConditions keeps every other writer's conditions", () => {
  const type = fc.constantFrom("A", "B", "C", "D", "E");
  const condition = fc
    .record({ type, status: fc.constantFrom("True" as const, "False" as const, "Unknown" as const) })
    .map(({ type, status }) => ready({ type, status }));
  const list = fc.uniqueArray(condition, { selector: (one) => one.type });
  fc.assert(
    fc.property(list, list, fc.uniqueArray(type), (live, ours, removedTypes) => {
      const removed: ReadonlySet<string> = new Set(removedTypes);
      const merged = mergeConditions(live, ours, removed);
      const types = merged.map((one) => one.type);
      expect(new Set(types).size).toBe(types.length);
      const isForeign = (one: Condition): boolean => !removed.has(one.type) && findCondition(ours, one.type) === undefined;
      expect(merged.filter(isForeign)).toEqual(live.filter(isForeign));
      for (const own of ours) expect(findCondition(merged, own.type)).toEqual(own);
      expect(mergeConditions(merged, ours, removed)).toBe(merged);
      expect(mergeConditions(live, ours.toReversed(), removed).toSorted(byType)).toEqual(merged.toSorted(byType));
    }),
  );
});

const byType = (a: Condition, b: Condition): number => (a.type < b.type ? -1 : 1);

test("findCondition and isConditionTrue find a condition by type", () => {
  expect(findCondition([ready()], "Nope")).toBeUndefined();
  expect(isConditionTrue([ready()], "Ready")).toBe(true);
  expect(isConditionTrue([ready({ status: "Unknown" })], "Ready")).toBe(false);
  expect(isConditionTrue(undefined, "Ready")).toBe(false);
});

test("formatTime writes RFC 3339 in whole seconds", () => {
  expect(formatTime(T0)).toBe("2026-01-01T12:00:00Z");
});

describe("validity", () => {
  test.for([
    { reason: "InvalidObject", want: true },
    { reason: "A", want: true },
    { reason: "Http_404,x:y", want: true },
    { reason: "", want: false },
    { reason: "not ready", want: false },
    { reason: "1Bad", want: false },
    { reason: "Trailing:", want: false },
    { reason: "Line\nBreak", want: false },
    { reason: "A".repeat(1024), want: true },
    { reason: "A".repeat(1025), want: false },
  ])("reason $reason: $want", ({ reason, want }) => {
    expect(isConditionReason(reason)).toBe(want);
  });

  test.for([
    { given: {}, want: 0 },
    { given: { type: "example.com/Ready" }, want: 0 },
    { given: { type: "not ready" }, want: 1 },
    { given: { type: "A".repeat(317) }, want: 1 },
    { given: { status: "true" as never }, want: 1 },
    { given: { reason: "not ready", type: "" }, want: 2 },
    { given: { message: "x".repeat(32769) }, want: 1 },
    // 32,768 characters, twice as many UTF-16 units
    { given: { message: "\u{1f600}".repeat(32768) }, want: 0 },
  ])("finds $want problems", ({ given, want }) => {
    expect(conditionProblems(ready(given))).toHaveLength(want);
  });
});
