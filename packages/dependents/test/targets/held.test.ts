/**
 * How many connections an owner holds.
 *
 * @module-tag memory
 */
import { expect, test } from "vitest";
import { credentials, namesIn, rotate, sceneOf, tenant, Tenant } from "./tenants.ts";

const objects = [credentials("east", "t1"), tenant("a")];
const type = "connection";

test("an owner whose Secret gets one wrong credential after the other holds two connections", async () => {
  await using scene = await sceneOf({ objects, type });
  const operator = await scene.start();
  await operator.settled();
  for (const [i, cluster] of ["west", "east", "west", "east", "west"].entries()) {
    await rotate(scene.own, cluster, `wrong-${i}`);
    await operator.settled({ horizonMs: 2_000 });
    expect(scene.held.size).toBe(2);
  }
  scene.clusters.get("west")?.tokens.add("right");
  await rotate(scene.own, "west", "right");
  await operator.settled({ horizonMs: 120_000 });
  // The connection to the former cluster was still open.
  expect(await namesIn(scene.east)).toEqual([]);
  expect(await namesIn(scene.west)).toEqual(["one", "two"]);
  expect(scene.held.size).toBe(1);
});

test("an owner that is being deleted holds two connections, whatever its Secret gets", async () => {
  await using scene = await sceneOf({ objects, type });
  const operator = await scene.start();
  await operator.settled();
  scene.clusters.get("east")?.tokens.clear();
  await scene.own.delete(Tenant, "a");
  for (let i = 0; i < 4; i++) {
    await rotate(scene.own, "east", `wrong-${i}`);
    await operator.settled({ horizonMs: 70_000 });
    expect(scene.held.size).toBeLessThanOrEqual(2);
  }
  scene.clusters.get("east")?.tokens.add("right");
  await rotate(scene.own, "east", "right");
  await operator.settled({ horizonMs: 120_000 });
  expect(await scene.own.get(Tenant, "a")).toBeUndefined();
  expect(scene.held.size).toBe(0);
});

test("an owner whose finalizer a user removed holds no connection", async () => {
  await using scene = await sceneOf({ objects, type });
  const operator = await scene.start();
  await operator.settled();
  const east = scene.clusters.get("east");
  if (east !== undefined) east.isAway = true;
  await scene.own.delete(Tenant, "a");
  await operator.settled({ horizonMs: 1_000 });
  expect(scene.held.size).toBe(1);
  await scene.own.update(Tenant, "a", ({ metadata }) => void (metadata.finalizers = []));
  await operator.settled({ horizonMs: 1_000 });
  expect(scene.held.size).toBe(0);
});
