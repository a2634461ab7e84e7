/** Changes of a platform. Runs on the in-memory API server and, unchanged, on a real control plane. */
import { startTestCluster } from "@treadle/testing";
import { CustomResourceDefinition, Deployment } from "treadle/kinds";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { Platform } from "./platform.ts";
import { change, conditionOf, isReady, objectsIn, openShop, platformOf, SYSTEM, WIDGETS } from "./story.ts";
import { Widget } from "./widget.ts";

test("an upgrade adds the objects of a new tenant, then removes those of an old one", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  cluster.requests.clear();
  await change(cluster, { tenants: ["ben", "carl"], version: "1.30.0" });
  await isReady(cluster);
  expect(await objectsIn(cluster)).toEqual(platformOf("ben", "carl"));
  expect(await conditionOf(cluster)).toBe("True Ready: 18 objects are ready");
  const [container] = (await cluster.get(Deployment, `${SYSTEM}/ben`))?.spec?.template.spec?.containers ?? [];
  expect(container?.image).toBe("nginx:1.30.0");
  expect((await cluster.get(Platform, "shop"))?.status).toMatchObject({ revision: 2 });
  const writes = cluster.requests.writes.filter(({ verb, name }) => verb === "apply" || (verb === "delete" && name === "anna"));
  const last = writes.findLastIndex(({ verb }) => verb === "apply");
  expect(
    writes.findIndex(({ verb }) => verb === "delete"),
    "nothing is removed before all others are ready",
  ).toBeGreaterThan(last);
  expect(writes.filter(({ resource, verb }) => resource === "jobs" && verb === "apply").map(({ name }) => name)).toEqual(["carl"]);
});

test("a CRD that an upgrade drops stays as long as a user has a Widget", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await cluster.create(Widget, { metadata: { name: "mine" }, spec: { title: "Mine" } });
  await change(cluster, { widgets: false });
  await cluster.settled();
  expect(await conditionOf(cluster)).toBe(
    `Unknown DeletionBlocked: CustomResourceDefinition ${WIDGETS} is not deleted: Widget default/mine is not of this Platform: delete it first`,
  );
  expect((await cluster.get(Widget, "mine"))?.spec).toEqual({ title: "Mine" });
  expect(await cluster.get(Widget, `${SYSTEM}/welcome`), "that of the platform").toBeUndefined();
  expect((await cluster.get(CustomResourceDefinition, WIDGETS))?.metadata.deletionTimestamp).toBeUndefined();

  await cluster.delete(Widget, "mine");
  await cluster.settled();
  await expect.poll(() => cluster.get(CustomResourceDefinition, WIDGETS)).toBeUndefined();
  await cluster.settled();
  expect(await conditionOf(cluster)).toBe("True Ready: 16 objects are ready");
});

test("a CRD that an upgrade drops is deleted with the Widgets of the platform, and created again by a later one", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await change(cluster, { widgets: false });
  await cluster.settled();
  await expect.poll(() => conditionOf(cluster)).toBe("True Ready: 16 objects are ready");
  expect(await cluster.get(CustomResourceDefinition, WIDGETS)).toBeUndefined();
  await change(cluster, { widgets: true });
  await isReady(cluster);
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
  expect(await conditionOf(cluster)).toBe("True Ready: 18 objects are ready");
});

test("a second Platform that renders the CRD of the first reports the owner, and changes nothing of it", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await cluster.create(Platform, { metadata: { name: "second" }, spec: {} });
  await cluster.settled();
  const second = (await cluster.get(Platform, "second"))?.status?.conditions?.find(({ type }) => type === "StackReady");
  expect(second).toMatchObject({ status: "False", reason: "Error" });
  expect(second?.message).toContain(WIDGETS);
  expect(await conditionOf(cluster)).toBe("True Ready: 18 objects are ready");
  await cluster.delete(Platform, "second");
  await cluster.settled();
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
});
