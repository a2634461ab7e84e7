import { fakeClock } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { LOW_PRIORITY, type QueueOptions } from "./options.ts";
import { WorkQueue } from "./queue.ts";

function setUp(options: QueueOptions = {}) {
  const clock = fakeClock(0);
  return { clock, queue: new WorkQueue({ clock, ...options }) };
}

/** The ready keys, each done at once. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.status().queued > 0) {
    const key = await queue.get();
    if (key === undefined) break;
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

/** Whether a promise is pending after everything that is ready has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  void promise.then(
    () => (pending = false),
    () => (pending = false),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return pending;
}

describe("keys", () => {
  test("a dropped key is not handed out, unless it was held", async () => {
    const { queue } = setUp();
    for (const key of ["a", "b"]) queue.add(key);
    queue.addAfter("c", 10);
    for (const key of ["a", "c", "unknown"]) queue.drop(key);
    expect(queue.status()).toMatchObject({ queued: 1, delayed: 0, nextDueAt: undefined });
    expect(await queue.get()).toBe("b");
    queue.add("b");
    queue.drop("b");
    queue.done("b");
    expect(await takeAll(queue)).toEqual(["b"]);
  });

  test("a key that was added several times is handed out once", async () => {
    const { queue } = setUp();
    for (const key of ["a", "b", "a", "a"]) queue.add(key);
    expect(await takeAll(queue)).toEqual(["a", "b"]);
  });

  test("a key that is added while it is held is handed out exactly once after done", async () => {
    const { queue } = setUp();
    queue.add("a");
    expect(await queue.get()).toBe("a");
    queue.add("a");
    queue.add("a");
    const second = queue.get();
    expect(await isPending(second)).toBe(true);
    queue.done("a");
    expect(await second).toBe("a");
    queue.done("a");
    expect(queue.status()).toMatchObject({ queued: 0, running: 0, delayed: 0 });
  });

  test("a key that becomes due while it is held waits for its holder", async () => {
    const { queue, clock } = setUp();
    queue.add("a");
    await queue.get();
    queue.addAfter("a", 10);
    await clock.advance(20);
    expect(queue.status()).toMatchObject({ queued: 1, running: 1, delayed: 0 });
    queue.done("a");
    expect(await takeAll(queue)).toEqual(["a"]);
  });

  test("keys go to waiting callers in the order of their calls", async () => {
    const { queue } = setUp();
    const first = queue.get();
    const second = queue.get();
    queue.add("a");
    queue.add("b");
    expect(await Promise.all([first, second])).toEqual(["a", "b"]);
  });

  test("a key that becomes due goes to a waiting caller, even if another one calls before the timer fires", async () => {
    let now = 0;
    const queue = new WorkQueue({ clock: { now: () => now, elapsed: () => now, after: () => ({ cancel: () => {} }) } });
    queue.addAfter("a", 10);
    queue.addAfter("b", 10);
    const first = queue.get();
    now = 10;
    expect(await Promise.all([queue.get(), first])).toEqual(["b", "a"]);
  });

  test("no key is lost to a caller that was aborted", async () => {
    const { queue } = setUp();
    const controller = new AbortController();
    const gone = queue.get(controller.signal);
    const reason = new Error("boom");
    controller.abort(reason);
    await expect(gone).rejects.toBe(reason);
    queue.add("a");
    expect(await queue.get()).toBe("a");
    await expect(queue.get(controller.signal)).rejects.toBe(reason);
  });

  test("a second done of a key changes nothing", async () => {
    const { queue } = setUp();
    queue.add("a");
    await queue.get();
    queue.done("a");
    queue.done("a");
    queue.done("never");
    expect(queue.status()).toMatchObject({ queued: 0, running: 0 });
  });
});

describe("delays", () => {
  test.for([
    { name: "the earlier one of two delays of a key wins, in any order", delays: [100, 10], due: 10 },
    { name: "a later second delay changes nothing", delays: [10, 100], due: 10 },
    { name: "an add without a delay wins over a delay", delays: [100, 0], due: 0 },
    { name: "a delay does not delay a key that is queued already", delays: [0, 100], due: 0 },
    { name: "a negative delay is no delay", delays: [-5], due: 0 },
  ])("$name", async ({ delays, due }) => {
    const { queue, clock } = setUp();
    for (const delay of delays) queue.addAfter("a", delay);
    const got = queue.get();
    if (due > 0) {
      await clock.advance(due - 1);
      expect(await isPending(got)).toBe(true);
      await clock.advance(1);
    }
    expect(await got).toBe("a");
    queue.done("a");
    await clock.advance(1000);
    expect(queue.status()).toMatchObject({ queued: 0, delayed: 0 });
  });

  test("keys that are due at the same time keep the order in which they were added", async () => {
    const { queue, clock } = setUp();
    for (const key of ["c", "a", "b"]) queue.addAfter(key, 10);
    await clock.advance(10);
    expect(await takeAll(queue)).toEqual(["c", "a", "b"]);
  });

  test("delayed keys need one timer, for the first of them, and none without delayed keys", async () => {
    const { queue, clock } = setUp();
    queue.addAfter("late", 100);
    queue.addAfter("early", 10);
    expect([clock.nextDue(), queue.status().nextDueAt]).toEqual([10, 10]);
    queue.add("early");
    expect([clock.nextDue(), queue.status().nextDueAt]).toEqual([100, 100]);
    queue.add("late");
    expect([clock.nextDue(), queue.status().nextDueAt]).toEqual([undefined, undefined]);
  });

  test("delays and priorities that are not finite numbers are refused", () => {
    const { queue } = setUp();
    expect(() => queue.addAfter("a", Number.NaN)).toThrow(RangeError);
    expect(() => queue.addAfter("a", Number.POSITIVE_INFINITY)).toThrow(RangeError);
    expect(() => queue.add("a", { priority: Number.NaN })).toThrow(RangeError);
  });
});

test("a jump of the system time makes no delayed key due, and delays none", async () => {
  const clock = fakeClock(0);
  let jumpedMs = 0;
  const queue = new WorkQueue({ clock: { ...clock, now: () => clock.now() + jumpedMs } });
  for (let at = 0; at < 100; at++) queue.addAfter(`ns/${at}`, 600_000);
  jumpedMs = 3_600_000; // forward
  queue.add("ns/now");
  expect(queue.status()).toMatchObject({ queued: 1, delayed: 100, nextDueAt: 3_600_000 + 600_000 });
  jumpedMs = -3_600_000; // and back
  await clock.advance(599_999);
  expect(queue.status()).toMatchObject({ queued: 1, delayed: 100 });
  await clock.advance(1);
  expect(queue.status()).toMatchObject({ queued: 101, delayed: 0 });
  expect(queue.keys(1).queued, "waiting times, too").toEqual([{ key: "ns/now", priority: 0, forMs: 600_000 }]);
});

describe("order", () => {
  test("keys are ordered by priority, then first in, first out", async () => {
    const { queue } = setUp();
    queue.add("initial-1", { priority: LOW_PRIORITY });
    queue.add("initial-2", { priority: LOW_PRIORITY });
    queue.add("event-1");
    queue.add("urgent", { priority: 10 });
    queue.add("event-2");
    expect(await takeAll(queue)).toEqual(["urgent", "event-1", "event-2", "initial-1", "initial-2"]);
  });

  test("a second add raises the priority and never lowers it", async () => {
    const { queue } = setUp();
    for (const key of ["a", "b", "c"]) queue.add(key, { priority: LOW_PRIORITY });
    queue.add("c");
    queue.add("c", { priority: LOW_PRIORITY });
    expect(await takeAll(queue)).toEqual(["c", "a", "b"]);
  });

  test("a requeue keeps the priority with which the key was handed out", async () => {
    const { queue, clock } = setUp();
    queue.add("slow", { priority: LOW_PRIORITY });
    await queue.get();
    queue.addAfter("slow", 5);
    queue.done("slow");
    await clock.advance(5);
    queue.add("event");
    expect(await takeAll(queue)).toEqual(["event", "slow"]);
  });

  test("the priority of a delayed key is raised as well", async () => {
    const { queue, clock } = setUp();
    queue.addAfter("a", 10, { priority: LOW_PRIORITY });
    queue.addAfter("a", 50, { priority: 1 });
    await clock.advance(10);
    queue.add("b");
    expect(await takeAll(queue)).toEqual(["a", "b"]);
  });

  test("namespaces take turns, so that many keys of one do not delay the others", async () => {
    const { queue } = setUp();
    for (const key of ["flood/1", "flood/2", "flood/3", "flood/4", "b/1", "b/2", "c/1", "cluster-scoped"]) queue.add(key);
    expect(await takeAll(queue)).toEqual(["flood/1", "b/1", "c/1", "cluster-scoped", "flood/2", "b/2", "flood/3", "flood/4"]);
  });

  test("many keys of low priority do not delay an event in the same namespace", async () => {
    const { queue } = setUp();
    for (let i = 0; i < 3; i++) queue.add(`ns/${i}`, { priority: LOW_PRIORITY });
    queue.add("ns/2");
    expect(await takeAll(queue)).toEqual(["ns/2", "ns/0", "ns/1"]);
  });
});

describe("stop", () => {
  test("stop refuses new keys, hands out ready keys, drops delayed keys, and lets holders finish", async () => {
    const { queue, clock } = setUp();
    for (const key of ["held", "ready"]) queue.add(key);
    queue.addAfter("delayed", 10);
    expect(await queue.get()).toBe("held");
    queue.add("held");
    queue.stop();
    queue.add("late");
    const drained = queue.drained();
    expect(await queue.get()).toBe("ready");
    queue.done("ready");
    const last = queue.get();
    expect(await isPending(last)).toBe(true);
    expect(await isPending(drained)).toBe(true);
    queue.done("held");
    expect(await last).toBe("held");
    queue.done("held");
    await drained;
    expect(await queue.get()).toBeUndefined();
    expect([clock.nextDue(), queue.status().delayed]).toEqual([undefined, 0]);
  });

  test("stop can drop the ready keys as well", async () => {
    const { queue } = setUp();
    for (const key of ["held", "ready"]) queue.add(key);
    await queue.get();
    queue.add("held");
    queue.stop("drop");
    expect(await queue.get()).toBeUndefined();
    expect(queue.status()).toMatchObject({ queued: 0, running: 1, delayed: 0 });
    queue.done("held");
    await queue.drained();
  });

  test("stop ends the waits of callers", async () => {
    const { queue } = setUp();
    const waiting = [queue.get(), queue.get()];
    queue.stop();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    await queue.drained();
  });
});

describe("introspection", () => {
  test("a settled queue has no key queued, held or due within the horizon", async () => {
    const { queue, clock } = setUp();
    await queue.settled();
    queue.addAfter("a", 1000);
    expect([queue.isSettled(), queue.isSettled(999), queue.isSettled(1000)]).toEqual([true, true, false]);
    await clock.advance(1000);
    const settled = queue.settled({ horizonMs: 60_000 });
    const key = (await queue.get()) ?? "";
    expect(await isPending(settled)).toBe(true);
    queue.addAfter(key, 120_000);
    queue.done(key);
    await settled;
  });

  test("settled rejects with the signal's reason", async () => {
    const { queue } = setUp();
    queue.add("a");
    const reason = new Error("boom");
    await expect(queue.settled({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const settled = queue.settled({ signal: controller.signal });
    controller.abort(reason);
    await expect(settled).rejects.toBe(reason);
  });

  test("the listeners are told depth, adds, retries, waiting and working times", async () => {
    const seen: unknown[] = [];
    const note =
      (what: string) =>
      (...values: unknown[]) =>
        void seen.push([what, ...values]);
    const listeners = {
      onAdded: note("added"),
      onDepth: note("depth"),
      onRetried: note("retried"),
      onStarted: note("started"),
      onFinished: note("finished"),
    };
    const { queue, clock } = setUp(listeners);
    queue.add("a");
    queue.add("a");
    await clock.advance(7);
    await queue.get();
    await clock.advance(3);
    expect(queue.status()).toMatchObject({ unfinishedMs: 3, longestRunningMs: 3 });
    queue.addAfter("a", 5);
    queue.done("a");
    expect(seen).toEqual([
      ["added", "a", 0],
      ["depth", 0, 1],
      ["depth", 0, 0],
      ["started", "a", 7],
      ["retried", "a"],
      ["added", "a", 0],
      ["finished", "a", 3],
    ]);
  });
});

test("the keys of each state are listed, the most important ones first", async () => {
  const { clock, queue } = setUp();
  for (const key of ["a", "b"]) {
    queue.add(key);
    await queue.get();
    await clock.advance(10);
  }
  queue.add("low", { priority: LOW_PRIORITY });
  queue.add("a");
  await clock.advance(5);
  queue.add("new");
  queue.addAfter("later", 2_000);
  queue.addAfter("soon", 1_000);
  expect(queue.keys(10)).toEqual({
    running: [
      { key: "a", forMs: 25 },
      { key: "b", forMs: 15 },
    ],
    queued: [
      { key: "a", priority: 0, forMs: 5 },
      { key: "new", priority: 0, forMs: 0 },
      { key: "low", priority: LOW_PRIORITY, forMs: 5 },
    ],
    delayed: [
      { key: "soon", inMs: 1_000 },
      { key: "later", inMs: 2_000 },
    ],
  });
  expect(queue.keys(1)).toMatchObject({ running: [{ key: "a" }], queued: [{ key: "a" }], delayed: [{ key: "soon" }] });
});
