/** When an external resource is observed again, what waits for an operation, and when Ready says that it is not known any more. */
import { describe, expect, test } from "vitest";
import { settledMs } from "../src/schedule.ts";
import type { ExternalState, ExternalStateType } from "../src/types.ts";
import { bucketOf, IMPORTED, restarted, scene, type Scene, type SceneOptions } from "./scene.ts";
import { Bucket, conditionsOf, type Outside, storeProvider, type Values } from "./stage.ts";

const MINUTE = 60_000;

/** A bucket that was created, with its annotations. */
async function started(given: SceneOptions = {}, annotations: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const made = scene(given);
  await made.w.create(Bucket, bucketOf({}, annotations) as never);
  await made.w.settled();
  return made;
}

/** A bucket that is Available. */
async function available(given: SceneOptions = {}, annotations: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const made = await started(given, annotations);
  await made.after(5_000);
  expect((await conditionsOf(made.w))["Ready"]).toBe("True/Available");
  return made;
}

/** The times until the next observations, each after the one before. */
async function delaysOf({ w, after }: Scene, count: number): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let i = 0; i < count; i++) {
    const ms = w.dueIn("a") ?? Number.NaN;
    delays.push(ms);
    await after(ms);
  }
  return delays;
}

describe("in a transition, the time until the next observation", () => {
  test("doubles from 5 s to 30 s, and is the poll interval after it", async () => {
    const made = await started({ outside: { createMs: 150_000 } });
    expect(await delaysOf(made, 7)).toEqual([5_000, 10_000, 20_000, 30_000, 30_000, 30_000, 30_000]);
    expect((await conditionsOf(made.w))["Ready"]).toBe("True/Available");
    expect(made.w.dueIn("a")).toBeGreaterThanOrEqual(54_000);
  });

  test("begins at 5 s after an update", async () => {
    const made = await available({ outside: { updateMs: 40_000 } });
    await made.w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 2));
    await made.w.settled();
    expect(await delaysOf(made, 4)).toEqual([5_000, 10_000, 20_000, 30_000]);
    expect(await conditionsOf(made.w)).toMatchObject({ Ready: "True/Available", UpToDate: "True/ObserveMatched" });
  });

  test("grows also if the provider never takes a value, so that it is not updated all the time", async () => {
    const made = await available({ options: () => ({ update: () => undefined }) });
    await made.w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 2));
    await made.w.settled();
    expect(made.events()).toContain("Updated: default-a: sizeGb: 1 -> 2");
    expect(await delaysOf(made, 5)).toEqual([5_000, 10_000, 20_000, 30_000, 30_000]);
  });
});

describe("a settled resource", () => {
  test("is observed each minute +-10 %, and 1,000 objects are spread evenly over it", () => {
    const uids = Array.from({ length: 1_000 }, (_, i) => `uid-${i}`);
    const nowMs = Date.parse("2026-01-01T00:00:00Z");
    const all = uids.map((uid) => settledMs(MINUTE, uid, nowMs));
    expect(Math.min(...all)).toBeGreaterThanOrEqual(54_000);
    expect(Math.max(...all)).toBeLessThanOrEqual(66_000);
    for (let tenth = 0; tenth < 10; tenth++) {
      const from = 54_000 + tenth * 1_200;
      const inside = all.filter((ms) => ms >= from && ms < from + 1_200).length;
      expect(inside, `objects between ${from} and ${from + 1_200} ms`).toBeGreaterThan(60);
      expect(inside).toBeLessThan(140);
    }
    const next = uids.map((uid) => settledMs(MINUTE, uid, nowMs + MINUTE));
    const same = uids.filter((_, i) => Math.abs((all[i] as number) - (next[i] as number)) < 600);
    expect(same.length, "neighbours of one interval are no neighbours in the next").toBeLessThan(200);
  });

  test.for<{ name: string; options: NonNullable<SceneOptions["options"]>; annotation?: string; ms: number }>([
    { name: "as the option says", options: () => ({ pollMs: 300_000 }), ms: 300_000 },
    { name: "as the function says", options: () => ({ pollMs: () => 20_000 }), ms: 20_000 },
    { name: "as the annotation says, which comes first", options: () => ({ pollMs: 300_000 }), annotation: "30s", ms: 30_000 },
    { name: "as an annotation in minutes says", options: () => ({}), annotation: "5m", ms: 300_000 },
    { name: "as an annotation in hours says", options: () => ({}), annotation: "1h30m", ms: 5_400_000 },
    { name: "at least 10 s apart", options: () => ({}), annotation: "1s", ms: 10_000 },
  ])("is observed $name", async ({ options, annotation, ms }) => {
    const { w } = await available({ options }, annotation === undefined ? {} : { "treadle.dev/poll-interval": annotation });
    expect(w.dueIn("a")).toBeGreaterThanOrEqual(ms * 0.9);
    expect(w.dueIn("a")).toBeLessThanOrEqual(ms * 1.1);
  });

  test.for<{ state: ExternalStateType; from: number; to: number }>([
    { state: "Available", from: 90_000, to: 110_000 },
    { state: "Unavailable", from: 180_000, to: 220_000 },
    { state: "Failed", from: 360_000, to: 440_000 },
    { state: "Creating", from: 5_000, to: 5_000 },
    { state: "Updating", from: 5_000, to: 5_000 },
  ])("has an interval of its state, and a transition has not: $state", async ({ state, from, to }) => {
    const times: Partial<Record<ExternalStateType, number>> = { Available: 100_000, Unavailable: 200_000, Failed: 400_000 };
    const made = await available({ options: () => ({ pollMs: (type: ExternalStateType) => times[type] ?? 1 }) });
    made.api.setState("default-a", state);
    await made.after(made.w.dueIn("a") ?? Number.NaN);
    expect((await conditionsOf(made.w))["Ready"]).toBe(state === "Available" ? "True/Available" : `False/${state}`);
    expect(made.w.dueIn("a")).toBeGreaterThanOrEqual(from);
    expect(made.w.dueIn("a")).toBeLessThanOrEqual(to);
  });
});

