import { expect, test } from "vitest";
import { startsOf } from "./schedule.ts";

const at = (time: string): Date => new Date(`2026-01-01T${time}Z`);

test.for([
  { reason: "no start has passed", since: "10:00:00", now: "10:05:00", due: undefined, next: "10:10:00" },
  { reason: "a start at this second is due", since: "10:00:00", now: "10:10:00", due: "10:10:00", next: "10:20:00" },
  { reason: "of several missed starts the last one is due", since: "10:00:00", now: "10:45:00", due: "10:40:00", next: "10:50:00" },
])("startsOf: $reason", ({ since, now, due, next }) => {
  expect(startsOf("*/10 * * * *", { since: at(since), now: at(now) })).toEqual({
    due: due === undefined ? undefined : at(due),
    next: at(next),
  });
});

test.for([
  { schedule: "every day", text: /every day|pattern/i },
  { schedule: "0 0 30 2 *", text: "no further start" },
])("the schedule $schedule is refused", ({ schedule, text }) => {
  expect(() => startsOf(schedule, { since: at("10:00:00"), now: at("11:00:00") })).toThrow(text);
});

test("of many missed starts only the last one is due", () => {
  expect(startsOf("* * * * *", { since: at("00:00:00"), now: at("13:00:30") }).due).toEqual(at("13:00:00"));
});
