import { describe, expect, test } from "vitest";
import { isResult, makeContinue, makeStop, makeWait, requireDelay } from "./result.ts";

const NO_DELAYS: readonly unknown[] = [
  Number.NaN,
  -1,
  -0.001,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  "5",
  null,
  5n,
  new Date(5),
  {},
];

describe("results", () => {
  test("say what they are, and nothing more", () => {
    expect(makeContinue({ a: 1 })).toEqual({ type: "continue", vars: { a: 1 } });
    expect(makeWait("r")).toEqual({ type: "wait", reason: "r" });
    expect(makeWait("r", 0)).toEqual({ type: "wait", reason: "r", afterMs: 0 });
    expect(makeStop("r")).toEqual({ type: "stop", reason: "r" });
    expect(Object.keys(makeWait("r"))).not.toContain("afterMs");
  });

  test("cannot be changed, copied or forged", () => {
    const wait = makeWait("r");
    expect(Object.isFrozen(wait)).toBe(true);
    expect(isResult(wait)).toBe(true);
    for (const forged of [{ ...wait }, structuredClone(wait), { type: "stop", reason: "r" }, null, undefined, "wait", 5, () => wait]) {
      expect(isResult(forged)).toBe(false);
    }
  });

  test.for(["", undefined, null, 5, {}, ["r"]])("a wait or stop for the reason %j is refused", (reason) => {
    expect(() => makeWait(reason as string)).toThrow(TypeError);
    expect(() => makeStop(reason as string)).toThrow(TypeError);
  });

  test.for(NO_DELAYS)("a delay of %s is refused, with the name of what was asked", (delay) => {
    expect(() => makeWait("r", delay as number)).toThrow(/^wait: afterMs must be a number of milliseconds from 0/);
    expect(() => requireDelay("revisit", delay as number)).toThrow(/^revisit: afterMs/);
  });

  test.for([0, 0.5, 1, 2 ** 40])("a delay of %s is taken", (delay) => {
    expect(() => requireDelay("wait", delay)).not.toThrow();
  });
});
