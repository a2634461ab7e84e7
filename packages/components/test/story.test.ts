/** The story of an owner with three components, from its creation to its deletion. */
import "@treadle/testing/matchers";
import { ConfigMap, Deployment, Job, Secret, StatefulSet } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { WebApp, webApp } from "./web-app.ts";

async function toldOf(cluster: TestCluster): Promise<Readonly<Record<string, string>>> {
  const { status } = (await cluster.get(WebApp, "shop")) ?? {};
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]));
}

test("a WebApp waits for its credentials, rolls out, suspends, resumes, disables its cache, and is deleted", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(webApp);
  await cluster.create(WebApp, { metadata: { name: "shop" }, spec: {} });
  await cluster.settled();
  expect(await toldOf(cluster)).toMatchObject({
    DatabaseReady: "False Blocked",
    CacheReady: "True Healthy",
    WebReady: "False PrerequisiteNotMet",
  });
  await cluster.create(Secret, { metadata: { name: "db" }, data: { user: btoa("anna") } });
  await cluster.settled();
  const ready = { DatabaseReady: "True Healthy", CacheReady: "True Healthy", WebReady: "True Healthy", Ready: "True Ready" };
  expect(await toldOf(cluster)).toEqual(ready);
  await cluster.update(WebApp, "shop", (app) => void (app.spec.suspended = true));
  await cluster.settled();
  expect(await toldOf(cluster)).toMatchObject({
    DatabaseReady: "True Suspended",
    CacheReady: "True Suspended",
    WebReady: "True Suspended",
  });
  for (const kind of [Deployment, StatefulSet])
    expect((await cluster.list(kind as typeof Deployment)).every(({ spec }) => spec?.replicas === 0)).toBe(true);
  expect(await cluster.list(Job)).toEqual([]);
  await cluster.update(WebApp, "shop", (app) => void (app.spec.suspended = false));
  await cluster.settled();
  expect(await toldOf(cluster)).toEqual(ready);
  await cluster.update(WebApp, "shop", (app) => void (app.spec.cache = false));
  await cluster.settled();
  expect(await toldOf(cluster)).toEqual({ ...ready, CacheReady: "True Disabled" });
  await cluster.delete(WebApp, "shop");
  await cluster.settled();
  expect(await cluster.get(WebApp, "shop")).toBeUndefined();
  for (const kind of [ConfigMap, Deployment, StatefulSet, Job]) expect(await cluster.list(kind as typeof ConfigMap)).toEqual([]);
});
