/** The barrier of a component: `after` and `until` are asked until they hold, and never again. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { one, step } from "@treadle/reconcile";
import { type FakeWorld, fakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { component } from "../src/component.ts";
import { App, app, change, configMap, handlerOf, login, main, mainOf, page, pages, secret, settled, told, writes } from "./stage.ts";

const first = component(App, { name: "first", condition: "FirstReady", resources: [login()] });
const READY = "True Healthy: Component is ready.";

describe("after", () => {
  test("names the condition that is not True, its status and its message", async () => {
    const world = await settled([first, main([page("one")], { after: [first] })]);
    const message = "login: Secret login does not exist yet, and another writer is to create it";
    expect(await told(world)).toMatchObject({
      FirstReady: `False Blocked: ${message}`,
      MainReady: `False PrerequisiteNotMet: Prerequisite not met: waiting for condition "FirstReady" to become True (currently False: ${message})`,
    });
    expect(await pages(world)).toEqual([]);
  });

  test("is met in the pass in which the condition becomes True", async () => {
    const world = await settled([first, main([page("one")], { after: [first] })]);
    const before = world.passes.length;
    await world.apply(secret("login"));
    await world.pass("a");
    expect(world.passes).toHaveLength(before + 1);
    expect(await mainOf(world)).toBe(READY);
  });

  test("is asked in list order, before until", async () => {
    const asked: string[] = [];
    const second = component(App, { name: "second", condition: "SecondReady", resources: [page("two")] });
    const world = await settled(
      [first, second, main([page("one")], { after: [second, first], until: () => (asked.push("until"), "not yet") })],
      { spec: { held: ["two"] } },
    );
    expect(await mainOf(world)).toContain('"SecondReady"');
    await change(world, { held: [] });
    expect(await mainOf(world)).toContain('"FirstReady"');
    expect(asked).toEqual([]);
    await world.apply(secret("login"));
    await world.settled();
    expect(await mainOf(world)).toBe("False PrerequisiteNotMet: Prerequisite not met: not yet");
    expect(asked).not.toEqual([]);
  });

  test("may name a step with one condition", async () => {
    const ready = step(App, {
      name: "ready",
      conditions: ["StepReady"],
      do: (req) => {
        if (req.object.spec.text === "go") req.conditions.true("StepReady");
        else req.conditions.false("StepReady", "NotYet", "say go");
      },
    });
    const world = await settled([ready, main([page("one")], { after: [ready] })]);
    expect(await mainOf(world)).toBe(
      'False PrerequisiteNotMet: Prerequisite not met: waiting for condition "StepReady" to become True (currently False: say go)',
    );
    await change(world, { text: "go" });
    expect(await mainOf(world)).toBe(READY);
  });

  test("a condition that becomes False later does not stop the component", async () => {
    const second = component(App, { name: "second", condition: "SecondReady", resources: [page("two")] });
    const world = await settled([second, main([page("one")], { after: [second] })]);
    await change(world, { held: ["two"], text: "two" });
    expect(await told(world)).toMatchObject({ SecondReady: "False Blocked: two: two is held", MainReady: READY });
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ text: "two" });
  });
});

describe("until", () => {
  test.for<{ name: string; until: (object: App) => unknown }>([
    { name: "a function", until: ({ spec }) => (spec.text === "go" ? true : `it says ${spec.text}`) },
    { name: "an async function", until: async ({ spec }) => (spec.text === "go" ? true : `it says ${spec.text}`) },
  ])("of $name holds the component until it returns true", async ({ until }) => {
    const world = await settled(main([page("one")], { until: until as never }));
    expect(await mainOf(world)).toBe("False PrerequisiteNotMet: Prerequisite not met: it says one");
    expect(await pages(world)).toEqual([]);
    await change(world, { text: "go" });
    expect(await mainOf(world)).toBe(READY);
  });

  test.for<{ name: string; until: () => unknown; says: string }>([
    {
      name: "throws",
      until: () => {
        throw new Error("boom");
      },
      says: "boom",
    },
    { name: "rejects", until: async () => Promise.reject(new Error("boom")), says: "boom" },
    { name: "returns a number", until: () => 1, says: "until returned a number" },
    { name: "resolves to undefined", until: async () => undefined, says: "until returned nothing" },
    { name: "returns an empty text", until: () => "", says: "until returned a" },
  ])("that $name is PrerequisiteNotMet with the text, and is retried", async ({ until, says }) => {
    let isBroken = true;
    const other = component(App, { name: "other", condition: "OtherReady", resources: [page("two")] });
    const world = await settled([main([page("one")], { until: (() => (isBroken ? until() : true)) as never }), other]);
    expect(await mainOf(world)).toMatch(/^False PrerequisiteNotMet: /);
    expect(await mainOf(world)).toContain(says);
    expect((await told(world))["OtherReady"]).toBe(READY);
    expect((await told(world))["Ready"]).toMatch(/^False/);
    expect(await pages(world)).toEqual(["two"]);
    isBroken = false;
    await world.advance(world.dueIn("a") ?? 0);
    await world.settled();
    expect(await mainOf(world)).toBe(READY);
  });

  test("is asked again when an object that it reads changes", async () => {
    const world = await settled(
      component(App, {
        name: "main",
        condition: "MainReady",
        reads: { flag: one(ConfigMap, () => "flag") },
        until: (_owner, { reads }) => (reads.flag === undefined ? "no flag" : true),
        resources: [page("one")],
      }),
    );
    expect(await mainOf(world)).toBe("False PrerequisiteNotMet: Prerequisite not met: no flag");
    await world.apply(configMap("flag"));
    await world.settled();
    expect(await mainOf(world)).toBe(READY);
  });

  test("is asked with a growing backoff without an event", async () => {
    let asked = 0;
    const world = await settled(main([page("one")], { until: () => (asked++, "not yet") }));
    const delays: number[] = [];
    for (let i = 0; i < 6; i++) {
      delays.push(world.dueIn("a") ?? -1);
      const before = asked;
      await world.advance(world.dueIn("a") ?? 0);
      await world.settled();
      expect(asked).toBeGreaterThan(before);
    }
    expect(delays.every((delay) => delay > 0 && delay < 600_000)).toBe(true);
    expect(delays.at(-1)).toBeGreaterThan(delays[0] ?? 0);
    expect(writes(world).filter((each) => !each.startsWith("patch apps"))).toEqual([]);
  });

  test("is not asked while the component is off", async () => {
    let asked = 0;
    await settled(main([page("one")], { until: () => (asked++, true) }), { spec: { on: false } });
    expect(asked).toBe(0);
  });

  test("that has passed is not asked again by a restarted operator", async () => {
    let asked = 0;
    const built = handlerOf(main([page("one")], { until: () => (asked++, true) }));
    await using cluster = await startTestCluster();
    const operator = await cluster.start(built);
    await cluster.apply(app());
    await cluster.settled();
    expect(asked).toBe(1);
    await operator.stop();
    await cluster.start(built);
    await cluster.update(App, "a", ({ spec }) => void (spec.text = "two"));
    await cluster.settled();
    expect(asked).toBe(1);
    expect(await mainOf(cluster)).toBe(READY);
  });

  test("that has passed is not asked again when the suspension cannot be decided", async () => {
    let asked = 0;
    let isBroken = true;
    const steps = main([page("one")], {
      until: () => (asked++, true),
      suspended: () => {
        if (isBroken) throw new Error("boom");
        return false;
      },
    });
    const world = await settled(steps);
    expect(await mainOf(world)).toMatch(/^False Error: .*boom/);
    await again(world);
    isBroken = false;
    await again(world);
    expect(await mainOf(world)).toBe(READY);
    expect(asked).toBe(1);
  });
});

async function again(world: FakeWorld): Promise<void> {
  await world.advance(world.dueIn("a") ?? 0);
  await world.settled();
}

describe("while the barrier is up", () => {
  test("a suspension does nothing, and begins when it has passed", async () => {
    const world = await settled(main([page("one")], { until: ({ spec }) => (spec.text === "go" ? true : "not yet") }), {
      spec: { suspended: true },
    });
    expect(await mainOf(world)).toBe("False PrerequisiteNotMet: Prerequisite not met: not yet");
    expect(await pages(world)).toEqual([]);
    await change(world, { text: "go" });
    expect(await mainOf(world)).toBe("True Suspended: Component is suspended.");
    expect(await pages(world)).toEqual(["one"]);
  });

  test("no object is applied or reverted", async () => {
    const world = fakeWorld(handlerOf(main([page("one")], { until: () => "not yet" })), {
      objects: [app(), configMap("one", { other: "yes" })],
    });
    await world.settled();
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ other: "yes" });
    expect(writes(world).filter((each) => !each.startsWith("patch apps"))).toEqual([]);
  });
});
