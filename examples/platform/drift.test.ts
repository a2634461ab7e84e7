/** Objects that others change or delete. Runs on the in-memory API server and, unchanged, on a real control plane. */
import { startTestCluster } from "@treadle/testing";
import { ConfigMap, CustomResourceDefinition, Deployment, Namespace, Service } from "treadle/kinds";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { conditionOf, isReady, objectsIn, openShop, platformOf, SYSTEM, WIDGETS } from "./story.ts";
import { Widget } from "./widget.ts";

test("a changed object is reverted, a deleted one is recreated, and a field of another writer stays", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await cluster.update(ConfigMap, `${SYSTEM}/anna`, (object) => void (object.data = { tenant: "eve", theirs: "yes" }));
  await cluster.delete(Service, `${SYSTEM}/ben`);
  await cluster.delete(Widget, `${SYSTEM}/welcome`);
  await isReady(cluster);
  expect((await cluster.get(ConfigMap, `${SYSTEM}/anna`))?.data).toEqual({ tenant: "anna", theirs: "yes" });
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
  expect(await conditionOf(cluster)).toBe("True Ready: 18 objects are ready");
  const reverted = op.events.filter(({ reason }) => reason === "DriftReverted");
  expect(reverted.map(({ note }) => note)).toEqual([expect.stringMatching(/^set "stack": ConfigMap default-shop\/anna: data/)]);
});

test("a deleted migration is not repeated", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  cluster.requests.clear();
  await cluster.delete(Deployment, `${SYSTEM}/anna`);
  await cluster.settled();
  expect(cluster.requests.filter({ verb: "apply" }).map(({ resource, name }) => `${resource} ${name}`)).toEqual(["deployments anna"]);
});

test("an object without its labels is found by its name, and gets them back", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  const before = (await cluster.get(ConfigMap, `${SYSTEM}/anna`))?.metadata.labels;
  await cluster.update(ConfigMap, `${SYSTEM}/anna`, (object) => void (object.metadata.labels = {}));
  await cluster.settled();
  expect((await cluster.get(ConfigMap, `${SYSTEM}/anna`))?.metadata.labels).toEqual(before);
});

test("a namespace that a user deletes is created again with everything in it", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await cluster.delete(Namespace, SYSTEM);
  await cluster.settled();
  await expect.poll(() => conditionOf(cluster)).toBe("True Ready: 18 objects are ready");
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
});

test("a CRD that a user deletes is created again with the Widget of the platform", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await cluster.delete(CustomResourceDefinition, WIDGETS);
  await cluster.settled();
  await expect.poll(() => conditionOf(cluster)).toBe("True Ready: 18 objects are ready");
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
});
