import "@treadle/testing/matchers";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { dependentsOf } from "treadle";
import { ConfigMap, Deployment, Job, Secret, Service, StatefulSet } from "treadle/kinds";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";
import { PodMonitor } from "./monitor.ts";

type Operator = Awaited<ReturnType<TestCluster["start"]>>;

const entries = async (cluster: TestCluster, name = "greeter"): Promise<Record<string, string>> =>
  Object.fromEntries(
    dependentsOf((await cluster.get(App, name)) ?? {}).map(({ step, type, reason }) => [
      step,
      type === reason ? type : `${type}/${reason}`,
    ]),
  );

async function makeGreeter(cluster: TestCluster, op: Operator, name = "greeter"): Promise<void> {
  await cluster.create(App, { metadata: { name }, spec: { greeting: "good morning", replicas: 2 } });
  await op.settled();
}

test("a user creates, changes, pauses and deletes an App", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(app);

  await makeGreeter(cluster, op);
  expect(await cluster.get(App, "greeter")).toBeReady();
  expect(await entries(cluster)).toEqual({ config: "Ready", web: "Ready", service: "Ready" });

  await cluster.update(App, "greeter", (object) => {
    object.spec.replicas = 3;
  });
  await op.settled();
  expect(await cluster.get(App, "greeter")).toBeReady();
  expect((await cluster.get(Deployment, "greeter-web"))?.status?.availableReplicas).toBe(3);

  await cluster.update(App, "greeter", (object) => {
    object.spec.paused = true;
  });
  await op.settled();
  expect(await cluster.get(Deployment, "greeter-web")).toBeUndefined();
  expect(await entries(cluster)).toEqual({ config: "Ready", service: "Ready" });

  await cluster.delete(App, "greeter");
  await op.settled();
  for (const kind of [App, ConfigMap, Service]) expect(await cluster.get(kind, "greeter")).toBeUndefined();
});

test("an App whose pods do not start reports the reason, and becomes Ready when they start", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(app);
  const broken = cluster.workloads.pods.fail("ImagePullBackOff");
  await makeGreeter(cluster, op);
  expect(await cluster.get(App, "greeter")).toHaveCondition("WebReady", { status: "False", message: "0 of 2 replicas are available" });
  expect(await cluster.get(App, "greeter")).toHaveCondition("Ready", { status: "False", message: /WebReady/ });
  broken.recover();
  await cluster.settled();
  expect(await cluster.get(App, "greeter")).toBeReady();
});

test("the Deployment is deleted before the ConfigMap that it uses", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(app);
  await makeGreeter(cluster, op);
  cluster.requests.clear();
  await cluster.delete(App, "greeter");
  await op.settled();
  const deleted = cluster.requests.filter({ verb: "delete" }).map(({ resource }) => resource);
  expect(deleted.toSorted()).toEqual(["configmaps", "deployments", "services"]);
  expect(deleted.indexOf("deployments")).toBeLessThan(deleted.indexOf("configmaps"));
});

test("a foreign object is neither changed nor deleted, and the App continues when it is deleted", async () => {
  await using cluster = await startTestCluster();
  const op = await cluster.start(app);
  await cluster.create(ConfigMap, { metadata: { name: "greeter" }, data: { "index.html": "mine" } });
  await cluster.create(App, { metadata: { name: "greeter" }, spec: {} });
  await op.settled();
  expect(await entries(cluster)).toEqual({ config: "Failed/NotOurs", web: "Pending/WaitingForDependency", service: "Ready" });
  expect((await cluster.get(ConfigMap, "greeter"))?.data).toEqual({ "index.html": "mine" });

  await cluster.delete(ConfigMap, "greeter");
  await op.settled();
  expect((await cluster.get(ConfigMap, "greeter"))?.data).toEqual({ "index.html": "<h1>hello</h1>\n" });
  expect((await entries(cluster))["config"]).toBe("Ready");
});

