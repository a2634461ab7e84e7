import "@treadle/testing/matchers";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { ConfigMap, Deployment, HorizontalPodAutoscaler, Job, Secret, Service, StatefulSet } from "treadle/kinds";
import { expect, test } from "vitest";
import { webApp } from "./controller.ts";
import { change, conditionsOf, entriesOf, openShop } from "./shop.ts";
import { WebApp } from "./web-app.ts";

const HEALTHY = { DatabaseReady: "True Healthy", CacheReady: "True Healthy", WebReady: "True Healthy", Ready: "True Ready" };
const SUSPENDED = { DatabaseReady: "True Suspended", CacheReady: "True Suspended", WebReady: "True Suspended", Ready: "True Ready" };

const replicasOf = async (cluster: TestCluster): Promise<Readonly<Record<string, number | undefined>>> => ({
  shop: (await cluster.get(Deployment, "shop"))?.spec?.replicas,
  redis: (await cluster.get(Deployment, "shop-redis"))?.spec?.replicas,
  store: (await cluster.get(StatefulSet, "shop-store"))?.spec?.replicas,
});

test("a suspended WebApp has no pods, and keeps its data, its settings and its addresses", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { replicas: 2 });
  await change(cluster, { suspended: true });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(SUSPENDED);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("WebReady", { message: "Component is suspended." });
  expect(await replicasOf(cluster)).toEqual({ shop: 0, redis: 0, store: 0 });
  expect(await cluster.get(Job, "shop-migration")).toBeUndefined();
  expect(await cluster.get(ConfigMap, "shop-settings")).toBeDefined();
  expect(await cluster.get(Service, "shop-store")).toBeDefined();
  expect(await entriesOf(cluster)).toEqual({
    credentials: "Ready Healthy",
    store: "Ready Suspended",
    "store-service": "Ready Operational",
    redis: "Ready Suspended",
    settings: "Ready Healthy",
    "web-server": "Ready Suspended",
  });
});

test("a resumed WebApp has its replicas again, and does not repeat its migration", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { replicas: 2 });
  await change(cluster, { suspended: true });
  await cluster.settled();
  cluster.requests.clear();
  await change(cluster, { suspended: false });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect(await replicasOf(cluster)).toEqual({ shop: 2, redis: 1, store: 1 });
  expect(await entriesOf(cluster)).toMatchObject({ migration: "Ready Completed" });
  expect(cluster.requests.filter({ resource: "jobs", verb: ["create", "apply"] })).toEqual([]);
});

test("a WebApp is Suspending until its last pod has ended", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: { stopSeconds: 20 } });
  await cluster.start(webApp);
  await openShop(cluster);
  await change(cluster, { suspended: true });
  await cluster.settled({ horizonMs: 1_000 });
  // A Deployment does not count pods that end; a StatefulSet does.
  expect(await conditionsOf(cluster)).toEqual({ ...SUSPENDED, DatabaseReady: "False Suspending", Ready: "False Suspending" });
  await cluster.settled({ horizonMs: 30_000 });
  expect(await conditionsOf(cluster)).toEqual(SUSPENDED);
});

test("a WebApp that is created suspended has workloads without replicas, and no Job", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { suspended: true, replicas: 2 });
  expect(await conditionsOf(cluster)).toEqual(SUSPENDED);
  expect(await replicasOf(cluster)).toEqual({ shop: 0, redis: 0, store: 0 });
  expect(cluster.requests.filter({ resource: "jobs", verb: ["create", "apply"] })).toEqual([]);
  await change(cluster, { suspended: false });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect(await replicasOf(cluster)).toEqual({ shop: 2, redis: 1, store: 1 });
});

test("a database that was never created is suspended without its Secret", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: { suspended: true } });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toMatchObject({ DatabaseReady: "True Suspended" });
  expect(await entriesOf(cluster)).toMatchObject({ credentials: "Ready Suspended" });
  expect(await cluster.list(StatefulSet)).toEqual([]);
});

test("a database without its Secret stays as it is, and does not hold up the suspension of the others", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster);
  await cluster.delete(Secret, "db");
  await change(cluster, { suspended: true });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toMatchObject({ CacheReady: "True Suspended", WebReady: "True Suspended" });
  expect(await replicasOf(cluster)).toEqual({ shop: 0, redis: 0, store: 1 });
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("DatabaseReady", {
    status: "False",
    reason: "PendingSuspension",
    message: /^store: .*user/,
  });
  await cluster.create(Secret, { metadata: { name: "db" }, data: { user: btoa("anna") } });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(SUSPENDED);
});

