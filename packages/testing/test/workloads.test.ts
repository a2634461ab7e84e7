/** Stories with workloads: what a Deployment and its pods look like once the controllers have done what they do. In memory, and on a real server where nothing is to go wrong. */
import { Deployment, Event, Pod, ReplicaSet } from "@treadle/apimachinery/kinds";
import { handler, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../src/index.ts";
import { primary, RW } from "./rw.ts";

function web(replicas: number, image = "web:1", spec: object = {}): never {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "app", image }] } };
  return { metadata: { name: "web" }, spec: { replicas, selector: { matchLabels: { app: "web" } }, template, ...spec } } as never; // a Deployment
}

async function conditionOf(cluster: TestCluster, type: string): Promise<unknown> {
  const deployment = await cluster.get(Deployment, "web");
  const { status, reason } = deployment?.status?.conditions?.find((one) => one.type === type) ?? {};
  return { status, reason };
}

test("a Deployment gets its ReplicaSet and its pods, and reports them as available", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.create(Deployment, web(3));
  await cluster.settled();
  const deployment = await cluster.get(Deployment, "web");
  expect(deployment?.status).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    updatedReplicas: 3,
    observedGeneration: 1,
  });
  expect(await conditionOf(cluster, "Available")).toEqual({ status: "True", reason: "MinimumReplicasAvailable" });
  expect(await conditionOf(cluster, "Progressing")).toEqual({ status: "True", reason: "NewReplicaSetAvailable" });
  expect(deployment?.metadata.annotations).toMatchObject({ "deployment.kubernetes.io/revision": "1" });
  const [set] = await cluster.list(ReplicaSet, "default");
  expect(set?.metadata.name).toBe(`web-${set?.metadata.labels?.["pod-template-hash"]}`);
  const pods = await cluster.list(Pod, "default");
  expect(pods.map(({ status }) => [status?.phase, status?.podIP !== undefined])).toEqual([
    ["Running", true],
    ["Running", true],
    ["Running", true],
  ]);
  expect(new Set(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid))).toEqual(new Set([set?.metadata.uid]));
});

test("a new image rolls out, and the old ReplicaSet remains without pods", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.create(Deployment, web(4));
  await cluster.settled();
  await cluster.update(Deployment, "web", (object) => {
    object.spec = { ...object.spec, template: (web(4, "web:2") as Deployment).spec?.template } as never; // a Deployment's
  });
  await cluster.settled();
  expect(await cluster.get(Deployment, "web")).toMatchObject({ status: { updatedReplicas: 4, availableReplicas: 4, replicas: 4 } });
  const sets = await cluster.list(ReplicaSet, "default");
  expect(sets.map(({ spec }) => spec?.replicas).toSorted((a = 0, b = 0) => a - b)).toEqual([0, 4]);
  expect((await cluster.list(Pod, "default")).map(({ spec }) => spec?.containers[0]?.image)).toEqual(["web:2", "web:2", "web:2", "web:2"]);
});

test("the deletion of a Deployment deletes its ReplicaSets and pods", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.create(Deployment, web(2));
  await cluster.settled();
  await cluster.delete(Deployment, "web");
  await cluster.settled();
  expect([...(await cluster.list(ReplicaSet, "default")), ...(await cluster.list(Pod, "default"))]).toEqual([]);
});

test("an operator sees its Deployment become ready", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const operator = handler(RW)
    .step(
      step(RW, {
        name: "deployment",
        reads: { web: one(Deployment, () => ({ name: "web", namespace: "default" })) },
        do(req) {
          return (req.reads.web?.status?.availableReplicas ?? 0) < 2 ? req.wait("Starting") : req.next();
        },
      }),
    )
    .build();
  const op = await cluster.start(operator);
  await cluster.apply(primary("a"));
  await op.settled({ horizonMs: 0 });
  await cluster.create(Deployment, web(2));
  await cluster.settled();
  expect(op.passes.at(0)?.outcome).toMatchObject({ type: "wait" });
  expect(op.passes.at(-1)?.outcome).toMatchObject({ type: "done" });
});

