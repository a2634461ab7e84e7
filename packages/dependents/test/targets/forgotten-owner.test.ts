/**
 * An owner that is deleted without a cleanup.
 *
 * @module-tag memory
 */
import { expect, test } from "vitest";
import { credentials, sceneOf, tenant, Tenant } from "./tenants.ts";

test("the connection of an owner whose finalizer a user removed is released", async () => {
  await using scene = await sceneOf({ objects: [credentials("east", "t1"), tenant("a")], type: "connection" });
  const operator = await scene.start();
  await operator.settled();
  expect(scene.held.size).toBe(1);
  const east = scene.clusters.get("east");
  if (east !== undefined) east.isAway = true;
  await scene.own.delete(Tenant, "a");
  await operator.settled({ horizonMs: 1_000 });
  expect(scene.held.size).toBe(1);
  await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.finalizers = []));
  await operator.settled({ horizonMs: 1_000 });
  expect(await scene.own.get(Tenant, "a")).toBeUndefined();
  expect(scene.held.size).toBe(0);
});
