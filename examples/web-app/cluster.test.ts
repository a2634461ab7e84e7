import "@treadle/testing/matchers";
import { startTestCluster } from "@treadle/testing";
import { conditions, dependentApply, handler } from "treadle";
import { ConfigMap, Deployment, Job, Secret, Service, StatefulSet } from "treadle/kinds";
import { expect, test } from "vitest";
import { webApp } from "./controller.ts";
import { change, conditionsOf, entriesOf, openShop } from "./shop.ts";
import { WebApp } from "./web-app.ts";

const HEALTHY = { DatabaseReady: "True Healthy", CacheReady: "True Healthy", WebReady: "True Healthy", Ready: "True Ready" };
const ENTRIES = {
  credentials: "Ready Healthy",
  store: "Ready Healthy",
  "store-service": "Ready Operational",
  migration: "Ready Completed",
  redis: "Ready Healthy",
  settings: "Ready Healthy",
  "web-server": "Ready Healthy",
};

/** An operator of the same name, in an earlier version. */
const earlier = handler(WebApp)
  .step(conditions())
  .step(
    dependentApply(WebApp, {
      name: "old-service",
      kind: Service,
      objectName: (app) => `${app.metadata.name}-metrics`,
      desired: { spec: { ports: [{ port: 9113 }] } },
    }),
  )
  .build();

test("a WebApp gets a database, a cache and a web interface, each with one condition", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { replicas: 2 });
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect(await entriesOf(cluster)).toEqual(ENTRIES);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("DatabaseReady", { message: "Component is ready." });
  expect((await cluster.get(Deployment, "shop"))?.status?.availableReplicas).toBe(2);
  const [psql] = (await cluster.get(Job, "shop-migration"))?.spec?.template.spec?.containers ?? [];
  expect(psql?.env?.slice(0, 2)).toEqual([
    { name: "PGHOST", value: "shop-store" },
    { name: "PGUSER", value: "anna" },
  ]);
});

test("an exporter that is not ready does not hold up the web interface, and has no entry", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  cluster.workloads.pods.fail("ImagePullBackOff", { matchLabels: { exporter: "shop" } });
  await cluster.start(webApp);
  await openShop(cluster, { metrics: true });
  expect((await cluster.get(Deployment, "shop-exporter"))?.status?.readyReplicas ?? 0).toBe(0);
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect(await entriesOf(cluster)).toEqual(ENTRIES);
});

test("a database without its Secret is Blocked, and holds up the web interface but not the cache", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
  await cluster.settled();
  const app = await cluster.get(WebApp, "shop");
  const missing = "credentials: Secret db does not exist yet, and another writer is to create it";
  expect(app).toHaveCondition("DatabaseReady", { status: "False", reason: "Blocked", message: missing });
  expect(app).toHaveCondition("WebReady", {
    status: "False",
    reason: "PrerequisiteNotMet",
    message: `Prerequisite not met: waiting for condition "DatabaseReady" to become True (currently False: ${missing})`,
  });
  expect(app).toHaveCondition("CacheReady", { status: "True", reason: "Healthy" });
  expect(app).toHaveCondition("Ready", { status: "False", reason: "Blocked", message: /^DatabaseReady/ });
  expect(await entriesOf(cluster)).toEqual({
    credentials: "Pending Blocked",
    store: "Pending Blocked",
    "store-service": "Pending Blocked",
    migration: "Pending TaskPending",
    redis: "Ready Healthy",
  });
  expect(await cluster.list(StatefulSet)).toEqual([]);
  expect(await cluster.get(Deployment, "shop")).toBeUndefined();

  await cluster.create(Secret, { metadata: { name: "db" }, data: { password: btoa("secret") } });
  await cluster.settled();
  expect(await cluster.list(StatefulSet), "the Secret has no user yet").toEqual([]);
  expect(await conditionsOf(cluster)).toMatchObject({ DatabaseReady: "False Blocked" });

  await cluster.update(Secret, "db", (secret) => void (secret.data = { ...secret.data, user: btoa("anna") }));
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
});

test("a foreign object of the same name is not modified, and blocks the later resources of its component only", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await cluster.create(ConfigMap, { metadata: { name: "shop-settings" }, data: { mine: "yes" } });
  await openShop(cluster, { metrics: true });
  expect(await conditionsOf(cluster)).toEqual({ ...HEALTHY, WebReady: "False Blocked", Ready: "False Blocked" });
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("WebReady", { message: /^settings: / });
  expect(await cluster.get(Deployment, "shop")).toBeUndefined();
  expect(await cluster.get(Deployment, "shop-exporter"), "an auxiliary resource is blocked, too").toBeUndefined();
  expect((await cluster.get(ConfigMap, "shop-settings"))?.data).toEqual({ mine: "yes" });

  await cluster.delete(ConfigMap, "shop-settings");
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
});

