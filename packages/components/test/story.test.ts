import "@treadle/testing/matchers";
import { ConfigMap, Deployment, Job, Secret, StatefulSet } from "@treadle/apimachinery/kinds";
import { dependentsOf } from "@treadle/dependents";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { WebApp, webApp } from "./web-app.ts";

async function conditionsOf(cluster: TestCluster, name = "shop"): Promise<Record<string, string>> {
  const { status } = (await cluster.get(WebApp, name)) ?? {};
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: is, reason, message }) => [type, `${is} ${reason} ${message}`]),
  );
}
async function entriesOf(cluster: TestCluster, name = "shop"): Promise<Record<string, string>> {
  const found = dependentsOf((await cluster.get(WebApp, name)) ?? {});
  return Object.fromEntries(found.map(({ step, type, reason }) => [step, `${type} ${reason}`]));
}

test("a WebApp waits for its credentials, rolls out, suspends, resumes, disables its cache, and is deleted", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
  await cluster.settled();
  console.log(await conditionsOf(cluster), await entriesOf(cluster));
  await cluster.create(Secret, { metadata: { name: "db" }, data: { user: btoa("anna") } });
  await cluster.settled();
  console.log(await conditionsOf(cluster), await entriesOf(cluster));
  await cluster.update(WebApp, "shop", (app) => void (app.spec.suspended = true));
  await cluster.settled();
  console.log("suspended", await conditionsOf(cluster), await entriesOf(cluster));
  console.log(
    (await cluster.list(Deployment)).map(({ metadata, spec }) => [metadata.name, spec?.replicas]),
    (await cluster.list(StatefulSet)).map(({ spec }) => spec?.replicas),
    (await cluster.list(Job)).length,
  );
  await cluster.update(WebApp, "shop", (app) => void (app.spec.suspended = false));
  await cluster.settled();
  console.log("resumed", await conditionsOf(cluster), await entriesOf(cluster));
  await cluster.update(WebApp, "shop", (app) => void (app.spec.cache = false));
  await cluster.settled();
  console.log("disabled", await conditionsOf(cluster), await entriesOf(cluster));
  await cluster.delete(WebApp, "shop");
  await cluster.settled();
  expect(await cluster.get(WebApp, "shop")).toBeUndefined();
  for (const kind of [ConfigMap, Deployment, StatefulSet, Job]) expect(await cluster.list(kind as typeof ConfigMap)).toEqual([]);
});
