/** Components that fail, or do not converge in time. Time is virtual. */
import "@treadle/testing/matchers";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { ApiError } from "treadle";
import { Deployment, Job, StatefulSet } from "treadle/kinds";
import { expect, test } from "vitest";
import { webApp } from "./controller.ts";
import { change, conditionsOf, createCredentials, entriesOf, openShop } from "./shop.ts";
import { WebApp } from "./web-app.ts";

const HEALTHY = { DatabaseReady: "True Healthy", CacheReady: "True Healthy", WebReady: "True Healthy", Ready: "True Ready" };

const forbidden = new ApiError({ status: 403, reason: "Forbidden", message: "exceeded quota: compute" });

/** Creates the WebApp. Unlike `openShop()` it does not wait for the rollout. */
async function createShop(cluster: TestCluster, spec: Partial<WebApp["spec"]> = {}): Promise<void> {
  await createCredentials(cluster);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec });
}

/** Moves the time. The operator passes whenever it is due. */
async function pass(cluster: TestCluster, ms: number): Promise<void> {
  await cluster.advance(ms);
  await cluster.settled({ horizonMs: 0 });
}

test("pods that do not start keep the database Creating until its grace period ends, then it is Down", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const broken = cluster.workloads.pods.fail("ImagePullBackOff", { matchLabels: { store: "shop" } });
  await cluster.start(webApp);
  await createShop(cluster);
  await pass(cluster, 290_000);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("DatabaseReady", { status: "False", reason: "Creating", message: /^store: / });
  expect(await entriesOf(cluster)).toMatchObject({ store: "Pending Creating", migration: "Pending TaskPending" });

  await pass(cluster, 15_000);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("DatabaseReady", {
    status: "False",
    reason: "Down",
    message: /^not ready within 300 s: store: /,
  });
  expect(await conditionsOf(cluster)).toMatchObject({
    CacheReady: "True Healthy",
    WebReady: "False PrerequisiteNotMet",
    Ready: "False Down",
  });

  broken.recover();
  await pass(cluster, 400_000);
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
});

test("a web interface with fewer web servers than desired is Degraded after its grace period", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster);
  const broken = cluster.workloads.pods.fail("Unschedulable", { matchLabels: { web: "shop" } });
  await change(cluster, { replicas: 3 });
  await pass(cluster, 110_000);
  expect(await conditionsOf(cluster)).toMatchObject({ DatabaseReady: "True Healthy", WebReady: "False Scaling" });
  await pass(cluster, 15_000);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("WebReady", {
    status: "False",
    reason: "Degraded",
    message: "not ready within 120 s: web-server: 1 of 3 replicas are available",
  });
  broken.recover();
  await pass(cluster, 60_000);
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
});

test("a rollout that stalls with all web servers ready stays Updating, and is logged once", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(webApp);
  await openShop(cluster, { replicas: 2 });
  cluster.workloads.pods.fail("ImagePullBackOff", { image: "nginx:1.30.0" });
  await change(cluster, { version: "1.30.0" });
  await pass(cluster, 500_000);
  expect((await cluster.get(Deployment, "shop"))?.status?.readyReplicas).toBe(2);
  expect(await conditionsOf(cluster)).toMatchObject({ WebReady: "False Updating" });
  expect(op.logs.filter(({ text }) => text.startsWith("the component is not ready after its grace period"))).toHaveLength(1);
  await pass(cluster, 110_000);
  expect(await conditionsOf(cluster)).toMatchObject({ WebReady: "False Failing" });
});

test("a new spec restarts the grace period", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  cluster.workloads.pods.fail("ImagePullBackOff", { matchLabels: { web: "shop" } });
  await cluster.start(webApp);
  await createShop(cluster);
  await pass(cluster, 100_000);
  await change(cluster, { greeting: "good evening" });
  await pass(cluster, 100_000);
  expect(await conditionsOf(cluster)).toMatchObject({ WebReady: "False Creating" });
  await pass(cluster, 30_000);
  expect(await conditionsOf(cluster)).toMatchObject({ WebReady: "False Down" });
});

