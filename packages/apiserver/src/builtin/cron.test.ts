import { describe, expect, test } from "vitest";
import { parseCron } from "./cron.ts";

describe("schedules", () => {
  test.for(["* * * * *", "*/5 0-12/2 1,15 jan-MAR sun", "0 0 ? * 0-6", "@daily", "@every 1h30m", "59/7 23 31 12 6"])(
    "%j is a valid schedule",
    (text) => {
      expect(parseCron(text)).toBeTypeOf("object");
    },
  );

  test.for<[string, string]>([
    ["", "expected exactly 5 fields, found 0: []"],
    ["* * * * *  *", "expected exactly 5 fields, found 6: [* * * * * *]"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["* * * foo *", 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'],
    ["@every", "unrecognized descriptor: @every"],
  ])("%j is none: %s", ([text, problem]) => expect(parseCron(text)).toBe(problem));
});

test.for([
  ["0 0 13 * fri", false],
  ["0 0 13 * *", true],
  ["0 0 13,*/1 * fri", true],
  ["0 0 */2 * fri", false],
] as const)("%s: day and weekday must both fit: %s", ([text, needsBothDays]) => {
  expect(parseCron(text)).toMatchObject({ needsBothDays });
});

test("an interval has whole seconds, and at least one", () => {
  expect(parseCron("@every 1h30m1.7s")).toEqual({ type: "every", ms: 5_401_000 });
  expect(parseCron("@every 3ms")).toEqual({ type: "every", ms: 1_000 });
});
