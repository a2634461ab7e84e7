import { fakeClock } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { isReconcileError } from "../errors.ts";
import { Budget, isPromiseLike, Scope, withinDeadline } from "./deadline.ts";

const boom = new Error("boom");
const slow = new Error("too slow");
const bye = new Error("shutdown");

/** A race that the test decides. */
function race(given: { readonly ms?: number; readonly abort?: AbortController } = {}) {
  const clock = fakeClock();
  const scope = new Scope();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const abort = given.abort ?? new AbortController();
  const result = withinDeadline(clock, promise, scope, { deadline: { ms: given.ms ?? 1_000, exceeded: () => slow }, signal: abort.signal });
  result.catch(() => undefined);
  return { clock, scope, resolve, reject, abort, result };
}

describe("a phase against its deadline", () => {
  test("in time: its value counts, and no timer is left", async () => {
    const { clock, scope, resolve, result } = race();
    await clock.advance(999);
    resolve("value");
    expect(await result).toBe("value");
    expect(clock.nextDue()).toBeUndefined();
    expect(scope.isRevoked).toBe(false);
  });

  test("failed in time: its error counts, and no timer is left", async () => {
    const { clock, scope, reject, result } = race();
    reject(boom);
    await expect(result).rejects.toBe(boom);
    expect(clock.nextDue()).toBeUndefined();
    expect(scope.isRevoked).toBe(false);
  });

  test("too slow: the reason is thrown, the signal ends with it, the req is revoked, and no timer is left", async () => {
    const { clock, scope, result } = race();
    const { signal } = scope;
    await clock.advance(1_000);
    await expect(result).rejects.toBe(slow);
    expect(signal.reason).toBe(slow);
    expect(() => scope.check("s")).toThrow(/step "s" used its req after the pass went on without it: too slow/);
    expect(clock.nextDue()).toBeUndefined();
  });

  test.for<[string, (r: ReturnType<typeof race>) => void]>([
    ["a late value", (r) => r.resolve("late")],
    ["a late rejection", (r) => r.reject(boom)],
  ])("%s is nobody's", async ([, settle]) => {
    // vitest fails the run for an unhandled rejection, so reaching the end is the assertion.
    const r = race();
    await r.clock.advance(1_000);
    settle(r);
    await r.clock.advance(1);
    await expect(r.result).rejects.toBe(slow);
  });

  test("shutdown before the deadline ends it with an abort that carries the signal's reason", async () => {
    const { clock, scope, abort, result } = race();
    await clock.advance(10);
    abort.abort(bye);
    await expect(result).rejects.toMatchObject({ name: "AbortError", cause: bye });
    expect(scope.isRevoked).toBe(true);
    expect(clock.nextDue()).toBeUndefined();
  });

  test("a signal that ended before it began ends it at once", async () => {
    const abort = new AbortController();
    abort.abort(bye);
    const { clock, result } = race({ abort });
    await expect(result).rejects.toMatchObject({ name: "AbortError", cause: bye });
    expect(clock.nextDue()).toBeUndefined();
  });

  test("shutdown after it is over changes nothing", async () => {
    const { scope, resolve, abort, result } = race();
    resolve("value");
    await result;
    abort.abort(bye);
    expect(scope.isRevoked).toBe(false);
  });

  test("a deadline that has passed already gives it one turn, no more", async () => {
    const { clock, result } = race({ ms: -5 });
    await clock.advance(0);
    await expect(result).rejects.toBe(slow);
  });

  test("a reason that is no Error is the cause of one", async () => {
    const { abort, result } = race();
    abort.abort("stop it");
    await expect(result).rejects.toMatchObject({ name: "AbortError", cause: "stop it" });
  });

  test("many phases on one signal leave no listener behind", async () => {
    const abort = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = abort.signal;
    abort.signal.addEventListener = (...args: unknown[]): void => (listeners++, Reflect.apply(addEventListener, abort.signal, args));
    abort.signal.removeEventListener = (...args: unknown[]): void => (listeners--, Reflect.apply(removeEventListener, abort.signal, args));
    for (let i = 0; i < 20; i++) {
      const { resolve, result } = race({ abort });
      resolve("value");
      await result;
    }
    expect(listeners).toBe(0);
  });
});

describe("a scope", () => {
  test("that was revoked before anyone asked has an ended signal", () => {
    const scope = new Scope();
    scope.revoke(slow);
    expect(scope.signal.aborted).toBe(true);
    expect(scope.signal.reason).toBe(slow);
  });

  test("gives the same signal each time", () => {
    const scope = new Scope();
    expect(scope.signal).toBe(scope.signal);
    expect(scope.signal.aborted).toBe(false);
  });

  test("names the step and keeps the reason as the cause", () => {
    const scope = new Scope();
    expect(() => scope.check("s")).not.toThrow();
    scope.revoke(slow);
    let thrown: unknown;
    try {
      scope.check("s");
    } catch (error) {
      thrown = error;
    }
    expect(isReconcileError(thrown)).toBe(true);
    expect(thrown).toMatchObject({ code: "ERR_REVOKED", step: "s", cause: slow });
  });
});

describe("a budget", () => {
  test("arms its timer when its signal is first asked for, counted from the beginning", async () => {
    const clock = fakeClock();
    const budget = new Budget(clock, 1_000, { exceeded: () => slow });
    await clock.advance(400);
    expect(clock.nextDue()).toBeUndefined();
    const { signal } = budget;
    await clock.advance(599);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toBe(slow);
  });

  test("that is used up ends with the next turn", async () => {
    const clock = fakeClock();
    const budget = new Budget(clock, 1_000, { exceeded: () => slow });
    await clock.advance(5_000);
    const { signal } = budget;
    await clock.advance(0);
    expect(signal.reason).toBe(slow);
  });

  test("closed leaves no timer and does not end any more", async () => {
    const clock = fakeClock();
    const parent = new AbortController();
    const budget = new Budget(clock, 1_000, { exceeded: () => slow, parent: parent.signal });
    const { signal } = budget;
    budget.close();
    budget.close();
    expect(clock.nextDue()).toBeUndefined();
    parent.abort(bye);
    expect(signal.aborted).toBe(false);
  });

  test.for([
    { name: "ends with its parent", early: false },
    { name: "has ended where the parent had", early: true },
  ])("$name", ({ early }) => {
    const parent = new AbortController();
    const budget = new Budget(fakeClock(), 1_000, { exceeded: () => slow, parent: parent.signal });
    if (early) parent.abort(bye);
    const { signal } = budget;
    if (!early) parent.abort(bye);
    expect(signal.reason).toBe(bye);
    budget.close();
  });
});

test.for<[unknown, boolean]>([
  [Promise.resolve(), true],
  // oxlint-disable-next-line unicorn/no-thenable -- what steps may return
  [{ then: () => undefined }, true],
  // oxlint-disable-next-line unicorn/no-thenable
  [{ then: 5 }, false],
  [null, false],
  [undefined, false],
  ["then", false],
  [() => undefined, false],
])("%s is a promise: %s", ([value, want]) => {
  expect(isPromiseLike(value)).toBe(want);
});
