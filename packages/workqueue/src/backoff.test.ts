import { expect, test } from "vitest";
import { type Backoff, checkBackoff, CLUSTER_BACKOFF, delayAfter, EXTERNAL_BACKOFF, WAITING_BACKOFF } from "./backoff.ts";

const delays = (backoff: Backoff, count: number): number[] => Array.from({ length: count }, (_, attempts) => delayAfter(backoff, attempts));

test("the waiting backoff grows from 50 ms to 10 s", () => {
  expect(delays(WAITING_BACKOFF, 10)).toEqual([50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
});

test("the backoff after failures against the cluster grows from 5 ms to 1000 s", () => {
  const all = delays(CLUSTER_BACKOFF, 20);
  expect(all.slice(0, 4)).toEqual([5, 10, 20, 40]);
  expect(all.at(-1)).toBe(1_000_000);
});

test("the backoff after failures against external systems grows from 1 s to 60 s", () => {
  expect(delays(EXTERNAL_BACKOFF, 8)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test("a delay never exceeds the maximum, however many attempts there were", () => {
  expect([delayAfter({ baseMs: 1, maxMs: 10 }, 2000), delayAfter({ baseMs: 1, maxMs: 10 }, Number.POSITIVE_INFINITY)]).toEqual([10, 10]);
});

test("a backoff with a base of 0 has no delays, however many attempts there were", () => {
  expect([delayAfter({ baseMs: 0, maxMs: 10 }, 0), delayAfter({ baseMs: 0, maxMs: 10 }, 2000)]).toEqual([0, 0]);
});

test("jitter adds up to its part of a delay, also to the longest one", () => {
  const backoff = { baseMs: 800, maxMs: 30_000, jitter: 0.5 };
  const at = (value: number) => ({ next: () => value });
  expect([delayAfter(backoff, 0, at(0)), delayAfter(backoff, 0, at(0.5)), delayAfter(backoff, 99, at(1))]).toEqual([800, 1000, 45_000]);
});

test.for([
  { baseMs: -1, maxMs: 10 },
  { baseMs: 20, maxMs: 10 },
  { baseMs: 1, maxMs: 10, factor: 0.5 },
  { baseMs: 1, maxMs: Number.POSITIVE_INFINITY },
  { baseMs: Number.NaN, maxMs: 10 },
  { baseMs: 1, maxMs: 10, jitter: -1 },
])("a backoff with impossible numbers is refused: %j", (backoff) => {
  expect(() => checkBackoff(backoff)).toThrow(RangeError);
});