test("a web interface does not begin during a release freeze, and goes on when the next one begins", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await cluster.create(ConfigMap, { metadata: { name: "release-freeze" }, data: { reason: "sale" } });
  await openShop(cluster);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("WebReady", {
    status: "False",
    reason: "PrerequisiteNotMet",
    message: "Prerequisite not met: a release freeze is in effect: sale",
  });
  expect(await cluster.get(ConfigMap, "shop-settings")).toBeUndefined();
  await cluster.delete(ConfigMap, "release-freeze");
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);

  await cluster.create(ConfigMap, { metadata: { name: "release-freeze" }, data: {} });
  await change(cluster, { greeting: "good evening" });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect((await cluster.get(ConfigMap, "shop-settings"))?.data?.["GREETING"]).toBe("good evening");
});

test("a web interface goes on when its database is not ready any more", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster);
  await cluster.delete(Secret, "db");
  await change(cluster, { replicas: 2 });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual({ ...HEALTHY, DatabaseReady: "False Blocked", Ready: "False Blocked" });
  expect((await cluster.get(Deployment, "shop"))?.status?.availableReplicas).toBe(2);
  expect(await cluster.get(StatefulSet, "shop-store"), "what is blocked is not deleted").toBeDefined();
});

test("a new version runs its migration, and a deleted Job does not run again", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster);
  const first = await cluster.get(Job, "shop-migration");
  await cluster.delete(Job, "shop-migration");
  await cluster.settled();
  expect(await cluster.get(Job, "shop-migration")).toBeUndefined();
  expect(await entriesOf(cluster)).toEqual(ENTRIES);

  await change(cluster, { version: "1.30.0" });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect((await cluster.get(Job, "shop-migration"))?.metadata.uid).not.toBe(first?.metadata.uid);
});

test("the objects of each component are deleted in the reverse order of its resources", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { metrics: true });
  cluster.requests.clear();
  await cluster.delete(WebApp, "shop");
  await cluster.settled();
  expect(await cluster.get(WebApp, "shop")).toBeUndefined();
  const deleted = cluster.requests.filter({ verb: "delete" }).map(({ resource, name = "" }) => `${resource} ${name}`);
  const database = ["jobs shop-migration", "services shop-store", "statefulsets shop-store"];
  const cache = ["deployments shop-redis"];
  const web = ["deployments shop-exporter", "deployments shop", "configmaps shop-settings"];
  for (const component of [database, cache, web]) expect(deleted.filter((each) => component.includes(each))).toEqual(component);
  expect(deleted).toHaveLength(7);
  for (const kind of [ConfigMap, Deployment, Job, StatefulSet, Service] as readonly (typeof ConfigMap)[])
    expect((await cluster.list(kind, "default")).filter(({ metadata }) => metadata.name.startsWith("shop"))).toEqual([]);
  expect(await cluster.get(Secret, "db"), "another operator created it").toBeDefined();
});

test("a disabled cache is deleted, and is created again when it is enabled", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(webApp);
  await openShop(cluster);
  await change(cluster, { cache: false });
  await cluster.settled();
  expect(await cluster.get(Deployment, "shop-redis")).toBeUndefined();
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("CacheReady", {
    status: "True",
    reason: "Disabled",
    message: "Component is disabled.",
  });
  const { redis: _, ...others } = ENTRIES;
  expect(await entriesOf(cluster)).toEqual(others);
  expect(op.events.map(({ reason }) => reason)).toContain("ResourceDeleted");

  await change(cluster, { cache: true });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect(await entriesOf(cluster)).toEqual(ENTRIES);
});

test("a cache that is being deleted is Disabling", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster);
  await cluster.update(Deployment, "shop-redis", (redis) => void (redis.metadata.finalizers = ["example.com/hold"]));
  await cluster.settled();
  await change(cluster, { cache: false });
  await cluster.settled();
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("CacheReady", {
    status: "False",
    reason: "Disabling",
    message: "waiting for the deletion of Deployment shop-redis",
  });
  expect(await entriesOf(cluster)).toMatchObject({ redis: "Pending Disabling" });
  await cluster.update(Deployment, "shop-redis", (redis) => void (redis.metadata.finalizers = []));
  await cluster.settled();
  expect(await conditionsOf(cluster)).toMatchObject({ CacheReady: "True Disabled" });
});

test("the Service of an earlier version of the operator is deleted", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const before = await cluster.start(earlier);
  await openShop(cluster);
  expect(await cluster.get(Service, "shop-metrics")).toBeDefined();
  await before.stop();
  const op = await cluster.start(webApp);
  await cluster.settled();
  expect(await cluster.get(Service, "shop-metrics")).toBeUndefined();
  expect(op.events.filter(({ reason }) => reason === "ResourceDeleted")).toMatchObject([
    { note: 'component "web" deleted Service default/shop-metrics' },
  ]);
});