test("a foreign object is not modified by a suspension, and does not hold it up", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  const labels = { theirs: "yes" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "other:1" }] } };
  await cluster.create(Deployment, { metadata: { name: "shop" }, spec: { replicas: 3, selector: { matchLabels: labels }, template } });
  await openShop(cluster);
  expect(await conditionsOf(cluster)).toMatchObject({ WebReady: "False Blocked" });
  await change(cluster, { suspended: true });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(SUSPENDED);
  expect(await replicasOf(cluster)).toEqual({ shop: 3, redis: 0, store: 0 });
});

test("a cache that is disabled in a suspension is deleted", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { suspended: true });
  await change(cluster, { cache: false });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual({ ...SUSPENDED, CacheReady: "True Disabled" });
  expect(await cluster.get(Deployment, "shop-redis")).toBeUndefined();

  await change(cluster, { cache: true });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(SUSPENDED);
  expect(await replicasOf(cluster)).toMatchObject({ redis: 0 });
});

test("the barrier holds back a suspended web interface: nothing is created", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await cluster.create(ConfigMap, { metadata: { name: "release-freeze" }, data: {} });
  await openShop(cluster, { suspended: true });
  expect(await conditionsOf(cluster)).toMatchObject({ DatabaseReady: "True Suspended", WebReady: "False PrerequisiteNotMet" });
  expect(await cluster.get(Deployment, "shop")).toBeUndefined();
});

/** Makes the autoscaler active, as its controller would, and scales the web servers. */
async function scale(cluster: TestCluster, replicas: number): Promise<void> {
  await cluster.updateStatus(HorizontalPodAutoscaler, "shop", (autoscaler) => {
    const at = new Date(cluster.clock.now()).toISOString();
    const active = { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message: "", lastTransitionTime: at };
    autoscaler.status = { currentReplicas: replicas, desiredReplicas: replicas, currentMetrics: [], conditions: [active] };
  });
  await cluster.update(Deployment, "shop", (web) => void Object.assign(web.spec ?? {}, { replicas }));
  await cluster.settled();
}

/** Whether a writer of the operator owns `spec.replicas` of the web servers. */
async function ownsReplicas(cluster: TestCluster): Promise<boolean> {
  const { managedFields = [] } = (await cluster.get(Deployment, "shop"))?.metadata ?? {};
  const ours = managedFields.filter(({ manager, operation }) => operation === "Apply" && manager?.startsWith("webapps.") === true);
  return ours.some(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:replicas"'));
}

const autoscale = { minReplicas: 2, maxReplicas: 10 };

test("with an autoscaler the operator does not set the number of web servers", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { replicas: 3 });
  expect(await ownsReplicas(cluster)).toBe(true);
  await change(cluster, { autoscale });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toMatchObject({ WebReady: "False OperationPending" });
  expect(await ownsReplicas(cluster)).toBe(false);
  expect(await replicasOf(cluster)).toMatchObject({ shop: 3 });
  await scale(cluster, 5);
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect(await replicasOf(cluster)).toMatchObject({ shop: 5 });
});

test("with an autoscaler a resumed WebApp has as many web servers as before, and releases their number", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { autoscale });
  await scale(cluster, 5);
  await change(cluster, { suspended: true });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(SUSPENDED);
  expect(await replicasOf(cluster)).toMatchObject({ shop: 0 });
  expect(await cluster.get(HorizontalPodAutoscaler, "shop")).toBeDefined();

  await change(cluster, { suspended: false });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect(await replicasOf(cluster)).toMatchObject({ shop: 5 });
  expect(await ownsReplicas(cluster)).toBe(false);
  await scale(cluster, 4);
  expect(await replicasOf(cluster)).toMatchObject({ shop: 4 });
});

test("a WebApp without its autoscaler has the number of web servers of its spec again", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { replicas: 3, autoscale });
  await scale(cluster, 5);
  await cluster.update(WebApp, "shop", (app) => void delete app.spec.autoscale);
  await cluster.settled();
  expect(await cluster.get(HorizontalPodAutoscaler, "shop")).toBeUndefined();
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  expect(await replicasOf(cluster)).toMatchObject({ shop: 3 });
});
