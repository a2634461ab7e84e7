/** The life of an owner with three components, with simulated workloads. */
import "@treadle/testing/matchers";
import { ConfigMap, Deployment, Job, Secret, StatefulSet } from "@treadle/apimachinery/kinds";
import { dependentsOf } from "@treadle/dependents";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { WebApp, webApp } from "./web-app.ts";

const READY = "True Healthy";
const ROLLED_OUT = {
  credentials: "Ready Healthy",
  store: "Ready Healthy",
  migration: "Ready Completed",
  redis: "Ready Healthy",
  "redis-service": "Ready Operational",
  settings: "Ready Healthy",
  web: "Ready Healthy",
};

async function reasonsOf(cluster: TestCluster): Promise<Readonly<Record<string, string>>> {
  const { status } = (await cluster.get(WebApp, "shop")) ?? {};
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]));
}
async function entriesOf(cluster: TestCluster): Promise<Readonly<Record<string, string>>> {
  const found = dependentsOf((await cluster.get(WebApp, "shop")) ?? {});
  return Object.fromEntries(found.map(({ step, type, reason }) => [step, `${type} ${reason}`]));
}
async function change(cluster: TestCluster, spec: Partial<WebApp["spec"]>): Promise<void> {
  await cluster.update(WebApp, "shop", (app) => void Object.assign(app.spec, spec));
  await cluster.settled();
}
/** A cluster with a WebApp whose credentials exist. */
async function rolledOut(): Promise<TestCluster> {
  const cluster = await startTestCluster({ workloads: true, objects: [{ apiVersion: "v1", kind: "Secret", metadata: { name: "db" } }] });
  await cluster.start(webApp);
  await cluster.update(Secret, "db", (secret) => void (secret.data = { user: btoa("anna") }));
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
  await cluster.settled();
  return cluster;
}

test("a WebApp waits for the credentials of its database, and begins when they exist", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
  await cluster.settled();
  expect(await reasonsOf(cluster)).toEqual({
    DatabaseReady: "False Blocked",
    CacheReady: READY,
    WebReady: "False PrerequisiteNotMet",
    Ready: "False Blocked",
  });
  expect(await entriesOf(cluster)).toEqual({
    credentials: "Pending Blocked",
    store: "Pending Blocked",
    migration: "Pending TaskPending",
    redis: "Ready Healthy",
    "redis-service": "Ready Operational",
  });
  await cluster.create(Secret, { metadata: { name: "db" }, data: { user: btoa("anna") } });
  await cluster.settled();
  expect(await reasonsOf(cluster)).toEqual({ DatabaseReady: READY, CacheReady: READY, WebReady: READY, Ready: "True Ready" });
  expect(await entriesOf(cluster)).toEqual(ROLLED_OUT);
});

test("a WebApp is suspended and resumed as a whole", async () => {
  await using cluster = await rolledOut();
  await change(cluster, { suspended: true });
  const suspended = "True Suspended";
  expect(await reasonsOf(cluster)).toEqual({ DatabaseReady: suspended, CacheReady: suspended, WebReady: suspended, Ready: "True Ready" });
  expect((await cluster.list(Deployment)).map(({ spec }) => spec?.replicas)).toEqual([0, 0]);
  expect((await cluster.list(StatefulSet)).map(({ spec }) => spec?.replicas)).toEqual([0]);
  expect(await cluster.list(Job)).toEqual([]);
  await change(cluster, { suspended: false });
  expect(await entriesOf(cluster)).toEqual(ROLLED_OUT);
  expect((await cluster.list(Deployment)).map(({ spec }) => spec?.replicas)).toEqual([1, 1]);
});

test("the cache of a WebApp is disabled and enabled without an effect on the other components", async () => {
  await using cluster = await rolledOut();
  await change(cluster, { cache: false });
  expect(await reasonsOf(cluster)).toEqual({ DatabaseReady: READY, CacheReady: "True Disabled", WebReady: READY, Ready: "True Ready" });
  expect(await cluster.get(Deployment, "shop-redis")).toBeUndefined();
  await change(cluster, { cache: true });
  expect(await entriesOf(cluster)).toEqual(ROLLED_OUT);
});

test("a crash loop of a WebApp is Down after the grace period, and Healthy when it ends", async () => {
  await using cluster = await rolledOut();
  const mishap = cluster.workloads.pods.fail("CrashLoopBackOff", { matchLabels: { app: "shop" } });
  await cluster.advance(59_000);
  expect((await reasonsOf(cluster))["WebReady"]).toMatch(/^False (Scaling|Updating|Failing)$/);
  await cluster.advance(60_000);
  expect(await reasonsOf(cluster)).toMatchObject({ DatabaseReady: READY, CacheReady: READY, WebReady: "False Down", Ready: "False Down" });
  mishap.recover();
  await cluster.settled();
  expect(await reasonsOf(cluster)).toMatchObject({ WebReady: READY, Ready: "True Ready" });
});

test("the objects of a deleted WebApp are deleted", async () => {
  await using cluster = await rolledOut();
  await cluster.delete(WebApp, "shop");
  await cluster.settled();
  expect(await cluster.get(WebApp, "shop")).toBeUndefined();
  for (const kind of [ConfigMap, Deployment, StatefulSet, Job]) expect(await cluster.list(kind as typeof ConfigMap)).toEqual([]);
});
