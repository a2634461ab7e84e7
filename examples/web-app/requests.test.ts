/** The requests of the operator: how many a change costs, and that nothing is written without a change. */
import "@treadle/testing/matchers";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { all, conditions, dependentApplyAll, handler } from "treadle";
import { expect, test } from "vitest";
import { cache, redis } from "./cache.ts";
import { webApp } from "./controller.ts";
import { credentials } from "./credentials.ts";
import { exporter } from "./exporter.ts";
import { migration } from "./migration.ts";
import { settings } from "./settings.ts";
import { change, conditionsOf, entriesOf, openShop, requestsIn } from "./shop.ts";
import { store, storeService } from "./store.ts";
import { web } from "./web.ts";
import { WebApp } from "./web-app.ts";

test("a settled WebApp costs no request, also at a resync", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(webApp, { controller: { resyncMs: 60_000 } });
  await openShop(cluster, { metrics: true });
  cluster.requests.clear();
  const passes = op.passes.length;
  await cluster.advance(600_000);
  await cluster.settled({ horizonMs: 0 });
  expect(op.passes.length).toBeGreaterThan(passes + 5);
  expect(requestsIn(cluster.requests)).toEqual([]);
});

test("a WebApp costs one write for each object, and one status write for each change of its status", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await openShop(cluster, { metrics: true });
  const writes = cluster.requests.writes.filter(({ resource, subresource }) => resource !== "events" && subresource !== "status");
  expect(writes.map(({ verb, resource }) => `${verb} ${resource}`).toSorted()).toEqual([
    "apply configmaps",
    "apply deployments",
    "apply deployments",
    "apply deployments",
    "apply jobs",
    "apply services",
    "apply statefulsets",
    "patch webapps",
  ]);
  const statuses = cluster.requests.filter({ resource: "webapps", subresource: "status" });
  const conditionsIn = statuses.map(({ body }) => JSON.stringify((body as { status: { conditions: unknown } }).status.conditions));
  expect(statuses.length).toBeGreaterThan(5);
  expect(new Set(conditionsIn).size, "each status write changes a condition").toBe(statuses.length);
});

test("a restarted operator writes nothing for a settled WebApp", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const first = await cluster.start(webApp);
  await openShop(cluster, { metrics: true });
  await first.stop();
  cluster.requests.clear();
  await cluster.start(webApp);
  await cluster.settled({ horizonMs: 3_600_000 });
  expect(cluster.requests.writes).toEqual([]);
});

test.for([
  { state: "suspended", spec: { suspended: true } },
  { state: "without a cache", spec: { cache: false } },
])("a restarted operator writes nothing for a WebApp that is $state", { tags: ["memory"] }, async ({ spec }) => {
  await using cluster = await startTestCluster({ workloads: true });
  const first = await cluster.start(webApp);
  await openShop(cluster);
  await change(cluster, spec);
  await cluster.settled();
  await first.stop();
  cluster.requests.clear();
  const second = await cluster.start(webApp);
  await cluster.settled({ horizonMs: 3_600_000 });
  expect(cluster.requests.writes).toEqual([]);
  expect(second.passes).not.toEqual([]);
});

/** The same dependents as a list of the handler. */
const listed = handler(WebApp)
  .step(conditions())
  .step(dependentApplyAll("parts", [credentials, store, storeService, migration, redis, settings, web, exporter]))
  .build();

/** All but the database are components. */
const mixed = handler(WebApp)
  .step(conditions())
  .step(dependentApplyAll("parts", [credentials, store, storeService, migration]))
  .step(all("components", [cache]))
  .step(dependentApplyAll("others", [settings, web, exporter]))
  .build();

async function replace(cluster: TestCluster, operator: typeof webApp): Promise<void> {
  const op = await cluster.start(operator);
  await cluster.settled();
  await op.stop();
}

test("a dependent that moves from the list of the handler into a component, and back, is not written", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const before = await cluster.start(listed);
  await openShop(cluster, { metrics: true });
  expect(await entriesOf(cluster)).toMatchObject({ store: "Ready Ready", "web-server": "Ready Ready" });
  await before.stop();
  cluster.requests.clear();

  for (const operator of [mixed, webApp, listed, webApp]) await replace(cluster, operator);
  expect(await conditionsOf(cluster)).toEqual({
    DatabaseReady: "True Healthy",
    CacheReady: "True Healthy",
    WebReady: "True Healthy",
    Ready: "True Ready",
  });
  expect(await entriesOf(cluster)).toMatchObject({ store: "Ready Healthy", "web-server": "Ready Healthy" });
  const written = cluster.requests.writes.filter(({ resource }) => resource !== "events");
  expect([...new Set(written.map(({ verb, resource, subresource }) => `${verb} ${resource}/${subresource ?? ""}`))]).toEqual([
    "patch webapps/status",
  ]);
});
