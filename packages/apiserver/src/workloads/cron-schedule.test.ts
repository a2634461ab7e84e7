import { expect, test } from "vitest";
import { parseSchedule } from "./cron-schedule.ts";

const at = (text: string): number => Date.parse(text);
const text = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16));

test.for([
  { schedule: "* * * * *", after: "2026-01-01T00:00:30Z", want: "2026-01-01T00:01", reason: "every minute" },
  { schedule: "*/15 * * * *", after: "2026-01-01T00:46:00Z", want: "2026-01-01T01:00", reason: "a step restarts each hour" },
  { schedule: "5/20 * * * *", after: "2026-01-01T00:06:00Z", want: "2026-01-01T00:25", reason: "a number with a step goes on to the end" },
  { schedule: "0 22-23,3 * * *", after: "2026-01-01T23:00:00Z", want: "2026-01-02T03:00", reason: "lists and ranges" },
  { schedule: "0 0 29 2 *", after: "2026-01-01T00:00:00Z", want: "2028-02-29T00:00", reason: "a day that few years have" },
  { schedule: "0 0 13 * fri", after: "2026-01-01T00:00:00Z", want: "2026-01-02T00:00", reason: "of day and weekday one is enough" },
  { schedule: "0 0 13 * *", after: "2026-01-01T00:00:00Z", want: "2026-01-13T00:00", reason: "any weekday does not count" },
  { schedule: "0 0 * JAN-MAR Mon", after: "2026-03-30T00:00:00Z", want: "2027-01-04T00:00", reason: "names in any case" },
  { schedule: "@daily", after: "2026-01-01T00:00:00Z", want: "2026-01-02T00:00", reason: "named schedules" },
  { schedule: "@weekly", after: "2026-01-01T00:00:00Z", want: "2026-01-04T00:00", reason: "weeks begin on Sunday" },
  { schedule: "0 0 30 2 *", after: "2026-01-01T00:00:00Z", want: undefined, reason: "a day that no year has" },
])("$schedule: $reason", ({ schedule, after, want }) => {
  expect(text(parseSchedule(schedule)?.next(at(after)))).toBe(want);
});

test.for([
  "",
  "* * * *",
  "* * * * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 7",
  "5-1 * * * *",
  "*/0 * * * *",
  "a * * * *",
  "1-2-3 * * * *",
  "@often",
])("%s is no schedule", (schedule) => {
  expect(parseSchedule(schedule)).toBeUndefined();
});

test("the times of a schedule follow its time zone, also when the clocks change", () => {
  const schedule = parseSchedule("30 1 * * *", "Europe/Berlin");
  expect(text(schedule?.next(at("2026-03-28T12:00:00Z")))).toBe("2026-03-29T00:30");
  expect(text(schedule?.next(at("2026-03-29T12:00:00Z")))).toBe("2026-03-29T23:30");
  const midnight = parseSchedule("15 0 * * *", "Europe/Berlin");
  expect(text(midnight?.next(at("2026-03-28T23:20:00Z")))).toBe("2026-03-29T22:15");
});

test("a schedule with an unknown time zone is invalid", () => {
  expect(parseSchedule("* * * * *", "Mars/Base")).toBeUndefined();
});

test("the last time of a schedule is found at once after any pause", () => {
  const minutely = parseSchedule("* * * * *");
  expect(text(minutely?.last(at("2016-01-01T00:00:00Z"), at("2026-01-01T00:00:30Z")))).toBe("2026-01-01T00:00");
  const yearly = parseSchedule("@yearly");
  expect(text(yearly?.last(at("2024-06-01T00:00:00Z"), at("2026-06-01T00:00:00Z")))).toBe("2026-01-01T00:00");
  expect(yearly?.last(at("2026-01-01T00:00:00Z"), at("2026-06-01T00:00:00Z"))).toBeUndefined();
  expect(text(yearly?.last(at("2025-12-31T23:59:59Z"), at("2026-01-01T00:00:00Z")))).toBe("2026-01-01T00:00");
});

test("an interval starts at the last time", () => {
  const schedule = parseSchedule("@every 90m");
  expect(text(schedule?.next(at("2026-01-01T00:10:00.500Z")))).toBe("2026-01-01T01:40");
  expect(text(schedule?.last(at("2026-01-01T00:00:00Z"), at("2026-01-01T05:00:00Z")))).toBe("2026-01-01T04:30");
  expect(schedule?.last(at("2026-01-01T00:00:00Z"), at("2026-01-01T01:00:00Z"))).toBeUndefined();
});
