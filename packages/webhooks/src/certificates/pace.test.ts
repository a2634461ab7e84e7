import { expect, test } from "vitest";
import { fakeClock } from "@treadle/apimachinery";
import { pace } from "./pace.ts";

test("the first repetitions have no pause, and the pauses of the next ones double up to five minutes", async () => {
  const clock = fakeClock();
  const limit = pace(clock);
  const pauses: number[] = [];
  for (let n = 0; n < 16; n++) {
    limit.note();
    pauses.push((limit.nextAtMs - clock.now()) / 1000);
  }
  expect(pauses).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  await clock.advance(31 * 60_000);
  limit.note();
  expect(limit.nextAtMs).toBe(clock.now());
});

test("a failure has a pause at once, until a success", () => {
  const clock = fakeClock();
  const limit = pace(clock);
  limit.note(true);
  limit.note(true);
  expect(limit.nextAtMs - clock.now()).toBe(2000);
  limit.reset();
  expect(limit.nextAtMs).toBeLessThan(clock.now());
});
