import { conditions, handler, PAUSED_ANNOTATION, RECONCILE_REQUESTED_ANNOTATION, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { generationChanged } from "../src/index.ts";
import { startWorld, Widget, widget, type World } from "./world.ts";

const REF = { name: "a", namespace: "default" };
const KEY = "default/a";

async function worldOf(work: () => void): Promise<World> {
  const world = await startWorld({ handlers: [], start: false });
  world.manager.add(
    handler(Widget)
      .step(conditions())
      .step(step(Widget, { name: "work", do: work }))
      .build(),
    { predicate: generationChanged },
  );
  await world.manager.start();
  await world.user.create(Widget, widget("a"));
  await world.settled();
  return world;
}

const annotate = async ({ user, settled }: World, annotations: Record<string, string | null>): Promise<void> => {
  await user.patch(Widget, REF, { type: "merge", body: { metadata: { annotations } } });
  await settled();
};

describe("a pause", () => {
  test("begins and ends immediately, whatever the predicate returns; the log and a gauge show it", async () => {
    let done = 0;
    const world = await worldOf(() => void done++);
    const registry = await world.manager.metrics();
    const gauge = async (): Promise<unknown> => (await registry.getMetricsAsJSON()).find(({ name }) => name === "treadle_paused_objects");
    const before = done;
    await annotate(world, { [PAUSED_ANNOTATION]: "true" });
    await annotate(world, { other: "thing" });
    expect(done).toBe(before);
    expect(world.logs.filter(({ text }) => text.startsWith("paused")).map(({ data }) => data)).toEqual([
      { controller: "widgets.test.treadle.dev", object: KEY },
    ]);
    expect(await gauge()).toBeDefined();
    await annotate(world, { [PAUSED_ANNOTATION]: null });
    expect(done).toBe(before + 1);
    expect(world.logs.filter(({ text }) => text === "no longer paused")).toHaveLength(1);
  });
});

describe("a request for a pass", () => {
  test("passes the predicate, once for each value", async () => {
    const world = await worldOf(() => undefined);
    world.passesSince();
    await annotate(world, { some: "thing" });
    expect(world.passesSince()).toEqual([]);
    await annotate(world, { [RECONCILE_REQUESTED_ANNOTATION]: "1" });
    expect(world.passesSince()).toEqual([KEY]);
    await annotate(world, { some: "other thing" });
    expect(world.passesSince()).toEqual([]);
    await annotate(world, { [RECONCILE_REQUESTED_ANNOTATION]: "2" });
    expect(world.passesSince()).toEqual([KEY]);
    expect((await world.user.get(Widget, REF))?.status?.lastHandledReconcileAt).toBe("2");
  });

  test("cuts the delay of a failing object short, and resets its backoff", async () => {
    const world = await worldOf(() => {
      throw new Error("boom");
    });
    await world.settled(60_000);
    const due = (): number => (world.manager.status().controllers[0]?.nextDueAt ?? 0) - world.clock.now();
    expect(due()).toBeGreaterThan(10_000);
    world.passesSince();
    await annotate(world, { [RECONCILE_REQUESTED_ANNOTATION]: "1" });
    expect(world.passesSince()).toEqual([KEY]);
    expect(due()).toBeLessThanOrEqual(10);
  });
});
