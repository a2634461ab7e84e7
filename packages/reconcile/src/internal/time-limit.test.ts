import { expect, test } from "vitest";
import { TimeLimit } from "./time-limit.ts";

test("work that ends in time has its result, and its error", () => {
  const limit = new TimeLimit();
  expect(limit.run(() => 5)).toEqual({ result: 5 });
  expect(limit.run(() => undefined)).toEqual({ result: undefined });
  const boom = new Error("boom");
  expect(() =>
    limit.run(() => {
      throw boom;
    }),
  ).toThrow(boom);
});

test("work that never ends is ended, though it catches errors, and the next work runs", () => {
  const limit = new TimeLimit();
  const endless = () => {
    for (;;)
      try {
        /^(a+)+$/u.test(`${"a".repeat(60)}!`);
      } catch {
        // The end of the work cannot be caught.
      }
  };
  expect(limit.run(endless)).toBeUndefined();
  expect(limit.run(() => 5)).toEqual({ result: 5 });
});
