/** A suspended platform. Runs on the in-memory API server and, unchanged, on a real control plane. */
import { startTestCluster } from "@treadle/testing";
import { ConfigMap } from "treadle/kinds";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { Platform } from "./platform.ts";
import { change, conditionOf, createShop, isReady, objectsIn, openShop, platformOf, SYSTEM } from "./story.ts";
import { Widget } from "./widget.ts";

test("a suspended platform reverts no drift and applies no change, and does both afterwards", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await change(cluster, { suspended: true });
  await cluster.settled();
  expect(await conditionOf(cluster)).toBe("Unknown Suspended: nothing is applied or removed while the set is suspended");
  cluster.requests.clear();
  await cluster.update(ConfigMap, `${SYSTEM}/anna`, (object) => void (object.data = { tenant: "eve" }));
  await change(cluster, { tenants: ["ben"] });
  await cluster.settled();
  expect(cluster.requests.filter({ verb: ["apply", "delete"] })).toEqual([]);
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));

  await change(cluster, { suspended: false, tenants: ["anna"] });
  await isReady(cluster);
  expect(await objectsIn(cluster)).toEqual(platformOf("anna"));
  expect((await cluster.get(ConfigMap, `${SYSTEM}/anna`))?.data).toEqual({ tenant: "anna" });
  expect(await conditionOf(cluster)).toBe("True Ready: 11 objects are ready");
});

test("a suspended platform can be deleted", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await change(cluster, { suspended: true });
  await cluster.settled();
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  expect(await cluster.get(Platform, "shop")).toBeUndefined();
  expect(await objectsIn(cluster)).toEqual([]);
});

test("a platform that is created suspended has no objects", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await createShop(cluster, { suspended: true });
  expect(await objectsIn(cluster)).toEqual([]);
  await change(cluster, { suspended: false });
  await isReady(cluster);
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
});