test("the time before the barrier does not count for the grace period", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const broken = cluster.workloads.pods.fail("ImagePullBackOff", { matchLabels: { store: "shop" } });
  cluster.workloads.pods.fail("ImagePullBackOff", { matchLabels: { web: "shop" } });
  await cluster.start(webApp);
  await createShop(cluster);
  await pass(cluster, 200_000);
  broken.recover();
  await pass(cluster, 30_000);
  expect(await conditionsOf(cluster)).toMatchObject({ DatabaseReady: "True Healthy", WebReady: "False Creating" });
  await pass(cluster, 130_000);
  expect(await conditionsOf(cluster)).toMatchObject({ WebReady: "False Down" });
});

test("a restarted operator continues the grace period", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  cluster.workloads.pods.fail("ImagePullBackOff", { matchLabels: { store: "shop" } });
  const first = await cluster.start(webApp);
  await createShop(cluster);
  await pass(cluster, 200_000);
  await first.stop();
  await cluster.start(webApp);
  await pass(cluster, 90_000);
  expect(await conditionsOf(cluster)).toMatchObject({ DatabaseReady: "False Creating" });
  await pass(cluster, 20_000);
  expect(await conditionsOf(cluster)).toMatchObject({ DatabaseReady: "False Down" });
});

test("a migration that fails is TaskFailing at once", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  cluster.workloads.pods.fail({ exitCode: 2 }, { container: "psql" });
  await cluster.start(webApp);
  await createShop(cluster);
  await pass(cluster, 3_600_000);
  expect((await cluster.get(Job, "shop-migration"))?.status?.failed).toBeGreaterThan(0);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("DatabaseReady", {
    status: "False",
    reason: "TaskFailing",
    message: /^migration: /,
  });
  expect(await conditionsOf(cluster)).toMatchObject({ WebReady: "False PrerequisiteNotMet" });
});

test("a cache whose containers crash in a loop is Failing when its Deployment has missed its deadline", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const crash = cluster.workloads.pods.fail("CrashLoopBackOff", { matchLabels: { redis: "shop" } });
  await cluster.start(webApp);
  await createShop(cluster);
  await pass(cluster, 590_000);
  expect(await conditionsOf(cluster)).toMatchObject({
    DatabaseReady: "True Healthy",
    CacheReady: "False Creating",
    WebReady: "True Healthy",
  });
  await pass(cluster, 20_000);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("CacheReady", { status: "False", reason: "Failing", message: /^redis: / });
  crash.recover();
  await pass(cluster, 600_000);
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
});

test("transient errors of the server keep the condition for a minute, then it is Error", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster);
  const fault = cluster.faults.add({
    on: { resource: "statefulsets", verb: "apply" },
    fault: { type: "serverError", status: 503 },
  });
  await cluster.update(StatefulSet, "shop-store", (store) => void (store.metadata.labels = {}));
  await pass(cluster, 20_000);
  expect(fault.hits.length).toBeGreaterThan(1);
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
  await pass(cluster, 300_000);
  expect(await cluster.get(WebApp, "shop")).toHaveCondition("DatabaseReady", {
    status: "False",
    reason: "Error",
    message: /^store: cannot apply StatefulSet/,
  });
  expect(await conditionsOf(cluster)).toMatchObject({ CacheReady: "True Healthy", WebReady: "True Healthy" });
  fault.remove();
  await pass(cluster, 600_000);
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
});

test("an error that a retry does not resolve is reported at once, and the other components go on", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster);
  const quota = cluster.onRequest(({ verb, resource, name }) => {
    if (verb === "apply" && resource === "deployments" && name === "shop-redis") throw forbidden;
  });
  await change(cluster, { cache: false });
  await cluster.settled();
  await change(cluster, { cache: true, replicas: 3 });
  await cluster.settled();
  expect(await conditionsOf(cluster)).toMatchObject({ CacheReady: "False Error", DatabaseReady: "True Healthy", WebReady: "True Healthy" });
  expect((await cluster.get(Deployment, "shop"))?.spec?.replicas).toBe(3);
  quota();
  await pass(cluster, 600_000);
  expect(await conditionsOf(cluster)).toEqual(HEALTHY);
});
