import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { type CustomBackoff, RateLimit } from "./rate-limit.ts";

test("with the profile of the cluster each key has delays of its own, however many keys there are", () => {
  const limit = new RateLimit("cluster", fakeClock());
  const first = Array.from({ length: 10_000 }, (_, at) => limit.next(`key-${at}`));
  expect(new Set(first)).toEqual(new Set([5]));
  expect(limit.next("key-0")).toBe(10);
  limit.forget("key-0");
  expect([limit.next("key-0"), limit.next("key-0")]).toEqual([5, 10]);
});

test("with the profile of external systems 100 keys are due after their own delay, the others at 10 a second", () => {
  const limit = new RateLimit("external", fakeClock());
  const delays = Array.from({ length: 720 }, (_, at) => limit.next(`key-${at}`));
  expect(delays.slice(0, 110), "the bucket, then the token that is added in the first second").toEqual(Array(110).fill(1000));
  expect(delays[110]).toBe(1100);
  expect(delays.at(-1), "longer than the 60 s of the backoff").toBe(62_000);
});

test("a bucket is filled by elapsed time, and not beyond its size", async () => {
  const clock = fakeClock();
  const limit = new RateLimit({ baseMs: 0, maxMs: 0, bucket: { perSecond: 1, burst: 2 } }, clock);
  const take = (count: number): number[] => Array.from({ length: count }, () => limit.next("key"));
  expect(take(3)).toEqual([0, 0, 1000]);
  await clock.advance(2000);
  expect(take(2)).toEqual([0, 1000]);
  await clock.advance(1_000_000);
  expect(take(3)).toEqual([0, 0, 1000]);
});

test.for<CustomBackoff>([
  { baseMs: 1, maxMs: 1, bucket: { perSecond: 0, burst: 1 } },
  { baseMs: 1, maxMs: 1, bucket: { perSecond: Number.NaN, burst: 1 } },
  { baseMs: 1, maxMs: 1, bucket: { perSecond: 1, burst: 0 } },
  { baseMs: 2, maxMs: 1 },
])("a profile with impossible numbers is refused: %j", (profile) => {
  expect(() => new RateLimit(profile, fakeClock())).toThrow(RangeError);
});
