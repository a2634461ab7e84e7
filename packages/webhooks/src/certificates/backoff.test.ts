import { expect, test } from "vitest";
import { fakeClock } from "@treadle/apimachinery";
import { Backoff } from "./backoff.ts";

test("the first repetitions have no pause, and the pauses of the next ones double up to five minutes", async () => {
  const clock = fakeClock();
  const backoff = new Backoff(clock);
  const pauses: number[] = [];
  for (let n = 0; n < 16; n++) {
    backoff.repeated();
    pauses.push((backoff.nextAtMs - clock.now()) / 1000);
  }
  expect(pauses).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  await clock.advance(31 * 60_000);
  backoff.repeated();
  expect(backoff.nextAtMs).toBe(clock.now());
});

test("a failure has a pause at once, until a success", () => {
  const clock = fakeClock();
  const backoff = new Backoff(clock);
  backoff.failed();
  backoff.failed();
  expect(backoff.nextAtMs - clock.now()).toBe(2000);
  backoff.reset();
  expect(backoff.nextAtMs).toBeLessThan(clock.now());
});
