/**
 * Two components of one owner on the engine's public API: `web` (a ConfigMap, then a Deployment that needs a certificate)
 * and `api` (a ConfigMap and a Deployment that need a database once).
 */
import { defineResource, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Secret } from "@treadle/apimachinery/kinds";
import { all, conditions, handler, one } from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Harness, type Operator, startHarness } from "../harness.ts";
import { component } from "./component.ts";

const App = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ image: z.string(), web: z.boolean().default(true), certificate: z.string().optional() }),
});
interface App extends ObjectOf<typeof App> {}

const NAME = "apps.test.treadle.dev";

/** A Deployment as plain as the tests need it. */
const deployment = (owner: App, name: string) => ({
  metadata: { name: `${owner.metadata.name}-${name}` },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: owner.spec.image }] } },
  },
});
const configMap = (owner: App, name: string) => ({
  metadata: { name: `${owner.metadata.name}-${name}` },
  data: { image: owner.spec.image },
});

const web = component(App, {
  handlerName: NAME,
  name: "web",
  condition: "WebReady",
  reads: { certificate: one(Secret, (app) => app.spec.certificate) },
  enabled: (app) => app.spec.web,
  parts: (part) => [
    part(ConfigMap, { desired: (app) => configMap(app, "web") }),
    part(Deployment, {
      desired: (app) => deployment(app, "web"),
      guard: ({ object, reads }) =>
        object.spec.certificate === undefined || reads.certificate !== undefined || `no Secret ${object.spec.certificate} yet`,
    }),
  ],
});

const api = component(App, {
  handlerName: NAME,
  name: "api",
  condition: "ApiReady",
  reads: { database: one(Secret, () => "database") },
  prerequisite: ({ reads }) => reads.database !== undefined || "no Secret database yet",
  parts: (part) => [
    part(ConfigMap, { desired: (app) => configMap(app, "api") }),
    part(Deployment, { desired: (app) => deployment(app, "api") }),
  ],
});

const app = handler(App)
  .step(conditions())
  .step(all("components", [web, api]))
  .build();

const KEY = "default/shop";
const REF = { namespace: "default", name: "shop" };
const named = (name: string) => ({ namespace: "default", name });

let harness: Harness;
let operator: Operator;
beforeEach(async () => {
  harness = await startHarness([App, ConfigMap, Deployment, Secret]);
  operator = harness.operator(app);
  await harness.user.create(App, { metadata: REF, spec: { image: "shop:1" } });
});

const secret = async (name: string): Promise<void> => void (await harness.user.create(Secret, { metadata: named(name) }));
/** Passes until one asks for nothing and writes nothing; the number of passes is bounded. */
async function settle(): Promise<void> {
  for (let i = 0; i < 8; i++) {
    const before = harness.requests.length;
    await operator.pass(KEY);
    if (harness.requests.length === before) return;
  }
  throw new Error(`it does not settle: ${harness.requests.slice(-5).join(", ")}`);
}
async function conditionsNow(): Promise<Record<string, string>> {
  const { status } = (await harness.user.get(App, REF)) as App;
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status, reason, message }) => [type, `${status}/${reason} ${message}`.trim()]),
  );
}
async function objects(): Promise<string[]> {
  const lists = await Promise.all([ConfigMap, Deployment].map((kind) => harness.user.list(kind)));
  return lists.flatMap(({ items }) => items.map((item: KubernetesObject) => `${item.kind} ${item.metadata.name}`)).sort();
}

test("objects are made, and a settled pass makes no request", async () => {
  await secret("database");
  await settle();
  expect(await objects()).toEqual(["ConfigMap shop-api", "ConfigMap shop-web", "Deployment shop-api", "Deployment shop-web"]);
  expect(await conditionsNow()).toEqual({ WebReady: "True/Healthy", ApiReady: "True/Healthy", Ready: "True/Ready" });
  const { metadata } = (await harness.user.get(Deployment, named("shop-web"))) as KubernetesObject;
  expect(metadata.ownerReferences).toMatchObject([{ kind: "App", name: "shop", controller: true }]);
  const before = harness.requests.length;
  expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "done" }, requeue: { type: "none" } });
  expect(harness.requests.slice(before)).toEqual([]);
});

describe("side by side", () => {
  test("a prerequisite that is not met holds one component back, the other converges", async () => {
    await settle();
    expect(await objects()).toEqual(["ConfigMap shop-web", "Deployment shop-web"]);
    expect(await conditionsNow()).toEqual({
      WebReady: "True/Healthy",
      ApiReady: "False/PrerequisiteNotMet no Secret database yet",
      Ready: "False/PrerequisiteNotMet ApiReady: no Secret database yet",
    });
  });

  test("one that fails does not stop the other, and Ready names it", async () => {
    await secret("database");
    harness.intercept = async (request, send) => {
      if (request.method === "POST" && request.path.includes("deployments") && request.body?.includes("shop-web"))
        throw new Error("quota exceeded");
      return await send();
    };
    expect((await operator.pass(KEY)).requeue).toEqual({ type: "failure" });
    expect(await objects()).toEqual(["ConfigMap shop-api", "ConfigMap shop-web", "Deployment shop-api"]);
    const seen = await conditionsNow();
    expect(seen).toMatchObject({ ApiReady: "True/Healthy" });
    expect(seen["WebReady"]).toMatch(/^False\/\w+ .*quota exceeded/);
    expect(seen["Ready"]).toMatch(/^False\/\w+ WebReady: .*quota exceeded/);
    harness.intercept = undefined;
    await settle();
    expect(await conditionsNow()).toMatchObject({ Ready: "True/Ready" });
  });
});

