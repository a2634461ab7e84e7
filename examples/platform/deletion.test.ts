/** The deletion of a platform. Runs on the in-memory API server and, unchanged, on a real control plane. */
import { startTestCluster } from "@treadle/testing";
import { ConfigMap, CustomResourceDefinition, Deployment, Job, Namespace, Role, RoleBinding, Service, ServiceAccount } from "treadle/kinds";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { Platform } from "./platform.ts";
import { change, conditionOf, objectsIn, openShop, platformOf, SYSTEM, WIDGETS } from "./story.ts";
import { Widget } from "./widget.ts";

test("a deleted platform removes its Widgets first, then its servers, and its namespace last", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  cluster.requests.clear();
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  expect(await cluster.get(Platform, "shop")).toBeUndefined();
  expect(await objectsIn(cluster)).toEqual([]);
  const deleted = cluster.requests.filter({ verb: "delete" }).map(({ resource }) => resource);
  expect(deleted.slice(0, 4)).toEqual(["widgets", "deployments", "deployments", "customresourcedefinitions"]);
  expect(deleted.at(-1)).toBe("namespaces");
  expect(deleted, "one delete for each object").toHaveLength(16);
});

test("a platform is not deleted as long as a user has a Widget, and nothing of it is", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await cluster.create(Widget, { metadata: { name: "mine" }, spec: {} });
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  expect(await conditionOf(cluster)).toBe("Unknown DeletionBlocked: Widget default/mine is not of this Platform: delete it first");
  expect(await objectsIn(cluster)).toEqual([...platformOf("anna", "ben"), "Widget mine"].toSorted());

  await cluster.delete(Widget, "mine");
  await cluster.settled();
  await expect.poll(() => cluster.get(Platform, "shop")).toBeUndefined();
  expect(await objectsIn(cluster)).toEqual([]);
});

test("a platform that retains its objects leaves them without any mark of the operator", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster, { retain: true });
  await cluster.create(Widget, { metadata: { name: "mine" }, spec: {} });
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  expect(await cluster.get(Platform, "shop")).toBeUndefined();
  expect(await objectsIn(cluster)).toEqual([...platformOf("anna", "ben"), "Widget mine"].toSorted());
  const marked: string[] = [];
  for (const kind of [
    Namespace,
    CustomResourceDefinition,
    Widget,
    ConfigMap,
    ServiceAccount,
    Role,
    RoleBinding,
    Deployment,
    Service,
    Job,
  ])
    for (const { metadata } of await cluster.list(kind)) {
      const { name, labels = {}, annotations = {}, finalizers = [] } = metadata;
      const marks = [...Object.keys(labels), ...Object.keys(annotations), ...finalizers].filter((key) => key.includes("treadle"));
      // The names of the kinds of this example end so, too.
      if (marks.length > 0) marked.push(`${kind.kind} ${name}: ${marks.join(", ")}`);
    }
  expect(marked).toEqual([]);
});

test("a platform that retains its objects only from now on is applied once more for that", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await change(cluster, { retain: true });
  await cluster.settled();
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
});

test("retained objects belong to the next Platform of that name", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster, { retain: true });
  const before = await cluster.get(Deployment, `${SYSTEM}/anna`);
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  await cluster.create(Platform, { metadata: { name: "shop" }, spec: { tenants: ["anna"] } });
  await cluster.settled();
  expect((await cluster.get(Deployment, `${SYSTEM}/anna`))?.metadata.uid).toBe(before?.metadata.uid);
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  expect(await cluster.get(CustomResourceDefinition, WIDGETS)).toBeUndefined();
});
