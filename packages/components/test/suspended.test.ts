/** Suspended components: resources that are not ready or cannot be rendered, and the guard of a number of replicas. */
import { Ingress, Secret, StatefulSet } from "@treadle/apimachinery/kinds";
import { dependentApply, dependentsOf } from "@treadle/dependents";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { component } from "../src/component.ts";
import { credentials, store, WebApp } from "./web-app.ts";

const ingress = dependentApply(WebApp, {
  name: "ingress",
  kind: Ingress,
  desired: { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } },
});
const database = component(WebApp, {
  name: "database",
  condition: "DatabaseReady",
  suspended: (app) => app.spec.suspended,
  resources: [ingress, credentials, store],
});
const operator = handler(WebApp).step(conditions()).step(database).build();

async function statusOf(cluster: TestCluster): Promise<readonly string[]> {
  await cluster.settled();
  const app = (await cluster.get(WebApp, "shop")) ?? {};
  const [condition] = (app as WebApp).status?.conditions ?? [];
  const entries = dependentsOf(app).map(({ step, type, reason }) => `${step} ${type} ${reason}`);
  return [`${condition?.status} ${condition?.reason} ${condition?.message}`, ...entries];
}

test("a resource that cannot be suspended, and is not ready, counts as suspended", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(operator);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: { suspended: true } });
  expect(await statusOf(cluster)).toEqual([
    "True Suspended Component is suspended.",
    "ingress Ready Suspended",
    "credentials Ready Suspended",
  ]);
  expect(await cluster.list(StatefulSet)).toEqual([]);
});

test("a workload whose values are missing stays as it is, and is PendingSuspension", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(operator);
  await cluster.create(Secret, { metadata: { name: "db" }, data: { user: btoa("anna") } });
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
  await cluster.settled();
  await cluster.delete(Secret, "db");
  await cluster.update(WebApp, "shop", (app) => void (app.spec.suspended = true));
  const [condition, ...entries] = await statusOf(cluster);
  expect(condition).toMatch(/^False PendingSuspension store: .*user/);
  expect(entries).toEqual(["ingress Ready Suspended", "credentials Ready Suspended", "store Pending PendingSuspension"]);
  expect((await cluster.get(StatefulSet, "shop-store"))?.spec?.replicas).toBe(1);

  await cluster.create(Secret, { metadata: { name: "db" }, data: { user: btoa("anna") } });
  expect(await statusOf(cluster)).toEqual([
    "True Suspended Component is suspended.",
    "ingress Ready Suspended",
    "credentials Ready Healthy",
    "store Ready Suspended",
  ]);
  await cluster.delete(Secret, "db");
  expect((await statusOf(cluster))[0]).toBe("True Suspended Component is suspended.");
});

test("the number of replicas is set to 0 only in the version of the workload that the pass has read", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(operator);
  await cluster.create(Secret, { metadata: { name: "db" }, data: { user: btoa("anna") } });
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
  await cluster.settled();
  const { resourceVersion } = (await cluster.get(StatefulSet, "shop-store"))?.metadata ?? {};
  cluster.requests.clear();
  await cluster.update(WebApp, "shop", (app) => void (app.spec.suspended = true));
  await cluster.settled();
  const applied = cluster.requests.filter({ verb: "apply", resource: "statefulsets" });
  expect(applied.map(({ body }) => body)).toMatchObject([{ metadata: { resourceVersion }, spec: { replicas: 0 } }]);
});
