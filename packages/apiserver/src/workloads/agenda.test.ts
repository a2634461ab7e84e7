import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { Agenda } from "./agenda.ts";

function begun() {
  const clock = fakeClock(0);
  const told: string[] = [];
  const agenda = new Agenda<string>(clock, (task) => void told.push(`${task} at ${clock.now()}`));
  return { clock, told, agenda };
}

test("tasks of one time become due together, in the order of `put`, with one timer of the clock", async () => {
  const { clock, told, agenda } = begun();
  agenda.put("b", "b", 10);
  agenda.put("late", "late", 30);
  agenda.put("a", "a", 10);
  expect([clock.nextDue(), agenda.nextDue()]).toEqual([10, 10]);
  await clock.advance(10);
  expect(told).toEqual(["b at 10", "a at 10"]);
  expect([clock.nextDue(), agenda.nextDue()]).toEqual([30, 30]);
});

test("a task that is put again moves to its new time and runs once", async () => {
  const { clock, told, agenda } = begun();
  agenda.put("a", "a", 10);
  agenda.put("a", "a", 20);
  agenda.put("b", "b", 50);
  agenda.put("b", "b", 5);
  await clock.advance(100);
  expect(told).toEqual(["b at 5", "a at 20"]);
});

test("a removed task leaves no timer behind, at which virtual time would stop", () => {
  const { clock, agenda } = begun();
  agenda.put("a", "a", 10);
  agenda.put("b", "b", 20);
  agenda.remove("a");
  expect(clock.nextDue()).toBe(20);
  agenda.clear();
  expect([clock.nextDue(), agenda.nextDue()]).toEqual([undefined, undefined]);
});

test("a task that is put for now by another task runs at once, after the tasks of the same time", async () => {
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
