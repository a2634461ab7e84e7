import { describe, expect, test } from "vitest";
import { and, not, or } from "./gates.ts";

const yes = (): boolean | undefined => true;
const no = (): boolean | undefined => false;
const unknown = (): boolean | undefined => undefined;
const mistake = (): boolean | undefined => "yes" as never;

describe("and, or, not", () => {
  test.for([
    { name: "and(yes, yes)", gate: and(yes, yes), want: true },
    { name: "and(yes, no)", gate: and(yes, no), want: false },
    { name: "and(yes, unknown)", gate: and(yes, unknown), want: undefined },
    { name: "and(unknown, no)", gate: and(unknown, no), want: false },
    { name: "and(unknown)", gate: and(unknown), want: undefined },
    { name: "or(no, yes)", gate: or(no, yes), want: true },
    { name: "or(no, no)", gate: or(no, no), want: false },
    { name: "or(no, unknown)", gate: or(no, unknown), want: undefined },
    { name: "or(unknown, yes)", gate: or(unknown, yes), want: true },
    { name: "or(unknown)", gate: or(unknown), want: undefined },
    { name: "not(yes)", gate: not(yes), want: false },
    { name: "not(no)", gate: not(no), want: true },
    { name: "not(unknown)", gate: not(unknown), want: undefined },
    { name: "and(mistake, no)", gate: and(mistake, no), want: "yes" },
    { name: "or(mistake, yes)", gate: or(mistake, yes), want: "yes" },
    { name: "not(mistake)", gate: not(mistake), want: "yes" },
  ])("$name is $want", ({ gate, want }, { expect }) => {
    expect(gate(undefined)).toBe(want);
  });

  test("a combination passes its arguments on", () => {
    const isSum = (a: number, b: number, sum: number): boolean => a + b === sum;
    expect([and(isSum)(1, 2, 3), or(isSum)(1, 2, 4), not(isSum)(1, 2, 3)]).toEqual([true, false, false]);
  });

  test("a combination of nothing is refused", () => {
    expect(() => and()).toThrow("and() needs at least one predicate or gate");
    expect(() => or()).toThrow(TypeError);
  });
});