test("a prerequisite passed once stays passed, over restarts too", async () => {
  await secret("database");
  await settle();
  await harness.user.delete(Secret, named("database"));
  await harness.user.delete(Deployment, named("shop-api"));
  operator = harness.operator(app);
  await settle();
  expect(await objects()).toContain("Deployment shop-api");
  expect(await conditionsNow()).toMatchObject({ ApiReady: "True/Healthy" });
});

test("a guard holds back its object, not the ones before it", async () => {
  await harness.user.patch(App, REF, { type: "merge", body: { spec: { certificate: "cert" } } });
  await settle();
  expect(await objects()).toEqual(["ConfigMap shop-web"]);
  expect(await conditionsNow()).toMatchObject({ WebReady: "False/Blocked no Secret cert yet" });
  await secret("cert");
  await settle();
  expect(await objects()).toContain("Deployment shop-web");
});

test("drift is put back; what others added stays", async () => {
  await settle();
  await harness.user.patch(ConfigMap, named("shop-web"), { type: "merge", body: { data: { image: "evil:1", theirs: "x" } } });
  await settle();
  expect(await harness.user.get(ConfigMap, named("shop-web"))).toMatchObject({ data: { image: "shop:1", theirs: "x" } });
});

test("a change of the spec reaches the objects", async () => {
  await settle();
  await harness.user.patch(App, REF, { type: "merge", body: { spec: { image: "shop:2" } } });
  await settle();
  expect(await harness.user.get(Deployment, named("shop-web"))).toMatchObject({
    spec: { template: { spec: { containers: [{ image: "shop:2" }] } } },
  });
});

test("an object of another owner is not modified, in deletion neither; an object without an owner is adopted", async () => {
  const theirs = { apiVersion: "v1", kind: "Pod", name: "other", uid: "1-2-3", controller: true };
  await harness.user.create(Deployment, {
    ...deployment({ metadata: REF, spec: { image: "theirs:1" } } as App, "web"),
    metadata: { ...named("shop-web"), ownerReferences: [theirs] },
  });
  await harness.user.create(ConfigMap, { metadata: named("shop-web") });
  await settle();
  expect(await conditionsNow()).toMatchObject({
    WebReady: expect.stringMatching(/^False\/Foreign Deployment shop-web belongs to Pod other/),
  });
  expect(await harness.user.get(ConfigMap, named("shop-web"))).toMatchObject({ metadata: { ownerReferences: [{ name: "shop" }] } });
  await harness.user.delete(App, REF);
  await settle();
  expect(await objects()).toEqual(["Deployment shop-web"]);
});

test("an outdated cache causes no second create and no failure", async () => {
  await operator.pass(KEY);
  const before = harness.requests.length;
  expect((await operator.stalePass(KEY)).error).toBeUndefined();
  expect(harness.requests.slice(before).filter((request) => request.startsWith("POST"))).toEqual([]);
});

test("switched off, a component deletes its objects in reverse and is in its expected state", async () => {
  await secret("database");
  await settle();
  await harness.user.patch(App, REF, { type: "merge", body: { spec: { web: false } } });
  const before = harness.requests.length;
  expect((await operator.pass(KEY)).outcome).toMatchObject({ type: "wait", reason: "Deployment shop-web is being deleted" });
  await settle();
  expect(harness.requests.slice(before).filter((request) => request.startsWith("DELETE"))).toEqual([
    "DELETE deployments/shop-web",
    "DELETE configmaps/shop-web",
  ]);
  expect(await conditionsNow()).toEqual({ WebReady: "True/Disabled", ApiReady: "True/Healthy", Ready: "True/Ready" });
});

test("deletion cleans up in reverse, each object after the one that follows it is gone", async () => {
  await secret("database");
  await settle();
  await harness.user.patch(Deployment, named("shop-api"), {
    type: "merge",
    body: { metadata: { finalizers: ["theirs.example.com/hold"] } },
  });
  await harness.user.delete(App, REF);
  const before = harness.requests.length;
  await settle();
  expect(await objects()).toEqual(["ConfigMap shop-api", "Deployment shop-api"]);
  expect(await conditionsNow()).toMatchObject({
    ApiReady: "False/Deleting Deployment shop-api is being deleted",
    Ready: 'False/Deleting step "api": Deployment shop-api is being deleted',
  });
  await harness.user.patch(Deployment, named("shop-api"), { type: "merge", body: { metadata: { finalizers: null } } });
  await settle();
  expect(harness.requests.slice(before).filter((request) => request.startsWith("DELETE"))).toEqual([
    "DELETE deployments/shop-api",
    "DELETE deployments/shop-web",
    "DELETE configmaps/shop-web",
    "DELETE configmaps/shop-api",
  ]);
  expect(await harness.user.get(App, REF)).toBeUndefined();
});