test("an App costs writes for its finalizer, three objects and its status, and none once it is settled", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(app);
  await makeGreeter(cluster, op);
  // Finalizer and three objects; the status before the rollout begins, when it has begun, when the pods start, and when they are ready.
  expect(cluster.requests.filter({ verb: ["create", "update", "patch", "apply", "delete", "get"] })).toHaveLength(1 + 3 + 4);
  cluster.requests.clear();
  await op.settled({ horizonMs: 60 * 60_000 });
  expect(cluster.requests.filter({ verb: ["create", "update", "patch", "apply", "delete", "get"] })).toHaveLength(0);
});

test("a restarted operator writes nothing for settled Apps", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const first = await cluster.start(app);
  await makeGreeter(cluster, first);
  await first.stop();
  cluster.requests.clear();
  const second = await cluster.start(app);
  await second.settled();
  expect(cluster.requests.filter({ verb: ["create", "update", "patch", "apply", "delete"] })).toHaveLength(0);
});

/** Creates an App with a database, the Secret of the database, and waits. */
async function makeShop(cluster: TestCluster, spec: object = {}): Promise<void> {
  await cluster.create(Secret, { metadata: { name: "shop-db" }, data: { user: btoa("anna"), password: btoa("secret") } });
  await cluster.create(App, { metadata: { name: "shop" }, spec: { credentials: "shop-db", ...spec } });
  await cluster.settled();
}

const READY = { config: "Ready", web: "Ready", service: "Ready" };
const READY_WITH_STORE = { ...READY, credentials: "Ready", store: "Ready", "store-service": "Ready", migration: "Ready" };

test("an App with a database waits for its credentials, then for the migration", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(app);
  await cluster.create(App, { metadata: { name: "shop" }, spec: { credentials: "shop-db" } });
  await cluster.settled();
  expect(await entries(cluster, "shop")).toMatchObject({
    credentials: "Pending/NotFound",
    store: "Pending/MissingValue",
    migration: "Pending/WaitingForDependency",
    web: "Pending/WaitingForDependency",
  });

  await cluster.create(Secret, { metadata: { name: "shop-db" }, data: { password: btoa("secret") } });
  await cluster.settled();
  expect(await cluster.get(StatefulSet, "shop-store"), "the Secret has no user yet").toBeUndefined();

  await cluster.update(Secret, "shop-db", (secret) => void (secret.data = { ...secret.data, user: btoa("anna") }));
  await cluster.settled();
  expect(await entries(cluster, "shop")).toEqual(READY_WITH_STORE);
  const [psql] = (await cluster.get(Job, "shop-migration"))?.spec?.template.spec?.containers ?? [];
  expect(psql?.env?.slice(0, 2)).toEqual([
    { name: "PGHOST", value: "shop-store" },
    { name: "PGUSER", value: "anna" },
  ]);
});

test("a new version runs a new migration before its web server, and a deleted Job does not run again", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(app);
  await makeShop(cluster);
  const first = await cluster.get(Job, "shop-migration");
  await cluster.delete(Job, "shop-migration");
  await cluster.settled();
  expect(await cluster.get(Job, "shop-migration")).toBeUndefined();
  expect(await cluster.get(App, "shop")).toBeReady();

  for (const version of ["1.30.0", "1.31.0"]) {
    cluster.requests.clear();
    await cluster.update(App, "shop", (object) => void (object.spec.version = version));
    await cluster.settled();
    expect(await entries(cluster, "shop")).toEqual(READY_WITH_STORE);
    const written = cluster.requests.filter({ verb: ["create", "patch", "apply"] }).map(({ resource }) => resource);
    expect(written.indexOf("jobs")).toBeLessThan(written.indexOf("deployments"));
  }
  expect((await cluster.get(Job, "shop-migration"))?.metadata.uid).not.toBe(first?.metadata.uid);
});

