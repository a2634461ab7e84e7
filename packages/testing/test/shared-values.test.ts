/** Values that extensions share, and passes that they trigger, in the test environments: none of them ends as an operator does. */
import { conditions, handler, type Step } from "@treadle/reconcile";
import { defineExtension, defineStep } from "@treadle/reconcile/unstable/engine";
import { explore } from "@treadle/testing/explore";
import { beforeEach, expect, test } from "vitest";
import { fakeReq, fakeWorld } from "../src/index.ts";
import { LIFE, Thing } from "./explore/planted/thing.ts";

const KEY = {};
const counting = defineExtension<object, object, object>({ name: "counting" });

let trace: string[];
beforeEach(() => {
  trace = [];
});

const count = defineStep(Thing, {
  name: "count",
  uses: [counting.use({})],
  do(req) {
    const value = counting.of(req).shared(KEY, () => {
      trace.push("made");
      return { [Symbol.asyncDispose]: async () => void trace.push("disposed of") };
    });
    trace.push(typeof value[Symbol.asyncDispose]);
  },
}) as Step<Thing>;
const operator = handler(Thing).step(conditions()).step(count).build();
const thing = { apiVersion: `${Thing.group}/${Thing.version}`, kind: Thing.kind, metadata: { name: "a" }, spec: { size: 1 } };

test("a fakeWorld keeps one value for all passes", async () => {
  const world = fakeWorld(operator, { objects: [thing] });
  await world.pass("a");
  await world.pass("a");
  expect(trace).toEqual(["made", "function", "function"]);
});

test("a fakeWorld runs the pass that the waker of an extension triggers", async () => {
  let wake: ((cause: string) => void) | undefined;
  const listen = defineStep(Thing, { name: "listen", uses: [counting.use({})], do: (req) => void (wake = counting.of(req).waker()) });
  const world = fakeWorld(
    handler(Thing)
      .step(conditions())
      .step(listen as Step<Thing>)
      .build(),
    { objects: [thing] },
  );
  await world.settled();
  const before = world.passes.length;
  wake?.("a slot is free");
  expect(world.dueIn("a")).toBe(0);
  await world.settled();
  expect(world.passes).toHaveLength(before + 1);
});

test("a fakeReq keeps one value for all runs", async () => {
  const req = fakeReq(Thing, { spec: { size: 1 } });
  await req.run(count);
  await req.run(count);
  expect(trace).toEqual(["made", "function", "function"]);
});

test("each process of an exploration has a value, and a killed process never disposes of it", async () => {
  await explore(operator, LIFE, { points: ["crash-lost"] });
  expect(trace.filter((line) => line === "made").length).toBeGreaterThan(1);
  expect(trace).not.toContain("disposed of");
});