describe("Retry-After", () => {
  test.for(["observe", "update", "create"] as const)("is obeyed, and Synced says RateLimited: %s", async (verb) => {
    const made = scene();
    const { api, w, said, after, verbs, forget } = made;
    if (verb === "update") api.add("default-a", { sizeGb: 9 });
    api.fail(verb, { status: 429, retryAfterMs: 17_000 });
    await w.create(Bucket, bucketOf({}, verb === "update" ? IMPORTED : {}) as never);
    await w.settled();
    expect(await said("Synced")).toContain("False/RateLimited: ");
    forget();
    await after(16_000);
    expect(verbs()).toEqual([]);
    await after(2_000);
    expect(verbs()[0]).toBe("observe");
    expect((await conditionsOf(w))["Synced"]).toBe("True/ReconcileSuccess");
  });
});

test.for(["observe", "update"] as const)("Retry-After of a 503 is obeyed for the object alone: %s", async (verb) => {
  const { api, w, said, after, verbs, forget } = scene();
  if (verb === "update") api.add("default-a", { sizeGb: 9 });
  api.fail(verb, { status: 503, retryAfterMs: 17_000 });
  await w.create(Bucket, bucketOf({}, verb === "update" ? IMPORTED : {}) as never);
  await w.settled();
  expect(await said("Synced")).toContain("False/ReconcileError: ");
  forget();
  await after(16_000);
  expect(verbs()).toEqual([]);
  await w.create(Bucket, { metadata: { name: "b" }, spec: {} } as never);
  await w.settled();
  expect(verbs(), "another object is not held up").toEqual(["observe", "create"]);
  await after(2_000);
  expect(verbs()[2]).toBe("observe");
});

describe("a terminal failure of the provider", () => {
  const terminal = (): SceneOptions => {
    let failing = true;
    return {
      options: ({ update }) => ({
        state: () => (failing ? { type: "Failed", message: "the region is closed", terminal: true } : "Available"),
        update: async (args) => {
          failing = false;
          await update(args as never);
        },
      }),
    };
  };

  test("is the message of Ready, and waits for a change of the spec", async () => {
    const made = await started(terminal());
    const { api, w, said, after, verbs, forget } = made;
    await after(5_000);
    expect(await said("Ready")).toBe("False/Failed: the region is closed");
    api.change("default-a", { sizeGb: 9 });
    forget();
    for (let i = 0; i < 10; i++) await after(66_000);
    expect(new Set(verbs()), "it is observed, and nothing is updated").toEqual(new Set(["observe"]));
    expect(verbs().length).toBeLessThanOrEqual(12);
    expect(await said("UpToDate")).toContain("False/UpdatePending: sizeGb: 9 -> 1");
    await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 2));
    await w.settled();
    await after(5_000);
    expect(api.count("update")).toBe(1);
    expect(await conditionsOf(w)).toMatchObject({ Ready: "True/Available", UpToDate: "True/ObserveMatched" });
  });

  test("waits for a change of the spec also after a restart", async () => {
    const made = await started(terminal());
    await made.after(5_000);
    made.api.change("default-a", { sizeGb: 9 });
    const next = await restarted(made, terminal());
    await next.w.settled();
    await next.after(66_000);
    expect(next.api.count("update")).toBe(0);
  });

  test("that is an error of a call keeps the object observed", async () => {
    const { api, w, said, after, verbs } = await available();
    api.fail("observe", Object.assign(new Error("no such account"), { status: 400 }), Number.POSITIVE_INFINITY);
    await after(66_000);
    expect(await said("Synced")).toContain("False/ReconcileError: cannot observe");
    const before = verbs().length;
    await after(10 * MINUTE);
    expect(verbs().length).toBeGreaterThan(before);
    expect(w.dueIn("a")).toBeGreaterThan(0);
  });
});

