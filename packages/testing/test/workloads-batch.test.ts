/** Stories with Jobs, StatefulSets, DaemonSets and claims. In memory, and on a real server where nothing is to go wrong. */
import { isApiError } from "@treadle/apimachinery";
import {
  CronJob,
  DaemonSet,
  Event,
  Job,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  StatefulSet,
} from "@treadle/apimachinery/kinds";
import { handler, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../src/index.ts";
import { primary, RW } from "./rw.ts";

function podTemplate(app: string, spec: object = {}, image = "app:1"): object {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: "app", image }], ...spec } };
}

function job(spec: object = {}): never {
  return { metadata: { name: "work" }, spec: { template: podTemplate("work", { restartPolicy: "Never" }), ...spec } } as never; // a Job
}

function database(replicas: number, spec: object = {}): never {
  const selector = { matchLabels: { app: "db" } };
  const resources = { requests: { storage: "1Gi" } };
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources } }];
  const template = podTemplate("db");
  return { metadata: { name: "db" }, spec: { replicas, serviceName: "db", selector, template, volumeClaimTemplates, ...spec } } as never; // a StatefulSet
}

/** The reason of a Job that is complete is told since 1.31; what the current one tells is recorded in the API server's tests. */
async function endOf(cluster: TestCluster): Promise<unknown> {
  const conditions = (await cluster.get(Job, "work"))?.status?.conditions ?? [];
  const { type, reason } = conditions.find((each) => each.type === "Complete" || each.type === "Failed") ?? {};
  return { type, reason };
}

async function podNames(cluster: TestCluster): Promise<readonly string[]> {
  return (await cluster.list(Pod, "default")).map(({ metadata }) => metadata.name).toSorted();
}

/** Real controllers let some seconds pass between two of their steps; simulated ones have done all. */
async function reached(cluster: TestCluster, isReached: () => Promise<boolean>): Promise<void> {
  const tries = process.env["TREADLE_TEST_KUBECONFIG"] === undefined ? 1 : 60;
  for (let count = 0; count < tries; count++) {
    await cluster.settled();
    if (await isReached()) return;
  }
}

async function isComplete(cluster: TestCluster): Promise<boolean> {
  return JSON.stringify(await endOf(cluster)).includes("Complete");
}

async function hasPods(cluster: TestCluster, count: number): Promise<boolean> {
  const { status, metadata } = (await cluster.get(StatefulSet, "db")) ?? {};
  const isCurrent = status?.currentRevision === status?.updateRevision && status?.observedGeneration === metadata?.generation;
  return isCurrent && status?.availableReplicas === count && (await podNames(cluster)).length === count;
}

test("a Job completes, and its pods remain", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.create(Job, job({ completions: 3, parallelism: 2 }));
  await reached(cluster, () => isComplete(cluster));
  expect(await endOf(cluster)).toMatchObject({ type: "Complete" });
  expect(await cluster.get(Job, "work")).toMatchObject({ status: { succeeded: 3, ready: 0 } });
  const pods = await cluster.list(Pod, "default");
  expect(pods.map(({ status, metadata }) => [status?.phase, metadata.finalizers])).toEqual([
    ["Succeeded", undefined],
    ["Succeeded", undefined],
    ["Succeeded", undefined],
  ]);
  await cluster.delete(Job, "work");
  await cluster.settled();
});

test("a suspended Job waits until it is resumed", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.create(Job, job({ suspend: true }));
  await cluster.settled();
  expect(await podNames(cluster)).toEqual([]);
  await cluster.update(Job, "work", (object) => {
    object.spec = { ...object.spec, suspend: false } as never; // a Job's
  });
  await reached(cluster, () => isComplete(cluster));
  expect(await endOf(cluster)).toMatchObject({ type: "Complete" });
});

test("an operator waits for the end of its Job", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const operator = handler(RW)
    .step(
      step(RW, {
        name: "job",
        reads: { work: one(Job, () => ({ name: "work", namespace: "default" })) },
        do: (req) => (req.reads.work?.status?.succeeded === 1 ? req.next() : req.wait("Working")),
      }),
    )
    .build();
  const op = await cluster.start(operator);
  await cluster.apply(primary("a"));
  await op.settled({ horizonMs: 0 });
  await cluster.create(Job, job());
  await reached(cluster, async () => op.passes.at(-1)?.outcome.type === "done");
  expect(op.passes.at(0)?.outcome).toMatchObject({ type: "wait" });
  expect(op.passes.at(-1)?.outcome).toMatchObject({ type: "done" });
});

