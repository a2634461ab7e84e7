import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { Agenda } from "./agenda.ts";

function begun() {
  const clock = fakeClock(0);
  const told: string[] = [];
  const agenda = new Agenda<string>(clock, (task) => void told.push(`${task} at ${clock.now()}`));
  return { clock, told, agenda };
}

test("what is due at one time comes together, in the order in which it was put, with one timer of the clock", async () => {
  const { clock, told, agenda } = begun();
  agenda.put("b", "b", 10);
  agenda.put("late", "late", 30);
  agenda.put("a", "a", 10);
  expect([clock.nextDue(), agenda.nextDue()]).toEqual([10, 10]);
  await clock.advance(10);
  expect(told).toEqual(["b at 10", "a at 10"]);
  expect([clock.nextDue(), agenda.nextDue()]).toEqual([30, 30]);
});

test("a task is put off or brought forward, never done twice", async () => {
  const { clock, told, agenda } = begun();
  agenda.put("a", "a", 10);
  agenda.put("a", "a", 20);
  agenda.put("b", "b", 50);
  agenda.put("b", "b", 5);
  await clock.advance(100);
  expect(told).toEqual(["b at 5", "a at 20"]);
});

test("what is removed leaves no timer behind: virtual time would stop there for nothing", () => {
  const { clock, agenda } = begun();
  agenda.put("a", "a", 10);
  agenda.put("b", "b", 20);
  agenda.remove("a");
  expect(clock.nextDue()).toBe(20);
  agenda.clear();
  expect([clock.nextDue(), agenda.nextDue()]).toEqual([undefined, undefined]);
});

test("what a task puts for now comes at once, after those that are due with it", async () => {
  const clock = fakeClock(0);
  const told: string[] = [];
  const agenda = new Agenda<string>(clock, (task) => {
    told.push(task);
    if (task === "a") agenda.put("again", "again", 0);
  });
  agenda.put("a", "a", 10);
  agenda.put("b", "b", 10);
  await clock.advance(10);
  expect(told).toEqual(["a", "b", "again"]);
});
