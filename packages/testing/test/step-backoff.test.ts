/**
 * The backoff of a step: how long after an outage of an external system the next pass starts.
 * In virtual time: in memory only.
 * @module-tag memory
 */
import { defineResource } from "@treadle/apimachinery";
import { all, handler, step, type StepDefinition } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeWorld, type FakeWorld, type FakeWorldOptions } from "../src/index.ts";

const Bucket = defineResource({ group: "backoff.treadle.dev", version: "v1", kind: "Bucket", scope: "Namespaced", spec: z.object({}) });
const bucket = (name: string): object => ({ apiVersion: "backoff.treadle.dev/v1", kind: "Bucket", metadata: { name }, spec: {} });
type Profile = NonNullable<StepDefinition<never, never, readonly [], {}, z.ZodObject, never, {}>["backoff"]>;

const OUTAGE_MS = 12 * 60_000;

/** A handler whose step fails while the external system is down. */
function calling(isDown: () => boolean, backoff?: Profile) {
  const call = step(Bucket, {
    name: "call",
    ...(backoff === undefined ? {} : { backoff }),
    do() {
      if (isDown()) throw new Error("the external system does not answer");
    },
  });
  return handler(Bucket).step(call).build();
}

/** Lets time pass from one due pass to the next, until `untilMs` of the clock. */
async function passTime(world: FakeWorld, name: string, untilMs: number): Promise<void> {
  for (;;) {
    await world.settled();
    const dueIn = world.dueIn(name) ?? Number.POSITIVE_INFINITY;
    const restMs = untilMs - world.clock.now();
    await world.advance(Math.min(dueIn, restMs));
    if (dueIn >= restMs) return;
  }
}

async function pauseAfterOutage(backoff: Profile | undefined, controller?: FakeWorldOptions["controller"]): Promise<number> {
  let isDown = true;
  const world = fakeWorld(
    calling(() => isDown, backoff),
    { objects: [bucket("a")], ...(controller === undefined ? {} : { controller }) },
  );
  await passTime(world, "a", world.clock.now() + OUTAGE_MS);
  isDown = false;
  const endedMs = world.clock.now();
  await world.advance(world.dueIn("a") ?? 0);
  await world.settled();
  expect(world.dueIn("a"), "the object is settled").toBeUndefined();
  return (world.passes.at(-1)?.atMs ?? 0) - endedMs;
}

describe("after an outage of 12 minutes the next pass starts", () => {
  test("within 60 s if the step sets external", async () => {
    const pauseMs = await pauseAfterOutage("external");
    expect(pauseMs).toBeGreaterThan(0);
    expect(pauseMs).toBeLessThanOrEqual(60_000);
  });

  test("within the longest delay of a custom profile", async () => {
    expect(await pauseAfterOutage({ baseMs: 100, maxMs: 10_000 })).toBeLessThanOrEqual(10_000);
  });

  test("only after minutes with the default profile", async () => {
    expect(await pauseAfterOutage(undefined)).toBeGreaterThan(120_000);
  });

  test("by the options of the controller, if they have a backoff", async () => {
    expect(await pauseAfterOutage("external", { backoff: "cluster" })).toBeGreaterThan(120_000);
    expect(await pauseAfterOutage("cluster", { backoff: "external" })).toBeLessThanOrEqual(60_000);
  });
});

test("of several steps that fail in a pass, the earliest delay decides", async () => {
  const failing = (name: string, backoff: Profile) =>
    step(Bucket, {
      name,
      backoff,
      do() {
        throw new Error(name);
      },
    });
  const parts = [failing("slow", { baseMs: 9_000, maxMs: 9_000 }), failing("fast", { baseMs: 300, maxMs: 300 })];
  const world = fakeWorld(handler(Bucket).step(all("parts", parts)).build(), { objects: [bucket("a")] });
  await world.settled();
  expect(world.dueIn("a")).toBe(300);
});

test("a post and a gate that fail take the backoff of their step", async () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  for (const phases of [{ gate: boom }, { post: boom }]) {
    const failing = step(Bucket, { name: "failing", backoff: "external", ...phases });
    const world = fakeWorld(handler(Bucket).step(failing).build(), { objects: [bucket("a")] });
    await world.settled();
    expect(world.dueIn("a")).toBe(1_000);
  }
});
