/** The waker of an extension in an operator: something outside of the cluster triggers passes. */
import { type AnyHandler, conditions, handler, type Step } from "@treadle/reconcile";
import { defineExtension, defineStep } from "@treadle/reconcile/unstable/engine";
import { beforeEach, describe, expect, test } from "vitest";
import { startWorld, Widget, widget } from "./world.ts";

const bells = defineExtension<object, object, object>({ name: "bells" });

let passes: string[];
let wakers: Map<string, (cause: string) => void>;
beforeEach(() => {
  passes = [];
  wakers = new Map();
});

/** A handler whose step lets a test trigger its passes. */
function listening(): AnyHandler {
  const listen = defineStep(Widget, {
    name: "listen",
    uses: [bells.use({})],
    do(req) {
      const pass = bells.of(req);
      const { name } = pass.object.metadata;
      passes.push(name);
      wakers.set(name, pass.waker());
    },
  }) as Step<Widget>;
  return handler(Widget).step(conditions()).step(listen).build();
}

describe("a waker", () => {
  test("triggers a pass of its object only", async () => {
    const world = await startWorld({ handlers: [listening()] });
    await world.user.create(Widget, widget("a"));
    await world.user.create(Widget, widget("b"));
    await world.settled();
    passes = [];
    wakers.get("a")?.("a slot is free");
    await world.settled();
    expect(passes).toEqual(["a"]);
    await world.manager.stop();
  });

  test("of a deleted object does nothing", async () => {
    const world = await startWorld({ handlers: [listening()] });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    await world.user.delete(Widget, { name: "a", namespace: "default" });
    await world.settled();
    passes = [];
    wakers.get("a")?.("a slot is free");
    await world.settled();
    expect(passes).toEqual([]);
    await world.manager.stop();
  });

  test("does nothing after the end of the operator", async () => {
    const world = await startWorld({ handlers: [listening()] });
    await world.user.create(Widget, widget("a"));
    await world.settled();
    await world.manager.stop();
    passes = [];
    const lines = world.logs.length;
    expect(() => wakers.get("a")?.("a slot is free")).not.toThrow();
    await world.clock.advance(3_600_000);
    expect([passes, world.logs.length]).toEqual([[], lines]);
  });
});
