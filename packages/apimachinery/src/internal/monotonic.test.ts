import fc from "fast-check";
import { expect, test } from "vitest";
import { monotonicNow } from "./monotonic.ts";

test("monotonicNow does not follow a wall clock that is set back", () => {
  let wall = 1_000_000;
  let elapsed = 7;
  const now = monotonicNow(
    () => wall,
    () => elapsed,
  );
  expect(now()).toBe(1_000_000);
  wall -= 3_600_000;
  elapsed += 90_000;
  wall += 90_000;
  expect(now()).toBe(1_090_000);
});

test("monotonicNow follows a wall clock that jumps forward, as when a suspended machine wakes up", () => {
  let wall = 1_000_000;
  const now = monotonicNow(
    () => wall,
    () => 7,
  );
  now();
  wall += 3_600_000;
  expect(now()).toBe(4_600_000);
});

/** Invariants for any wall clock: 1. The time never goes back. 2. It advances at least as fast as the monotonic clock. */
test("monotonicNow never goes back and never stops, whatever happens to the wall clock", () => {
  const step = fc.record({ wall: fc.integer({ min: -1e7, max: 1e7 }), elapsed: fc.integer({ min: 0, max: 1e6 }) });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let wall = 1e12;
      let elapsed = 0;
      const now = monotonicNow(
        () => wall,
        () => elapsed,
      );
      let last = now();
      for (const by of steps) {
        wall += by.wall;
        elapsed += by.elapsed;
        const next = now();
        expect(next - last).toBeGreaterThanOrEqual(by.elapsed);
        last = next;
      }
    }),
  );
});
