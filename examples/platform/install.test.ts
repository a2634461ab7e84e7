/** Install and steady state. Runs on the in-memory API server and, unchanged, on a real control plane. */
import "@treadle/testing/matchers";
import { startTestCluster } from "@treadle/testing";
import { ConfigMap, Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { Platform } from "./platform.ts";
import { change, conditionOf, createShop, objectsIn, openShop, platformOf, requestsIn, SYSTEM } from "./story.ts";
import { Widget } from "./widget.ts";

test("a platform is installed, and its migrations are deleted for good", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  expect(await conditionOf(cluster)).toBe("True Ready: 18 objects are ready");
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
  expect((await cluster.get(ConfigMap, `${SYSTEM}/shared`))?.data).toEqual({ edition: "enterprise" });
  const shop = await cluster.get(Platform, "shop");
  expect(shop).toBeReady();
  expect(shop?.status).toMatchObject({ state: "Ready", revision: 1, address: SYSTEM });
  const migrations = cluster.requests.filter({ resource: "jobs", verb: "apply" }).flatMap(({ name }) => name ?? []);
  expect(migrations.toSorted()).toEqual(["anna", "ben"]);
});

test("servers are applied when all migrations are complete", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  const applied = cluster.requests.filter({ verb: "apply" }).map(({ resource }) => resource);
  expect(applied[0]).toBe("namespaces");
  expect(applied.indexOf("deployments")).toBeGreaterThan(applied.lastIndexOf("jobs"));
  expect(applied.indexOf("jobs")).toBeGreaterThan(applied.lastIndexOf("widgets"));
});

test("a platform that is ready costs no request", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget], controller: { resyncMs: 500 } });
  await openShop(cluster);
  cluster.requests.clear();
  await cluster.settled({ horizonMs: 2_000 });
  expect(requestsIn(cluster.requests)).toEqual([]);
});

test("an operator that is restarted writes nothing", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const first = await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await first.stop();
  cluster.requests.clear();
  const second = await cluster.start(platform, { missing: [Widget] });
  await cluster.settled();
  expect(second.passes).not.toEqual([]);
  expect(cluster.requests.writes).toEqual([]);
});

test("a license that changes is an input: only the ConfigMap that shows it is applied", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  cluster.requests.clear();
  await cluster.update(Secret, "license", (secret) => void (secret.data = { edition: btoa("standard") }));
  await cluster.settled();
  expect((await cluster.get(ConfigMap, `${SYSTEM}/shared`))?.data).toEqual({ edition: "standard" });
  expect(cluster.requests.filter({ verb: "apply" }).map(({ resource, name }) => `${resource} ${name}`)).toEqual(["configmaps shared"]);
  await cluster.delete(Secret, "license");
  await cluster.settled();
  expect((await cluster.get(ConfigMap, `${SYSTEM}/shared`))?.data).toEqual({ edition: "community" });
});

test("an address is announced when everything is ready, and not before", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  cluster.workloads.pods.fail("ImagePullBackOff", { matchLabels: { tenant: "anna" } });
  await cluster.start(platform, { missing: [Widget] });
  await createShop(cluster);
  expect((await cluster.get(Platform, "shop"))?.status?.address).toBeUndefined();
  expect(await conditionOf(cluster)).toMatch(/^Unknown Processing: \d+ of 18 objects are ready, wave 2: Deployment default-shop\/anna/);
  await change(cluster, { timeoutMs: 30_000 });
  await cluster.settled({ horizonMs: 60_000 });
  expect(await conditionOf(cluster)).toMatch(/^False Timeout: not ready after 30 s: \d+ of 18 objects are ready, wave 2/);
});
