/** What starts passes besides the events of declared kinds: channels, polling, schedules. */
import { type KubernetesObject, keyOf, type Ref } from "@treadle/apimachinery";
import { Lease } from "@treadle/apimachinery/kinds";
import { handler, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { cron } from "../src/cron.ts";
import { type Channel, channel, periodic, poll, type Runnable, type Source } from "../src/index.ts";
import { startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const idle = handler(Widget)
  .step(step(Widget, { name: "idle", do() {} }))
  .build();

const MINUTE = 60_000;
const heldByAnother = {
  metadata: { name: "lease", namespace: "default" },
  spec: { leaseDurationSeconds: 15, holderIdentity: "other", renewTime: "2026-01-01T00:00:00.000000Z", leaseTransitions: 0 },
};
const ref = (name: string): Ref => ({ name, namespace: "default" });

async function running(sources: readonly Source[], options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await startWorld({ handlers: [], start: false, ...options });
  world.manager.add(idle, { sources });
  for (const name of ["a", "b", "c"]) await world.user.create(Widget, widget(name));
  return world;
}

async function started(...given: Parameters<typeof running>): Promise<World> {
  const world = await running(...given);
  await world.manager.start();
  await world.settled();
  world.passesSince();
  return world;
}

describe("a channel", () => {
  test("starts a pass for each reference immediately", async () => {
    const hooks = channel();
    const world = await started([hooks]);
    await hooks.send(ref("b"));
    expect(hooks.offer(ref("c"))).toBe(true);
    await world.settled();
    expect(world.passesSince()).toEqual(["default/b", "default/c"]);
  });

  test("keeps references, each once, until passes begin; send waits while it is full, and offer returns false", async () => {
    const hooks = channel({ capacity: 2 });
    const world = await running([hooks]);
    expect([hooks.offer(ref("a")), hooks.offer(ref("a")), hooks.offer(ref("b")), hooks.offer(ref("c"))]).toEqual([true, true, true, false]);
    let isTaken = false;
    const sent = hooks.send(ref("c")).then(() => {
      isTaken = true;
    });
    const gaveUp = new AbortController();
    const given = hooks.send(ref("d"), gaveUp.signal).catch((error: unknown) => error);
    gaveUp.abort(new Error("no time"));
    expect(await given).toEqual(new Error("no time"));
    expect([hooks.waiting, isTaken]).toEqual([2, false]);
    await world.manager.start();
    await sent;
    await world.settled();
    expect([hooks.waiting, world.passesSince().toSorted()]).toEqual([0, ["default/a", "default/b", "default/c"]]);
  });

  test("has room for 1024 references", () => {
    const hooks = channel();
    for (let at = 0; at < 1024; at++) expect(hooks.offer(ref(`w-${at}`))).toBe(true);
    expect(hooks.offer(ref("one-more"))).toBe(false);
  });

  test("of a replica that does not lead waits for the lease", async () => {
    const hooks = channel();
    const world = await running([hooks], { leaderElection: { name: "lease", namespace: "default" } });
    await world.user.create(Lease, heldByAnother);
    await world.manager.start();
    await hooks.send(ref("a"));
    expect([hooks.waiting, world.passes]).toEqual([1, []]);
    await world.clock.advance(20_000);
    await world.settled();
    expect([hooks.waiting, world.manager.status().leadership]).toEqual([0, { type: "leading" }]);
  });

  test("accepts nothing after the stop, and rejects waiting callers", async () => {
    const hooks = channel();
    const world = await started([hooks]);
    await world.manager.stop();
    expect(hooks.offer(ref("a"))).toBe(false);
    await expect(hooks.send(ref("a"))).rejects.toThrow("the manager was stopped");
  });

  test("accepts nothing after the stop of a replica that never led, and rejects waiting callers", async () => {
    const hooks = channel({ capacity: 1 });
    const world = await running([hooks], { leaderElection: { name: "lease", namespace: "default" } });
    await world.user.create(Lease, heldByAnother);
    await world.manager.start();
    await hooks.send(ref("a"));
    const waiting = hooks.send(ref("b")).catch((error: unknown) => error);
    await world.manager.stop();
    expect(await waiting).toEqual(new Error("the manager has stopped, and never led"));
    expect([hooks.offer(ref("a")), hooks.waiting]).toEqual([false, 0]);
    await expect(hooks.send(ref("a"))).rejects.toThrow("never led");
  });

  test("feeds one controller; the second one is refused by name", async () => {
    const hooks: Channel = channel({ name: "hooks" });
    await started([hooks]);
    const world = await running([hooks]);
    await expect(world.manager.start()).rejects.toMatchObject({
      code: "ERR_RUNNABLE",
      message: expect.stringMatching(
        /cannot start runnable "hooks of widgets.test.treadle.dev": channel "hooks" feeds a controller already/,
      ),
    });
    expect(() => channel({ name: "hooks", capacity: 0 })).toThrow('channel "hooks": capacity is 0');
  });

  test("reports references that no pass can run for, and handles the next one", async () => {
    const hooks = channel({ name: "hooks" });
    const world = await started([hooks], { namespaces: ["default"] });
    const wrong = [{ name: "" }, {}, null, undefined] as readonly Ref[];
    for (const each of [{ name: "a" }, { name: "a", namespace: "elsewhere" }, ...wrong, ref("a")]) await hooks.send(each);
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
    expect(world.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toEqual([
      "no pass can run for a: Widget is namespaced, and the reference has no namespace",
      "no pass can run for elsewhere/a: the namespace is not watched",
      "no pass can run for : the reference has no name",
      "no pass can run for {}: the reference has no name",
      "no pass can run for null: the reference has no name",
      "no pass can run for undefined: the reference has no name",
    ]);
  });
});

describe("poll", () => {
  test("starts passes for the returned references after each period, also from the cache, as a timer", async () => {
    let polls = 0;
    const world = await started([
      poll({
        name: "buckets",
        everyMs: MINUTE,
        jitter: 0,
        atOnce: false,
        refs(_, cache) {
          polls++;
          const widgets: readonly KubernetesObject[] = cache.list(Widget);
          return widgets.map(({ metadata }) => metadata).filter(({ name }) => name !== "b");
        },
      }),
    ]);
    await world.clock.advance(MINUTE - 1);
    expect(polls).toBe(0);
    await world.clock.advance(1);
    await world.settled();
    expect([polls, world.passesSince().toSorted()]).toEqual([1, ["default/a", "default/c"]]);
    await world.clock.advance(2 * MINUTE);
    expect(polls).toBe(3);
    await world.manager.stop();
    await world.clock.advance(5 * MINUTE);
    expect(polls).toBe(3);
  });

  test("a failure is logged without its secrets and retried after 1 s, doubling to 60 s", async () => {
    const times: number[] = [];
    let isDown = true;
    const world = await running([
      poll({
        name: "buckets",
        everyMs: 10 * MINUTE,
        jitter: 0,
        refs() {
          times.push(world.clock.now());
          if (isDown) throw new Error("token=hunter2 is refused");
          return [];
        },
      }),
    ]);
    await world.manager.start();
    await world.clock.advance(200_000);
    const gaps = (): number[] => times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(gaps()).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(world.logs.filter(({ level }) => level === "error")[1]).toMatchObject({
      data: { source: "buckets", againMs: 2000, error: "token=<redacted> is refused" },
      text: 'poll "buckets" failed',
    });
    isDown = false;
    await world.clock.advance(60_000);
    isDown = true;
    await world.clock.advance(10 * MINUTE);
    expect(gaps().slice(8, 11), "a success resets the backoff").toEqual([60_000, 600_000, 1000]);
  });

  test("never polls twice at a time; the stop aborts a poll and waits for it", async () => {
    let asked = 0;
    let hasEnded = false;
    const world = await started([
      poll({
        name: "slow",
        everyMs: 1000,
        refs: (signal) => {
          asked++;
          return new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              hasEnded = true;
              reject(signal.reason as Error);
            });
          });
        },
      }),
    ]);
    await world.clock.advance(MINUTE);
    expect(asked).toBe(1);
    await world.manager.stop();
    expect([hasEnded, world.logs.filter(({ level }) => level === "error")]).toEqual([true, []]);
  });

  test("polls only where passes run", async () => {
    let asked = 0;
    const world = await running([poll({ name: "one", everyMs: MINUTE, refs: () => [ref(`${asked++}`)] })], {
      leaderElection: { name: "lease", namespace: "default" },
    });
    await world.manager.start();
    const before = asked;
    await world.clock.advance(5000);
    expect([before, asked]).toEqual([0, 1]);
  });
});

