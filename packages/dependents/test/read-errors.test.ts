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

test("a reference that throws is named with its step and its read", async () => {
  const world = await reading(() => (undefined as never as { readonly name: string }).name);
  const message = /^step "s", read "x": Cannot read properties of undefined/;
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "TypeError", message });
});

test("a reference that says more than that it failed is heard", async () => {
  const world = await reading(() => {
    throw new TerminalError("never", { code: "Hopeless" });
  });
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", reason: "Hopeless" });
  expect(world.dueIn("a")).toBeUndefined();
});

test("what a dependent reads is named, but not what it reads of itself", async () => {
  const world = await settled({ reads: { y: one(ConfigMap, () => "a/b") } } as never);
  expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "False", message: /^step "page", read "y": one\(ConfigMap\)/ });
});
