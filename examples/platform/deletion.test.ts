/** The deletion of a platform. Runs on the in-memory API server and, unchanged, on a real control plane. */
import { startTestCluster } from "@treadle/testing";
import { ConfigMap, CustomResourceDefinition, Deployment, Job, Namespace, Role, RoleBinding, Service, ServiceAccount } from "treadle/kinds";
import { expect, test } from "vitest";
import { platform } from "./controller.ts";
import { Platform } from "./platform.ts";
import { change, conditionOf, objectsIn, openShop, platformOf, SYSTEM, WIDGETS } from "./story.ts";
import { Widget } from "./widget.ts";

/** Whether a label, an annotation or a finalizer is of the operator. The test cluster has marks, too. */
const isOurs = (key: string): boolean => key.includes("platforms.examples.treadle.dev") || key.startsWith("treadle.dev/");

/** Where objects of the platform are. */
const RETAINED = [
  [Namespace, undefined],
  [CustomResourceDefinition, undefined],
  ...[Widget, ConfigMap, ServiceAccount, Role, RoleBinding, Deployment, Service, Job].map((kind) => [kind, SYSTEM] as const),
] as const;

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
  for (const [kind, namespace] of RETAINED)
    for (const { metadata } of await cluster.list(kind, namespace)) {
      const { labels, annotations, finalizers = [] } = metadata;
      const marks = [...Object.keys({ ...labels, ...annotations }), ...finalizers].filter(isOurs);
      if (marks.length > 0) marked.push(`${kind.kind} ${metadata.name}: ${marks.join(", ")}`);
    }
  expect(marked).toEqual([]);
});

test("a platform that begins to retain its objects needs no other change", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(platform, { missing: [Widget] });
  await openShop(cluster);
  await change(cluster, { retain: true });
  await cluster.settled();
  await cluster.delete(Platform, "shop");
  await cluster.settled();
  expect(await objectsIn(cluster)).toEqual(platformOf("anna", "ben"));
});

test("a new Platform of the same name adopts retained objects", async () => {
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
