/** What a declared read says that cannot be done. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step, TerminalError } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { settled, Site, site } from "./sites.ts";

const reading = async (ref: () => string): Promise<FakeWorld> => {
  const s = step(Site, { name: "s", reads: { x: one(ConfigMap, ref) }, do() {} });
  const world = fakeWorld(handler(Site).step(conditions()).step(s).build(), { objects: [site()] });
  await world.settled();
  return world;
};

test("a read that throws is named with its step", async () => {
  const world = await reading(() => (undefined as never as { readonly name: string }).name);
  const message = /^step "s", read "x": Cannot read properties of undefined/;
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "TypeError", message });
});

test("a TerminalError or RetryAfterError of a read keeps its meaning", async () => {
  const world = await reading(() => {
    throw new TerminalError("never", { code: "Hopeless" });
  });
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "Hopeless" });
  expect(world.dueIn("a")).toBeUndefined();
});

test("the error of a dependent names its declared read, and not its own object's", async () => {
  const world = await settled({ reads: { y: one(ConfigMap, () => "a/b") } } as never);
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", message: /^step "page", read "y": one\(ConfigMap\)/ });
});