test("a StatefulSet has pods with stable names and claims that outlive them", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.create(StatefulSet, database(3));
  await reached(cluster, () => hasPods(cluster, 3));
  expect(await podNames(cluster)).toEqual(["db-0", "db-1", "db-2"]);
  expect(await cluster.get(StatefulSet, "db")).toMatchObject({ status: { replicas: 3, readyReplicas: 3, availableReplicas: 3 } });
  await cluster.update(StatefulSet, "db", (object) => {
    object.spec = { ...object.spec, replicas: 1 } as never; // a StatefulSet's
  });
  await reached(cluster, () => hasPods(cluster, 1));
  expect(await podNames(cluster)).toEqual(["db-0"]);
  const claims = await cluster.list(PersistentVolumeClaim, "default");
  expect(claims.map(({ metadata }) => metadata.name).toSorted()).toEqual(["data-db-0", "data-db-1", "data-db-2"]);
});

test("a new image of a StatefulSet rolls out, and its revision becomes the current one", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await cluster.create(StatefulSet, database(2));
  await reached(cluster, () => hasPods(cluster, 2));
  const before = (await cluster.get(StatefulSet, "db"))?.status?.currentRevision;
  await cluster.update(StatefulSet, "db", (object) => {
    object.spec = { ...object.spec, template: podTemplate("db", {}, "app:2") } as never; // a StatefulSet's
  });
  await reached(cluster, () => hasPods(cluster, 2));
  const { currentRevision, updateRevision, updatedReplicas } = (await cluster.get(StatefulSet, "db"))?.status ?? {};
  expect({ isNew: currentRevision !== before, isCurrent: currentRevision === updateRevision, updatedReplicas }).toEqual({
    isNew: true,
    isCurrent: true,
    updatedReplicas: 2,
  });
  expect((await cluster.list(Pod, "default")).map(({ spec }) => spec?.containers[0]?.image)).toEqual(["app:2", "app:2"]);
});

test("a claim is bound to the smallest sufficient volume, and kept while a pod uses it", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const volume = (name: string, storage: string): never =>
    ({
      metadata: { name },
      spec: { capacity: { storage }, accessModes: ["ReadWriteOnce"], storageClassName: "by-hand", hostPath: { path: "/none" } },
    }) as never; // a PersistentVolume
  for (const [name, storage] of [
    ["small", "1Gi"],
    ["middle", "5Gi"],
    ["large", "50Gi"],
  ] as const)
    await cluster.create(PersistentVolume, volume(name, storage));
  // A real controller binds to the volumes that it has seen.
  const names: readonly string[] = ["small", "middle", "large"];
  await reached(cluster, async () => {
    const volumes = await cluster.list(PersistentVolume);
    return volumes.filter(({ metadata, status }) => names.includes(metadata.name) && status?.phase === "Available").length === 3;
  });
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } }, storageClassName: "by-hand" };
  await cluster.create(PersistentVolumeClaim, { metadata: { name: "data" }, spec });
  await reached(cluster, async () => (await cluster.get(PersistentVolumeClaim, "data"))?.status?.phase === "Bound");
  expect(await cluster.get(PersistentVolumeClaim, "data")).toMatchObject({
    spec: { volumeName: "middle" },
    status: { phase: "Bound", capacity: { storage: "5Gi" } },
  });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  await cluster.create(Pod, { metadata: { name: "user" }, spec: { containers: [{ name: "app", image: "app:1" }], volumes } });
  await reached(cluster, async () => (await cluster.get(Pod, "user"))?.status?.phase === "Running");
  await cluster.delete(PersistentVolumeClaim, "data");
  await cluster.settled();
  expect(await cluster.get(PersistentVolumeClaim, "data")).toMatchObject({ metadata: { finalizers: ["kubernetes.io/pvc-protection"] } });
  await cluster.delete(Pod, "user");
  await reached(cluster, async () => (await cluster.get(PersistentVolume, "middle"))?.status?.phase === "Released");
  expect(await cluster.get(PersistentVolumeClaim, "data")).toBeUndefined();
  expect(await cluster.get(PersistentVolume, "middle")).toMatchObject({ status: { phase: "Released" } });
});

