import { expect, test } from "vitest";
import { Backoff, WAITING_CURVE } from "./backoff.ts";

test("waiting grows from 50 ms to 10 s and begins anew when the reason changes", () => {
  const backoff = new Backoff(WAITING_CURVE);
  expect(Array.from({ length: 10 }, () => backoff.next("a", "no secret"))).toEqual([
    50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000,
  ]);
  expect([backoff.next("b", "no secret"), backoff.next("a", "bad secret"), backoff.next("a", "bad secret")]).toEqual([50, 50, 100]);
  expect(backoff.attempts("a")).toBe(2);
  backoff.forget("a");
  expect([backoff.attempts("a"), backoff.next("a", "bad secret")]).toEqual([0, 50]);
});

test("never passes the maximum, however many attempts", () => {
  const backoff = new Backoff({ baseMs: 1, maxMs: 10 });
  for (let i = 0; i < 2000; i++) backoff.next("a");
  expect(backoff.next("a")).toBe(10);
});

test("a base of nothing stays nothing, however many attempts", () => {
  const backoff = new Backoff({ baseMs: 0, maxMs: 10 });
  for (let i = 0; i < 2000; i++) expect(backoff.next("a")).toBe(0);
});

test.for([
  { baseMs: -1, maxMs: 10 },
  { baseMs: 20, maxMs: 10 },
  { baseMs: 1, maxMs: 10, factor: 0.5 },
  { baseMs: 1, maxMs: Number.POSITIVE_INFINITY },
  { baseMs: Number.NaN, maxMs: 10 },
])("refuses a curve that is not one: %j", (curve) => {
  expect(() => new Backoff(curve)).toThrow(RangeError);
});