describe("failing workloads", { tags: ["memory"] }, () => {
  test("crashing pods are restarted, and recover after recover()", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const crash = cluster.workloads.pods.fail("CrashLoopBackOff", { matchLabels: { app: "web" } });
    await cluster.create(Deployment, web(1));
    await cluster.settled();
    const [pod] = await cluster.list(Pod, "default");
    expect(pod?.status).toMatchObject({
      phase: "Running",
      containerStatuses: [
        { ready: false, state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated: { exitCode: 1, reason: "Error" } } },
      ],
    });
    expect(await conditionOf(cluster, "Available")).toEqual({ status: "False", reason: "MinimumReplicasUnavailable" });
    crash.recover();
    await cluster.settled();
    expect(await conditionOf(cluster, "Available")).toEqual({ status: "True", reason: "MinimumReplicasAvailable" });
  });

  test("a rollout to an image that cannot be pulled keeps the old pods", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    cluster.workloads.pods.fail("ImagePullBackOff", { image: "web:bad" });
    await cluster.create(Deployment, web(4));
    await cluster.settled();
    await cluster.update(Deployment, "web", (object) => {
      object.spec = { ...object.spec, template: (web(4, "web:bad") as Deployment).spec?.template } as never; // a Deployment's
    });
    await cluster.settled();
    const pods = await cluster.list(Pod, "default");
    expect(pods.filter(({ status }) => status?.phase === "Running")).toHaveLength(3);
    expect(pods.filter(({ status }) => status?.containerStatuses?.[0]?.state?.waiting?.reason === "ImagePullBackOff")).toHaveLength(2);
    await cluster.advance(600_000);
    expect(await conditionOf(cluster, "Progressing")).toEqual({ status: "False", reason: "ProgressDeadlineExceeded" });
  });

  test("a stalled Deployment misses its deadline, in virtual time", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const stalled = cluster.workloads.deployments.stall({ name: "web" });
    await cluster.create(Deployment, web(2, "web:1", { progressDeadlineSeconds: 60 }));
    await cluster.settled();
    expect(await conditionOf(cluster, "Progressing")).toEqual({ status: "True", reason: "ReplicaSetUpdated" });
    await cluster.advance(61_000);
    expect(await conditionOf(cluster, "Progressing")).toEqual({ status: "False", reason: "ProgressDeadlineExceeded" });
    stalled.recover();
    await cluster.settled();
    expect(await conditionOf(cluster, "Progressing")).toEqual({ status: "True", reason: "NewReplicaSetAvailable" });
  });

  test("a pod without a fitting node reports it, and runs on a new node", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const full = cluster.workloads.pods.fail("Unschedulable", { name: "a" });
    await cluster.create(Pod, { metadata: { name: "a" }, spec: { containers: [{ name: "app", image: "web:1" }] } });
    await cluster.settled();
    expect((await cluster.get(Pod, "a"))?.status).toMatchObject({
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
    });
    full.recover();
    await cluster.settled();
    expect((await cluster.get(Pod, "a"))?.status?.phase).toBe("Running");
  });

  test("a pod that ignores its deletion remains for its grace period", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    cluster.workloads.pods.fail("IgnoresTermination");
    await cluster.create(Pod, { metadata: { name: "a" }, spec: { containers: [{ name: "app", image: "web:1" }] } });
    await cluster.settled();
    await cluster.delete(Pod, "a");
    await cluster.advance(29_000);
    expect(await cluster.get(Pod, "a")).toMatchObject({ metadata: { deletionGracePeriodSeconds: 30 } });
    await cluster.advance(1_000);
    expect(await cluster.get(Pod, "a")).toBeUndefined();
  });

  test("settled workloads write nothing, and their events expire", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    await cluster.create(Deployment, web(3));
    await cluster.settled();
    await cluster.settled();
    const events = (await cluster.list(Event)).length;
    const { resourceVersion } = cluster.server;
    await cluster.advance(86_400_000);
    expect(await cluster.list(Event)).toEqual([]);
    expect(Number(cluster.server.resourceVersion) - Number(resourceVersion)).toBe(events); // a version for each that expired
  });

  test("the durations of workloads are options", async () => {
    await using cluster = await startTestCluster({ workloads: { startSeconds: 5, nodes: 2 } });
    await cluster.create(Deployment, web(2));
    await cluster.advance(4_999);
    expect(await cluster.get(Deployment, "web")).toMatchObject({ status: { replicas: 2, unavailableReplicas: 2 } });
    await cluster.advance(1);
    expect(await cluster.get(Deployment, "web")).toMatchObject({ status: { availableReplicas: 2 } });
    expect(new Set((await cluster.list(Pod, "default")).map(({ spec }) => spec?.nodeName))).toEqual(new Set(["node-1", "node-2"]));
  });

  test("settled() waits for workloads in real time", async () => {
    await using cluster = await startTestCluster({ workloads: { startSeconds: 0.01 }, time: "real" });
    await cluster.create(Deployment, web(1));
    await cluster.settled();
    expect(await conditionOf(cluster, "Available")).toMatchObject({ status: "True" });
  });

  test("the hooks of a cluster without workloads name the option", async () => {
    await using cluster = await startTestCluster();
    expect(() => cluster.workloads).toThrow("workloads: true");
  });
});
