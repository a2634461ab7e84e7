import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { createManager, isManagerError } from "../src/index.ts";
import { startWorld, Widget, widget } from "./world.ts";

const REF = { name: "a", namespace: "default" };
const FINALIZER = "test.treadle.dev/widgets.test.treadle.dev";

const widgets = (isStuck = false): AnyHandler =>
  handler(Widget)
    .step(conditions())
    .step(step(Widget, { name: "work", cleanup: (req) => (isStuck ? req.wait("for ever") : undefined) }))
    .build();

test("run() of a drain ends by itself when no object is held, and leaves none", async () => {
  const world = await startWorld({ handlers: [widgets()], start: false, drain: "release" });
  const finalizers = [FINALIZER, "else.example.com/keeps"];
  await world.user.create(Widget, { ...widget("a"), metadata: { ...REF, finalizers } });
  await world.manager.run();
  expect((await world.user.get(Widget, REF))?.metadata.finalizers).toEqual(["else.example.com/keeps"]);
  expect(world.logs.filter(({ text }) => text.startsWith("drain: ")).map(({ data }) => data["left"])).toEqual([1, 0]);
});

test("a drain that is stopped before its end says so, with what is held and why", async () => {
  const world = await startWorld({ handlers: [widgets(true)], start: false, drain: "clean" });
  await world.user.create(Widget, { ...widget("a"), metadata: { ...REF, finalizers: [FINALIZER] } });
  const running = world.manager.run().catch((error: unknown) => error);
  await world.settled();
  await world.settled();
  await world.manager.stop();
  const error = await running;
  expect(isManagerError(error) && error.code).toBe("ERR_DRAIN");
  expect((error as Error).message).toContain('Widget.test.treadle.dev default/a (step "work": for ever)');
});

test.for([{ drain: "all" }, { drain: "clean", dryRun: true }])("%j is refused", (options) => {
  expect(() => createManager(options as never)).toThrow(RangeError);
});