describe("an operation", () => {
  /** A provider whose calls return an operation, which `observe` needs to say anything. */
  function operating(): {
    readonly given: SceneOptions;
    readonly asked: unknown[];
    finish: () => void;
    fail: (message: string, terminal?: boolean) => void;
  } {
    const asked: unknown[] = [];
    let state: ExternalState = "Creating";
    let number = 0;
    const begin = async (call: () => Promise<unknown>): Promise<object> => {
      await call();
      state = number === 0 ? "Creating" : "Updating";
      return { operation: { id: `op-${++number}` } };
    };
    const options = ({ observe, create, update }: Outside): ReturnType<NonNullable<SceneOptions["options"]>> => ({
      observe: (args) => {
        asked.push(args.operation);
        return observe(args);
      },
      create: (args) => begin(() => create(args as never)),
      update: (args) => begin(() => update(args as never)),
      state: () => state,
    });
    return {
      given: { options },
      asked,
      finish: () => void (state = "Available"),
      fail: (message, terminal = false) => void (state = { type: "Failed", message, terminal }),
    };
  }

  test("of a create is passed back to observe until Available, and nothing is updated meanwhile", async () => {
    const { given, asked, finish } = operating();
    const { api, w, after, said } = await started(given);
    await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 2));
    await w.settled();
    await after(10_000);
    await after(20_000);
    expect(asked.slice(1)).toEqual([{ id: "op-1" }, { id: "op-1" }, { id: "op-1" }]);
    expect(await said("UpToDate")).toContain("False/UpdatePending: sizeGb: 1 -> 2; the update waits");
    expect(api.count("update")).toBe(0);
    finish();
    await after(30_000);
    expect(api.count("update")).toBe(1);
    await after(30_000);
    expect(asked.at(-1)).toEqual({ id: "op-2" });
    finish();
    await after(30_000);
    await after(66_000);
    expect(asked.at(-1), "nothing is passed back once it is Available").toBeUndefined();
  });

  test("that failed does not hold up the update that corrects the spec", async () => {
    const { given, fail } = operating();
    const { api, w, after, said } = await started(given);
    fail("the region is closed");
    await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 2));
    await w.settled();
    await after(30_000);
    expect(await said("UpToDate")).not.toContain("UpdatePending");
    expect(api.count("update")).toBeGreaterThan(0);
  });

  test("that failed for good waits for a change of the spec, and then is replaced by the update", async () => {
    const { given, fail } = operating();
    const { api, w, after, said } = await started(given);
    fail("the region is closed", true);
    await after(5_000);
    api.change("default-a", { sizeGb: 9 });
    await after(70_000);
    expect([api.count("update"), await said("Ready")]).toEqual([0, "False/Failed: the region is closed"]);
    await w.update(Bucket, "a", ({ spec }) => void (spec.sizeGb = 2));
    await w.settled();
    expect(api.count("update")).toBe(1);
  });

  test("outlives a restart", async () => {
    const { given, asked } = operating();
    const before = await started(given);
    const next = await restarted(before, given);
    await next.w.settled();
    expect(asked.at(-1)).toEqual({ id: "op-1" });
  });
});

