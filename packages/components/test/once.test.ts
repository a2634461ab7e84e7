import { Job } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { component } from "../src/component.ts";
import { WebApp } from "./web-app.ts";

const migration = dependentApply(WebApp, {
  name: "migration",
  kind: Job,
  once: true,
  desired: { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "tool:1" }] } } } },
});
const database = component(WebApp, {
  name: "database",
  condition: "DatabaseReady",
  suspended: (app) => app.spec.suspended,
  resources: [migration],
});
const operator = handler(WebApp).step(conditions()).step(database).build();

test("a Job that was complete before a suspension is not created again after it", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(operator);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
  await cluster.settled();
  expect(await cluster.get(WebApp, "shop")).toMatchObject({ status: { conditions: [{ reason: "Completed" }, { reason: "Ready" }] } });

  await cluster.update(WebApp, "shop", (app) => void (app.spec.suspended = true));
  await cluster.settled();
  expect(await cluster.list(Job)).toEqual([]);
  cluster.requests.clear();
  await cluster.update(WebApp, "shop", (app) => void (app.spec.suspended = false));
  await cluster.settled();
  expect(cluster.requests.filter({ resource: "jobs", verb: ["apply", "create"] })).toEqual([]);
  expect(await cluster.get(WebApp, "shop")).toMatchObject({ status: { conditions: [{ reason: "Completed" }, { reason: "Ready" }] } });
});