test("a custom source gets its services, starts before the first pass, and ends the start when it fails", async () => {
  const keys: string[] = [];
  let later = (): void => {};
  const world = await started([
    {
      name: "own",
      start(_, { cache, enqueue }) {
        keys.push(...cache.list(Widget).map(({ metadata }) => keyOf(metadata)));
        later = () => enqueue(ref("a"), 5000);
      },
      stop: () => void keys.push("stopped"),
    },
  ]);
  expect(keys).toEqual(["default/a", "default/b", "default/c"]);
  later();
  await world.clock.advance(4999);
  expect(world.passesSince()).toEqual([]);
  await world.clock.advance(1);
  await world.settled();
  expect(world.passesSince()).toEqual(["default/a"]);
  await world.manager.stop();
  expect(keys.at(-1)).toBe("stopped");
  const failing = await running([{ name: "own", start: () => Promise.reject(new Error("no broker")) }]);
  await expect(failing.manager.start()).rejects.toThrow('cannot start runnable "own of widgets.test.treadle.dev": no broker');
  expect(failing.passes).toEqual([]);
});

describe("a schedule", () => {
  const at = (text: string): number => Date.parse(text);

  test.for([
    { expression: "0 3 * * *", after: "2026-01-01T00:00:00Z", want: "2026-01-01T03:00:00Z" },
    { expression: "0 3 * * *", after: "2026-01-01T03:00:00Z", want: "2026-01-02T03:00:00Z" },
    { expression: "*/15 * * * MON-FRI", after: "2026-01-02T23:50:00Z", want: "2026-01-05T00:00:00Z" },
    { expression: "30 0 12 * * *", after: "2026-01-01T12:00:29Z", want: "2026-01-01T12:00:30Z" },
    { expression: "@monthly", after: "2026-01-31T12:00:00Z", want: "2026-02-01T00:00:00Z" },
    { expression: "30 2 * * *", timeZone: "Europe/Berlin", after: "2026-10-24T12:00:00Z", want: "2026-10-25T00:30:00Z" },
  ])("$expression $timeZone after $after: $want", ({ expression, timeZone, after, want }) => {
    const schedule = cron(expression, timeZone === undefined ? {} : { timeZone });
    expect(schedule.next(at(after))).toBe(at(want));
  });

  test.for<[string, string | undefined, RegExp]>([
    ["61 * * * *", undefined, /cron\("61 \* \* \* \*"\): .*minute: 61/],
    ["soon", undefined, /cron\("soon"\)/],
    ["0 0 * * *", "Mars/Base", /Mars\/Base/],
  ])("%s is refused where it is said", ([expression, timeZone, text]) => {
    expect(() => cron(expression, timeZone === undefined ? {} : { timeZone })).toThrow(RangeError);
    expect(() => cron(expression, timeZone === undefined ? {} : { timeZone })).toThrow(text);
  });

  test("runs at its times in virtual time, and skips times during a run", async () => {
    const times: string[] = [];
    let workMs = 0;
    const world = await startWorld({ handlers: [idle], start: false });
    world.manager.add(
      periodic({
        name: "nightly",
        schedule: cron("0 3 * * *"),
        async run() {
          times.push(new Date(world.clock.now()).toISOString().slice(0, 16));
          if (workMs > 0) await new Promise<void>((resolve) => void world.clock.after(workMs, resolve));
        },
      }),
    );
    await world.manager.start();
    await world.clock.advance(27.5 * 60 * MINUTE);
    expect(times).toEqual(["2026-01-01T03:00", "2026-01-02T03:00"]);
    workMs = 30 * 60 * MINUTE; // the run of the 3rd lasts into the 4th
    await world.clock.advance(72 * 60 * MINUTE);
    expect(times.slice(2)).toEqual(["2026-01-03T03:00", "2026-01-05T03:00"]);
  });

  test("without more times ends, and a period together with a schedule is refused", async () => {
    let runs = 0;
    const world = await started([poll({ name: "once", schedule: cron("2026-01-01T01:00:00"), refs: () => [ref(`${runs++}`)] })]);
    await world.clock.advance(24 * 60 * MINUTE);
    expect(runs).toBe(1);
    expect(() => periodic({ name: "both", everyMs: 1, schedule: cron("@daily"), run() {} } as never)).toThrow(
      /periodic "both": give everyMs, or/,
    );
    expect(() => poll({ name: "none", refs: () => [] } as never)).toThrow(/poll "none": everyMs is undefined/);
  });

  test.for<[string, () => number]>([
    [
      "throws",
      () => {
        throw new Error("no such day");
      },
    ],
    ["gives a time that is over", () => 0],
    ["gives no number", () => Number.NaN],
  ])(
    "that is custom and %s ends the start; later the error is logged, and the schedule is asked again after a minute",
    async ([, wrong]) => {
      let runs = 0;
      let isWrong = false;
      const schedule = { next: (afterMs: number) => (isWrong ? wrong() : afterMs + 1000) };
      const work = (): Runnable => periodic({ name: "own", schedule, run: () => void (isWrong = ++runs === 2) });
      const world = await startWorld({ handlers: [idle], start: false });
      world.manager.add(work());
      await world.manager.start();
      await world.clock.advance(2000);
      const errors = world.logs.filter(({ level }) => level === "error");
      expect(errors.map(({ text, data }) => `${text}: ${String(data["error"])}`)).toEqual([
        expect.stringMatching(/"own" failed: (no such day|the schedule gave (0|NaN) as the first time after \d+: it must be later)/),
      ]);
      await world.clock.advance(MINUTE / 2);
      expect(runs).toBe(2);
      isWrong = false;
      await world.clock.advance(MINUTE);
      expect(runs).toBeGreaterThan(2);
      isWrong = true;
      const other = await startWorld({ handlers: [idle], start: false });
      other.manager.add(work());
      await expect(other.manager.start()).rejects.toThrow(/cannot start runnable "own": /);
    },
  );
});
