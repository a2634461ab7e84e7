/** Kinds that are not what their author takes them for: worlds say so, in place of waiting for ever. */
import "../src/matchers.ts";
import { defineResource, kind } from "@treadle/apimachinery";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { fakeWorld, startTestCluster } from "../src/index.ts";
import { z } from "zod";

const Site = defineResource({ group: "example.dev", version: "v1", kind: "Site", scope: "Namespaced", spec: z.object({}) });
const site = (): object => ({ apiVersion: "example.dev/v1", kind: "Site", metadata: { name: "a" }, spec: {} });

const idle = handler(Site)
  .step(step(Site, { name: "idle", do() {} }))
  .build();

test("a built-in kind under a plural that no server has is waited for by its step, and named with its path", async () => {
  const Wrong = kind({ group: "networking.k8s.io", version: "v1", kind: "Ingress", plural: "ingresss" });
  const reading = step(Site, { name: "reading", reads: { it: one(Wrong, () => "x") }, do() {} });
  const world = fakeWorld(handler(Site).step(conditions()).step(reading).build(), { objects: [site()] });
  await world.settled();
  expect(await world.get(Site, "a")).toHaveCondition("Ready", {
    status: "Unknown",
    reason: "KindNotInstalled",
    message: /is not installed.*nothing is served at \/apis\/networking.k8s.io\/v1\/ingresss; is `plural` right\?/,
  });
});

test("a core kind that does not exist is refused, with the one that was meant", async () => {
  const Typo = kind({ group: "", version: "v1", kind: "Confgmap" });
  const said = 'the core group has no kind "Confgmap": is it ConfigMap?';
  const reading = step(Site, { name: "reading", reads: { it: one(Typo, () => "x") }, do() {} });
  expect(() => fakeWorld(handler(Site).step(reading).build())).toThrow(said);
  expect(() => fakeWorld(idle, { objects: [{ apiVersion: "v1", kind: "Confgmap" }] })).toThrow(said);
  await expect(startTestCluster({ kinds: [Typo] })).rejects.toThrow(said);
});

test("an object whose kind is almost the handler's is made, and warned of", async () => {
  const warnings: string[] = [];
  const listen = ({ message }: Error): unknown => warnings.push(message);
  process.on("warning", listen);
  fakeWorld(idle, {
    objects: [
      { apiVersion: "example.dev/v1", kind: "Siite" },
      { apiVersion: "example.dev/v1", kind: "Database" },
    ],
  });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings).toEqual([expect.stringMatching(/^Siite \(example.dev\/v1\) is a kind that nothing declares.*is it Site\?/)]);
});
