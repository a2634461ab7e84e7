import { expect, test, vi } from "vitest";
import { fakeClock, isFakeClock, sleep, systemClock } from "./clock.ts";
import { isAborted } from "./errors.ts";

test("timers fire in the order in which they are due, those due together in the order in which they were set", async () => {
  const clock = fakeClock();
  const fired: string[] = [];
  clock.after(20, () => fired.push(`c at ${clock.now() - start}`));
  clock.after(10, () => fired.push("a"));
  clock.after(10, () => fired.push("b"));
  clock.after(31, () => fired.push("never"));
  const start = clock.now();
  await clock.advance(30);
  expect(fired).toEqual(["a", "b", "c at 20"]);
  expect(clock.now()).toBe(start + 30);
  expect(clock.nextDue()).toBe(start + 31);
});

test("elapsed of a fake clock begins at 0 and grows by advance", async () => {
  const clock = fakeClock();
  await clock.advance(1500);
  expect(clock.elapsed()).toBe(1500);
});

test("elapsed of the system clock does not depend on the wall clock", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  try {
    const before = systemClock.elapsed();
    vi.setSystemTime(10 ** 15);
    expect(systemClock.elapsed() - before).toBeLessThan(10 ** 9);
  } finally {
    vi.useRealTimers();
  }
});

test("a timer set by another timer fires within the same advance", async () => {
  const clock = fakeClock();
  let count = 0;
  const again = (): void => {
    count++;
    clock.after(10, again);
  };
  clock.after(10, again);
  await clock.advance(35);
  expect(count).toBe(3);
});

test("work that a timer starts runs before the next timer", async () => {
  const clock = fakeClock();
  const order: string[] = [];
  clock.after(1, () => void Promise.resolve().then(() => order.push("work of the first")));
  clock.after(2, () => order.push("second"));
  await clock.advance(2);
  expect(order).toEqual(["work of the first", "second"]);
});

test("a cancelled timer does not fire, and a negative delay counts as zero", async () => {
  const clock = fakeClock();
  const fired: string[] = [];
  clock.after(1, () => fired.push("cancelled")).cancel();
  clock.after(-5, () => fired.push("now"));
  await clock.advance(0);
  expect(fired).toEqual(["now"]);
  await clock.advance(5);
  expect(fired).toEqual(["now"]);
});

test("concurrent advances end at the latest of their times, and the time never goes back", async () => {
  const clock = fakeClock(0);
  await Promise.all([clock.advance(10), clock.advance(5), clock.advance(0)]);
  expect(clock.now()).toBe(10);
});

test.for([-1, -500, Number.NaN, Number.POSITIVE_INFINITY])("advance refuses %d", async (delayMs) => {
  const clock = fakeClock(100);
  await expect(clock.advance(delayMs)).rejects.toThrow(RangeError);
  expect(clock.now()).toBe(100);
});

test("a timer with delay NaN is refused and does not hide others", async () => {
  const clock = fakeClock();
  const fired: string[] = [];
  for (const one of [clock, systemClock]) expect(() => one.after(Number.NaN, () => fired.push("NaN"))).toThrow(RangeError);
  clock.after(1, () => fired.push("a"));
  await clock.advance(1);
  expect(fired).toEqual(["a"]);
});

test("timers that throw do not stop others, and advance throws their errors at the end", async () => {
  const clock = fakeClock(0);
  const fired: number[] = [];
  const fail = (message: string) => (): never => {
    fired.push(clock.now());
    throw new Error(message);
  };
  clock.after(1, fail("first"));
  clock.after(2, () => fired.push(clock.now()));
  await expect(clock.advance(5)).rejects.toThrow("first");
  expect(clock.now()).toBe(5);
  clock.after(1, fail("second"));
  clock.after(2, fail("third"));
  await expect(clock.advance(5)).rejects.toMatchObject({ errors: [{ message: "second" }, { message: "third" }] });
  expect(fired).toEqual([1, 2, 6, 7]);
  expect(clock.now()).toBe(10);
});

test("the system clock has the time of day and continues when the wall clock is set back", () => {
  const before = systemClock.now();
  expect(Math.abs(before - Date.now())).toBeLessThan(1000);
  const wall = vi.spyOn(Date, "now").mockReturnValue(before - 3_600_000);
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  wall.mockRestore();
});

test("sleep ends after its time, or rejects with the signal's reason and leaves no timer", async () => {
  const clock = fakeClock();
  const done = sleep(clock, 10);
  await clock.advance(10);
  await done;
  const abort = new AbortController();
  const cut = sleep(clock, 10, abort.signal);
  abort.abort();
  await expect(cut).rejects.toSatisfy(isAborted);
  expect(clock.nextDue()).toBeUndefined();
  await expect(sleep(clock, 10, abort.signal)).rejects.toSatisfy(isAborted);
});

test("a timer of the system clock fires, and a delay beyond the limit of setTimeout does not fire at once", async () => {
  await new Promise<void>((resolve) => {
    // its timers do not keep the process alive, so something else must
    const alive = setInterval(() => undefined, 1000);
    const far = systemClock.after(2 ** 31 + 1000, () => expect.unreachable());
    systemClock.after(1, () => {
      clearInterval(alive);
      far.cancel();
      resolve();
    });
  });
});

test("isFakeClock tells a fake clock from the system clock", () => {
  expect(isFakeClock(fakeClock())).toBe(true);
  expect(isFakeClock(systemClock)).toBe(false);
});
