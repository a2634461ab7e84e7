/** Kinds that are not what their author takes them for: worlds say so, in place of waiting for ever. */
import "../src/matchers.ts";
import { kind } from "@treadle/apimachinery";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { fakeWorld } from "../src/index.ts";
import { Site, site } from "./sites.ts";

test("a built-in kind under a plural that no server has is waited for by its step, and named with its path", async () => {
  const Wrong = kind({ group: "networking.k8s.io", version: "v1", kind: "Ingress", plural: "ingresss" });
  const reading = step(Site, { name: "reading", reads: { it: one(Wrong, () => "x") }, do() {} });
  const world = fakeWorld(handler(Site).step(conditions()).step(reading).build(), { objects: [site()] });
  await world.settle();
  expect(world.get(Site, "a")).toHaveCondition("Ready", {
    status: "Unknown",
    reason: "KindNotInstalled",
    message: /is not installed.*nothing is served at \/apis\/networking.k8s.io\/v1\/ingresss; is `plural` right\?/,
  });
});