describe("Ready of a resource that cannot be observed", () => {
  const NOT_OBSERVED = "Unknown/NotObserved";

  test("is Unknown after 5 poll intervals, and True with the next success", async () => {
    const { api, w, after } = await available();
    api.fail("observe", 500, Number.POSITIVE_INFINITY);
    for (let minute = 1; minute <= 4; minute++) {
      await after(MINUTE);
      expect((await conditionsOf(w))["Ready"], `after ${minute} min`).toBe("True/Available");
    }
    for (let i = 0; i < 6; i++) await after(30_000);
    expect((await conditionsOf(w))["Ready"]).toBe(NOT_OBSERVED);
    api.heal();
    for (let i = 0; i < 10; i++) await after(30_000);
    expect(await conditionsOf(w)).toEqual({ Ready: "True/Available", Synced: "True/ReconcileSuccess", UpToDate: "True/ObserveMatched" });
  });

  test("counts from the start of the process after a restart", async () => {
    const before = await available();
    before.api.fail("observe", 500, Number.POSITIVE_INFINITY);
    await before.after(4 * MINUTE);
    const { w, after } = await restarted(before);
    for (let minute = 1; minute <= 4; minute++) {
      await after(MINUTE);
      expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    }
    for (let i = 0; i < 6; i++) await after(30_000);
    expect((await conditionsOf(w))["Ready"]).toBe(NOT_OBSERVED);
  });

  test("counts from a reconcile-requested-at, which drops the memory", async () => {
    const { api, w, after } = await available();
    api.fail("observe", 500, Number.POSITIVE_INFINITY);
    for (let i = 0; i < 8; i++) await after(30_000);
    const requested = { "treadle.dev/reconcile-requested-at": "now" };
    await w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { ...metadata.annotations, ...requested }));
    await w.settled();
    for (let i = 0; i < 9; i++) await after(30_000);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    for (let i = 0; i < 4; i++) await after(30_000);
    expect((await conditionsOf(w))["Ready"]).toBe(NOT_OBSERVED);
  });

  test("follows the interval of the object, not the default", async () => {
    const { api, w, after } = await available({}, { "treadle.dev/poll-interval": "10m" });
    api.fail("observe", 500, Number.POSITIVE_INFINITY);
    await after(45 * MINUTE);
    expect((await conditionsOf(w))["Ready"]).toBe("True/Available");
    for (let i = 0; i < 4; i++) await after(5 * MINUTE);
    expect((await conditionsOf(w))["Ready"]).toBe(NOT_OBSERVED);
  });

  test("stays as it is where the object is paused", async () => {
    const { w, after, api } = await available();
    api.fail("observe", 500, Number.POSITIVE_INFINITY);
    await w.update(Bucket, "a", ({ metadata }) => void (metadata.annotations = { ...metadata.annotations, "treadle.dev/paused": "true" }));
    await w.settled();
    for (let i = 0; i < 5; i++) await after(10 * MINUTE);
    expect(await conditionsOf(w)).toMatchObject({ Ready: "True/Available", Paused: "True/Annotation" });
  });

  test("is not written again while nothing changes", async () => {
    const { api, w, after } = await available();
    api.fail("observe", 500, Number.POSITIVE_INFINITY);
    for (let i = 0; i < 20; i++) await after(30_000);
    w.requests.clear();
    for (let i = 0; i < 20; i++) await after(30_000);
    expect([...w.requests].filter(({ verb }) => verb !== "watch")).toEqual([]);
  });
});

describe("a credential with more objects than it can poll", () => {
  test("makes the interval longer, and Ready is True as long as the objects are observed at it", async () => {
    // 10 objects at one call in 12 s: each is observed every 120 s. 5 times the poll interval of 10 s are only 50 s.
    const made = scene({
      options: (api) => ({ provider: storeProvider(api, { rate: { perSecond: 1 / 12, burst: 50 } }), pollMs: 10_000 }),
    });
    const { api, w, after } = made;
    const names = Array.from({ length: 10 }, (_, i) => (i === 0 ? "a" : `b${i}`));
    for (const name of names) {
      api.add(`default-${name}`, {} satisfies Partial<Values>);
      await w.create(Bucket, { metadata: { name, annotations: { "treadle.dev/external-name": `default-${name}` } }, spec: {} } as never);
    }
    await w.settled();
    for (let i = 0; i < 60; i++) await after(10_000);
    api.clearCalls();
    for (let i = 0; i < 120; i++) {
      await after(10_000);
      for (const name of names) expect((await conditionsOf(w, name))["Ready"]).toBe("True/Available");
    }
    expect(api.calls.length, "1,200 s at one call in 12 s").toBeLessThanOrEqual(101);
    expect(api.calls.length).toBeGreaterThanOrEqual(80);
    const warnings = w.logs.filter(({ level, text }) => level === "warn" && text.startsWith("the rate of the provider is too low"));
    expect(warnings, "one warning for all objects").toHaveLength(1);
    api.fail("observe", 500, Number.POSITIVE_INFINITY);
    for (let i = 0; i < 30; i++) await after(10_000);
    for (const name of names) expect(await conditionsOf(w, name), "300 s are not 5 intervals").toMatchObject({ Ready: "True/Available" });
  });
});
