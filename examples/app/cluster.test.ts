import "@treadle/testing/matchers";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { dependentsOf } from "treadle";
import { ConfigMap, Deployment, Service } from "treadle/kinds";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { app } from "./controller.ts";

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
  expect(await cluster.get(App, "greeter")).toHaveCondition("Ready", { status: "Unknown", message: /web/ });
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