describe("failing and slow workloads", { tags: ["memory"] }, () => {
  test("a Job retries after 10 s, 20 s and so on, and fails at its limit", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    cluster.workloads.pods.fail({ exitCode: 3 }, { matchLabels: { app: "work" } });
    await cluster.create(Job, job({ backoffLimit: 2 }));
    await cluster.settled();
    expect(await cluster.get(Job, "work")).toMatchObject({ status: { failed: 1 } });
    await cluster.advance(60_000);
    expect(await cluster.get(Job, "work")).toMatchObject({ status: { failed: 3 } });
    expect(await endOf(cluster)).toEqual({ type: "Failed", reason: "BackoffLimitExceeded" });
  });

  test("a Job that recovers completes", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const broken = cluster.workloads.pods.fail("OOMKilled", { matchLabels: { app: "work" } });
    await cluster.create(Job, job());
    await cluster.settled();
    broken.recover();
    await cluster.advance(60_000);
    expect(await cluster.get(Job, "work")).toMatchObject({ status: { failed: 1, succeeded: 1 } });
  });

  test("a Job that hangs misses its deadline", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    cluster.workloads.pods.fail("Hangs");
    await cluster.create(Job, job({ activeDeadlineSeconds: 120 }));
    await cluster.settled();
    expect(await cluster.get(Job, "work")).toMatchObject({ status: { active: 1, ready: 1 } });
    await cluster.advance(125_000);
    expect(await endOf(cluster)).toEqual({ type: "Failed", reason: "DeadlineExceeded" });
    expect(await podNames(cluster)).toEqual([]);
  });

  test("a CronJob keeps its last runs over a day", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const jobTemplate = { spec: { template: podTemplate("work", { restartPolicy: "Never" }) } };
    await cluster.create(CronJob, { metadata: { name: "nightly" }, spec: { schedule: "30 */2 * * *", jobTemplate } } as never); // a CronJob
    await cluster.advance(86_400_000);
    const jobs = await cluster.list(Job, "default");
    expect(jobs.map(({ metadata }) => metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]?.slice(11))).toEqual([
      "18:30:00Z",
      "20:30:00Z",
      "22:30:00Z",
    ]);
    expect(await podNames(cluster)).toHaveLength(3);
  });

  test("a DaemonSet has a pod on each node", async () => {
    await using cluster = await startTestCluster({ workloads: { nodes: 3 } });
    const spec = { selector: { matchLabels: { app: "agent" } }, template: podTemplate("agent") };
    await cluster.create(DaemonSet, { metadata: { name: "agent" }, spec } as never); // a DaemonSet
    await cluster.settled();
    expect(await cluster.get(DaemonSet, "agent")).toMatchObject({ status: { desiredNumberScheduled: 3, numberAvailable: 3 } });
    const names = (await cluster.list(Pod, "default")).map(({ spec: pod }) => pod?.nodeName ?? "");
    expect(names.toSorted()).toEqual(["node-1", "node-2", "node-3"]);
  });

  test("a StatefulSet stops at a pod that does not start", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const broken = cluster.workloads.pods.fail("ImagePullBackOff", { name: "db-1" });
    await cluster.create(StatefulSet, database(3));
    await cluster.settled();
    expect(await podNames(cluster)).toEqual(["db-0", "db-1"]);
    broken.recover();
    await cluster.settled();
    expect(await podNames(cluster)).toEqual(["db-0", "db-1", "db-2"]);
  });

  test("a class with a provisioner creates volumes, which are deleted with their claims", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    const body = { metadata: { name: "standard", annotations }, provisioner: "example.com/disk" };
    const headers = { "content-type": "application/json" };
    await cluster.client.raw({ method: "POST", path: "/apis/storage.k8s.io/v1/storageclasses", headers, body: JSON.stringify(body) });
    await cluster.create(StatefulSet, database(1));
    await cluster.settled();
    const claim = await cluster.get(PersistentVolumeClaim, "data-db-0");
    expect(claim).toMatchObject({ spec: { storageClassName: "standard" }, status: { phase: "Bound", capacity: { storage: "1Gi" } } });
    await cluster.delete(StatefulSet, "db");
    await cluster.delete(PersistentVolumeClaim, "data-db-0");
    await cluster.settled();
    expect(await cluster.list(PersistentVolume)).toEqual([]);
  });

  test("a budget allows more evictions when new pods are ready", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    await cluster.create(StatefulSet, database(2));
    const spec = { minAvailable: 1, selector: { matchLabels: { app: "db" } } };
    await cluster.create(PodDisruptionBudget, { metadata: { name: "db" }, spec });
    await cluster.settled();
    const evict = async (name: string): Promise<number> => {
      const body = JSON.stringify({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });
      const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
      return await cluster.client.raw({ method: "POST", path, headers: { "content-type": "application/json" }, body }).then(
        ({ status }) => status,
        (error: unknown) => (isApiError(error) ? error.status : 0),
      );
    };
    expect([await evict("db-1"), await evict("db-0")]).toEqual([201, 429]);
    await cluster.settled();
    expect(await cluster.get(PodDisruptionBudget, "db")).toMatchObject({ status: { currentHealthy: 2, disruptionsAllowed: 1 } });
    expect(await evict("db-0")).toBe(201);
  });

  test("settled workloads write nothing, and their events expire", async () => {
    await using cluster = await startTestCluster({ workloads: true });
    await cluster.create(StatefulSet, database(2));
    await cluster.create(Job, job());
    const spec = { selector: { matchLabels: { app: "agent" } }, template: podTemplate("agent") };
    await cluster.create(DaemonSet, { metadata: { name: "agent" }, spec } as never); // a DaemonSet
    await cluster.settled();
    const events = (await cluster.list(Event)).length;
    const { resourceVersion } = cluster.server;
    await cluster.advance(86_400_000);
    expect(await cluster.list(Event)).toEqual([]);
    expect(Number(cluster.server.resourceVersion) - Number(resourceVersion)).toBe(events); // a version for each that expired
  });
});