test("a migration does not start before its time", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(app);
  await makeShop(cluster, { migrateAfter: new Date(cluster.clock.now() + 3_600_000).toISOString() });
  expect(await cluster.get(Job, "shop-migration")).toBeUndefined();
  expect(await entries(cluster, "shop")).toMatchObject({
    store: "Ready",
    migration: "Pending/Precondition",
    web: "Pending/WaitingForDependency",
  });
  await cluster.settled({ horizonMs: 3_700_000 });
  expect(await entries(cluster, "shop")).toMatchObject({ migration: "Ready", web: "Ready" });
});

test.for([
  { keepStore: true, left: 1 },
  { keepStore: false, left: 0 },
])("with keepStore $keepStore, a deleted App leaves $left databases behind", async ({ keepStore, left }) => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(app);
  await makeShop(cluster, { keepStore });
  await cluster.delete(App, "shop");
  await cluster.settled();
  const stores = await cluster.list(StatefulSet);
  expect(stores).toHaveLength(left);
  for (const { metadata } of stores) expect(metadata.ownerReferences).toBeUndefined();
  expect((await cluster.list(Service, "default")).filter(({ metadata }) => metadata.name === "shop-store")).toHaveLength(left);
  expect(await cluster.list(Job)).toEqual([]);
  expect(await cluster.get(Secret, "shop-db"), "another operator created it").toBeDefined();
});

test("each page of an App is a ConfigMap, which the web server mounts", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(app);
  const pages = [
    { name: "about", text: "about us" },
    { name: "jobs", text: "none" },
  ];
  await cluster.create(App, { metadata: { name: "greeter" }, spec: { pages } });
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "greeter-about"))?.data).toEqual({ "about.html": "<p>about us</p>\n" });
  expect(await filesOf(cluster)).toEqual(["greeter", "greeter-about", "greeter-jobs"]);

  await cluster.update(App, "greeter", (object) => void (object.spec.pages = object.spec.pages.slice(1)));
  await cluster.settled();
  expect(await cluster.get(ConfigMap, "greeter-about")).toBeUndefined();
  expect(await filesOf(cluster)).toEqual(["greeter", "greeter-jobs"]);
  expect(await cluster.get(App, "greeter")).toBeReady();
});

async function filesOf(cluster: TestCluster): Promise<readonly (string | undefined)[]> {
  const [html] = (await cluster.get(Deployment, "greeter-web"))?.spec?.template.spec?.volumes ?? [];
  return (html?.projected?.sources ?? []).map(({ configMap }) => configMap?.name);
}

test("the theme of a namespace styles its Apps, and none is needed", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const op = await cluster.start(app);
  await makeGreeter(cluster, op);
  await cluster.create(ConfigMap, { metadata: { name: "app-theme" }, data: { "style.css": "h1 { color: red }" } });
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "greeter"))?.data?.["index.html"]).toBe("<style>h1 { color: red }</style>\n<h1>good morning</h1>\n");
  expect(await entries(cluster)).toEqual({ ...READY, theme: "Ready" });

  await cluster.delete(ConfigMap, "app-theme");
  await cluster.settled();
  expect((await cluster.get(ConfigMap, "greeter"))?.data?.["index.html"]).toBe("<h1>good morning</h1>\n");
  expect(await entries(cluster)).toEqual(READY);
});

test("an App with metrics gets a PodMonitor where the cluster serves the kind", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.start(app, { missing: [PodMonitor] });
  await cluster.create(App, { metadata: { name: "greeter" }, spec: { metrics: true } });
  await cluster.settled();
  expect(await entries(cluster)).toEqual(READY);

  await cluster.install(PodMonitor);
  await cluster.settled({ horizonMs: 15 * 60_000 });
  expect((await cluster.get(PodMonitor, "greeter"))?.spec).toMatchObject({ podMetricsEndpoints: [{ port: "metrics" }] });
  expect(await entries(cluster)).toEqual({ ...READY, monitor: "Ready" });

  await cluster.update(App, "greeter", (object) => void (object.spec.metrics = false));
  await cluster.settled();
  expect(await cluster.get(PodMonitor, "greeter")).toBeUndefined();
});
