import { Lease } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, type Step, step } from "@treadle/reconcile";
import { defineExtension, defineStep } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { createManager, isManagerError } from "../src/index.ts";
import { startWorld, Widget, widget, type World } from "./world.ts";

const REF = { name: "a", namespace: "default" };
const FINALIZER = "test.treadle.dev/widgets.test.treadle.dev";

const widgets = (isStuck = false): AnyHandler =>
  handler(Widget)
    .step(conditions())
    .step(step(Widget, { name: "work", cleanup: (req) => (isStuck ? req.wait("for ever") : undefined) }))
    .build();

/** A drain that is about to start while another replica holds the lease. */
async function besideAnother(): Promise<World> {
  const leaderElection = { name: "lease", namespace: "default" };
  const world = await startWorld({ handlers: [widgets()], start: false, drain: "release", leaderElection });
  const renewTime = new Date(world.clock.now()).toISOString().replace("Z", "000Z");
  const spec = { holderIdentity: "old", leaseDurationSeconds: 15, acquireTime: renewTime, renewTime, leaseTransitions: 0 };
  await world.user.create(Lease, { metadata: { name: "lease", namespace: "default" }, spec });
  return world;
}

test("run() of a drain ends when no object holds a finalizer", async () => {
  const world = await startWorld({ handlers: [widgets()], start: false, drain: "release" });
  const finalizers = [FINALIZER, "else.example.com/keeps"];
  await world.user.create(Widget, { ...widget("a"), metadata: { ...REF, finalizers } });
  await world.manager.run();
  expect((await world.user.get(Widget, REF))?.metadata.finalizers).toEqual(["else.example.com/keeps"]);
  expect(world.logs.filter(({ text }) => text.startsWith("drain: ")).map(({ data }) => data["left"])).toEqual([1, 0]);
});

test("a setting drains an operator without a change of its program", async () => {
  const world = await startWorld({ handlers: [widgets()], start: false, env: { TREADLE_DRAIN: "release" } });
  await world.user.create(Widget, { ...widget("a"), metadata: { ...REF, finalizers: [FINALIZER] } });
  await world.manager.run();
  expect((await world.user.get(Widget, REF))?.metadata.finalizers).toBeUndefined();
});

test("a drain of many objects reports its progress once a second, not for each object", async () => {
  const world = await startWorld({ handlers: [widgets()], start: false, drain: "release" });
  for (let n = 0; n < 200; n++)
    await world.user.create(Widget, { ...widget(`w${n}`), metadata: { name: `w${n}`, namespace: "default", finalizers: [FINALIZER] } });
  const running = world.manager.run();
  await world.settled();
  await world.clock.advance(2_000);
  await running;
  const told = world.logs.filter(({ text }) => text.startsWith("drain: "));
  expect(told.map(({ data }) => data["left"])).toEqual([200, 0]);
  expect(told.map(({ text }) => text)).toEqual(["drain: 200 objects are still held", "drain: no object is still held"]);
});

test("a drain that is stopped early reports the remaining objects and the reasons", async () => {
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

test("a drain that releases waits for the release of each step, and reports why an object is held", async () => {
  const locks = defineExtension<object, { failures: number }>({ name: "locks", memory: () => ({ failures: 0 }) });
  const lock = defineStep(Widget, {
    name: "lock",
    uses: [locks.use({})],
    cleanup: () => undefined,
    release(req) {
      if (locks.of(req).memory.failures++ < 2) throw new Error("the lock is stuck");
    },
  }) as Step<Widget>;
  const handlers = [handler(Widget).step(conditions()).step(lock).build()];
  const world = await startWorld({ handlers, start: false, drain: "release" });
  await world.user.create(Widget, { ...widget("a"), metadata: { ...REF, finalizers: [FINALIZER] } });
  const running = world.manager.run();
  await world.settled(0);
  await world.clock.advance(1_000);
  await running;
  const held = { handler: "widgets.test.treadle.dev", kind: "Widget.test.treadle.dev", ref: REF, reason: "the lock is stuck" };
  expect(world.logs.filter(({ text }) => text.startsWith("drain: ")).map(({ data }) => data["first"])).toContainEqual([held]);
  expect(world.reports.map(({ result }) => [result.outcome.type, result.requeue.type]).slice(0, 3)).toEqual([
    ["failed", "failure"],
    ["failed", "failure"],
    ["done", "none"],
  ]);
  expect((await world.user.get(Widget, REF))?.metadata.finalizers).toBeUndefined();
});

test("a drain does not end while another replica leads, which may be of a version that adds finalizers", async () => {
  const world = await besideAnother();
  let isOver = false;
  const running = world.manager.run().finally(() => {
    isOver = true;
  });
  await world.clock.advance(5000);
  expect(isOver).toBe(false);
  await world.user.create(Widget, { ...widget("a"), metadata: { ...REF, finalizers: [FINALIZER] } });
  await world.clock.advance(30_000);
  await running;
  expect((await world.user.get(Widget, REF))?.metadata.finalizers).toBeUndefined();
  expect(world.logs.map(({ text }) => text)).toContain("drain: no object is still held; waiting for the replica that leads");
});

test("a drain that is aborted while another replica leads reports that", async () => {
  const world = await besideAnother();
  const running = world.manager.run().catch((error: unknown) => error);
  await world.clock.advance(5000);
  await world.manager.stop();
  expect(await running).toMatchObject({ code: "ERR_DRAIN", message: expect.stringContaining("while another replica leads") });
});

test.for([{ drain: "all" }, { drain: "clean", dryRun: true }])("%j is refused", (options) => {
  expect(() => createManager(options as never)).toThrow(RangeError);
});

test("a drain of one handler in a dry run is refused at the start, because it would never end", async () => {
  const world = await startWorld({ handlers: [], start: false, dryRun: true });
  world.manager.add(widgets(), { drain: "clean" });
  await expect(world.manager.start()).rejects.toThrow('a drain of handler "');
});
