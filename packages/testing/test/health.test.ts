/**
 * `health()` of what controllers make of objects: simulated ones in memory, the real ones on a real control plane. There the
 * stand-in for kubelets runs the pods. Rollouts are also judged by `kubectl rollout status` itself.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { kind as kindOf, type Kind } from "@treadle/apimachinery";
import { type Health, health } from "@treadle/apimachinery/health";
import {
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  PersistentVolumeClaim,
  Pod,
  Service,
  StatefulSet,
} from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../src/index.ts";

const ResourceQuota = kindOf({ group: "", version: "v1", kind: "ResourceQuota", plural: "resourcequotas", scope: "Namespaced" });
const labels = { app: "web" };
/** The stand-in for kubelets looks at this label of a pod. */
const as = (behaviour: string): Readonly<Record<string, string>> => ({ ...labels, "treadle.dev/stand-in": behaviour });
const template = (podLabels: Readonly<Record<string, string>> = labels, image = "web:1"): object => ({
  metadata: { labels: podLabels },
  spec: { containers: [{ name: "main", image }] },
});
const selected = (podLabels?: Readonly<Record<string, string>>): object => ({
  selector: { matchLabels: labels },
  template: template(podLabels),
});
const jobSpec = (podLabels: Readonly<Record<string, string>>): object => ({
  backoffLimit: 0,
  template: { metadata: { labels: podLabels }, spec: { restartPolicy: "Never", containers: [{ name: "main", image: "job" }] } },
});

async function create(cluster: TestCluster, kind: Kind, spec: object, name = "web"): Promise<void> {
  await cluster.create(kind, { metadata: { name }, spec } as never); // an object of the kind
}

async function healthOf(cluster: TestCluster, kind: Kind, name = "web"): Promise<Health> {
  const selection = (await cluster.list(Pod, "default")) as readonly object[];
  return health(await cluster.get(kind, name), { pods: selection });
}

/** Polls, because real controllers need their time. In memory the first look is enough. */
async function becomes(cluster: TestCluster, kind: Kind, want: Partial<Health>, name = "web"): Promise<void> {
  await expect.poll(() => healthOf(cluster, kind, name), { timeout: 90_000, interval: 100 }).toMatchObject(want);
}

const ROLLOUTS: readonly { readonly kind: Kind; readonly spec: object }[] = [
  { kind: Deployment, spec: { replicas: 2, ...selected() } },
  { kind: StatefulSet, spec: { replicas: 2, serviceName: "web", ...selected() } },
  { kind: DaemonSet, spec: selected() },
];

test.for(ROLLOUTS)("a $kind.kind is Ready when it is rolled out, and again after a new version", async ({ kind, spec }) => {
  await using cluster = await startTestCluster({ workloads: true });
  await create(cluster, kind, spec);
  await cluster.settled();
  await becomes(cluster, kind, { type: "Ready", reason: "Ready", message: "" });
  const updated = await cluster.update(kind, "web", (object) => {
    (object as unknown as { spec: { template: object } }).spec.template = template(labels, "web:2");
  });
  expect(health(updated)).toMatchObject({ type: "Pending", reason: "GenerationNotObserved" });
  await cluster.settled();
  await becomes(cluster, kind, { type: "Ready", reason: "Ready", message: "" });
});

test("a StatefulSet with a partition is Ready when the pods above it are updated", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
  await create(cluster, StatefulSet, { replicas: 2, serviceName: "web", updateStrategy, ...selected() });
  await cluster.settled();
  await cluster.update(StatefulSet, "web", (set) => void (set.spec = { ...set.spec, template: template(labels, "web:2") } as never));
  await cluster.settled();
  // On a busy machine the real controller reports a pod after settled().
  await becomes(cluster, StatefulSet, { type: "Ready" });
  expect((await cluster.get(StatefulSet, "web"))?.status).toMatchObject({ updatedReplicas: 1 });
});

test("a Job is Ready when it is complete", async () => {
  await using cluster = await startTestCluster({ workloads: true });
  await create(cluster, Job, jobSpec(labels));
  expect((await healthOf(cluster, Job)).type).toBe("Pending");
  await cluster.settled();
  await becomes(cluster, Job, { type: "Ready" });
});

test("a Deployment whose image cannot be pulled names the reason of its pods", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true });
  cluster.workloads.pods.fail("ImagePullBackOff");
  await create(cluster, Deployment, { replicas: 1, ...selected() });
  await cluster.settled();
  expect(await healthOf(cluster, Deployment)).toMatchObject({ type: "Pending", reason: expect.stringMatching(/ImagePull/) });
});

/** What `kubectl rollout status` answers now: the last line, of either output. */
async function rolloutStatus(resource: string): Promise<string> {
  const kubectl = process.env["TREADLE_TEST_KUBECTL"] ?? "kubectl"; // set by `npm run test:e2e`
  const args = ["--kubeconfig", process.env["TREADLE_TEST_KUBECONFIG"] ?? "", "rollout", "status", "--watch=false", resource];
  const { stdout, stderr } = await promisify(execFile)(kubectl, args).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return `${stdout}${stderr}`.trim();
}

test("the real controllers' rollouts are judged as by kubectl rollout status", { tags: ["real"], timeout: 300_000 }, async () => {
  await using cluster = await startTestCluster({ workloads: false });
  const judged = async (kind: Kind, want: Partial<Health>, says: RegExp): Promise<void> => {
    await becomes(cluster, kind, want);
    expect(await rolloutStatus(`${kind.plural}/web`)).toMatch(says);
  };

  const deployment = { replicas: 1, progressDeadlineSeconds: 5, ...selected(as("not-ready")) };
  await create(cluster, Deployment, deployment);
  await judged(
    Deployment,
    { type: "Pending", reason: "NotAvailable", message: "0 of 1 replicas are available" },
    /0 of 1 updated replicas/,
  );
  await judged(Deployment, { type: "Failed", reason: "ProgressDeadlineExceeded" }, /exceeded its progress deadline/);
  await cluster.update(Deployment, "web", (object) => void (object.spec = { ...object.spec, template: template() } as never));
  await judged(Deployment, { type: "Ready" }, /successfully rolled out/);

  await create(cluster, StatefulSet, { replicas: 2, serviceName: "web", ...selected(as("not-ready")) });
  await judged(StatefulSet, { type: "Pending" }, /Waiting for [12] pods to be ready/);
  await cluster.update(StatefulSet, "web", (object) => {
    object.spec = { ...object.spec, updateStrategy: { type: "OnDelete" } } as never; // a StatefulSet's
  });
  // kubectl does not judge OnDelete; a pod that is not ready counts all the same.
  await judged(StatefulSet, { type: "Pending", reason: "NotCreated" }, /only available for RollingUpdate/);

  await create(cluster, DaemonSet, selected(as("not-ready")));
  await judged(DaemonSet, { type: "Pending", reason: "NotAvailable" }, /0 of 1 updated pods are available/);
  await cluster.update(DaemonSet, "web", (object) => void (object.spec = { ...object.spec, template: template() } as never));
  await judged(DaemonSet, { type: "Ready" }, /successfully rolled out/);
});

test("what the real controllers report is judged", { tags: ["real"], timeout: 300_000 }, async () => {
  await using cluster = await startTestCluster({ workloads: false });
  await cluster.create(Job, { metadata: { name: "runs" }, spec: jobSpec(as("runs")) } as never);
  await cluster.create(Job, { metadata: { name: "fails" }, spec: jobSpec(as("exit-1")) } as never);
  await cluster.create(Job, { metadata: { name: "suspended" }, spec: { ...jobSpec(labels), suspend: true } } as never);
  await becomes(cluster, Job, { type: "Pending", reason: "Running", message: "0 of 1 pods succeeded, 1 run" }, "runs");
  await becomes(cluster, Job, { type: "Failed", reason: "BackoffLimitExceeded" }, "fails");
  await becomes(cluster, Job, { type: "Pending", reason: "Suspended" }, "suspended");

  await create(cluster, Service, { type: "LoadBalancer", selector: labels, ports: [{ port: 80 }] });
  await becomes(cluster, Service, { type: "Pending", reason: "NoAddress" });
  await cluster.makeReady(Service, "web");
  await becomes(cluster, Service, { type: "Ready" });

  await create(cluster, PersistentVolumeClaim, { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } });
  await becomes(cluster, PersistentVolumeClaim, { type: "Pending", reason: "Unbound" });

  await create(cluster, HorizontalPodAutoscaler, {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" },
  });
  await becomes(cluster, HorizontalPodAutoscaler, { type: "Failed", reason: "FailedGetScale" });

  const quota = { namespace: "default", name: "none" };
  await cluster.client.create(ResourceQuota, { metadata: quota, spec: { hard: { pods: "0" } } } as never);
  const isEnforced = async (): Promise<unknown> => await cluster.client.get(ResourceQuota, quota);
  await expect.poll(isEnforced, { timeout: 30_000 }).toMatchObject({ status: { hard: { pods: "0" } } });
  await create(cluster, Deployment, { replicas: 1, ...selected() }, "quota");
  await becomes(cluster, Deployment, { type: "Failed", reason: "FailedCreate", message: expect.stringMatching(/exceeded quota/) }, "quota");
  await cluster.client.delete(ResourceQuota, quota);
});

test("a CustomResourceDefinition is Ready when the server serves its kind", async () => {
  await using cluster = await startTestCluster();
  const names = { plural: "judgedthings", singular: "judgedthing", kind: "JudgedThing", listKind: "JudgedThingList" };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }];
  const spec = { group: "health.treadle.dev", scope: "Namespaced", names, versions };
  await create(cluster, CustomResourceDefinition, spec, "judgedthings.health.treadle.dev");
  await becomes(cluster, CustomResourceDefinition, { type: "Ready" }, "judgedthings.health.treadle.dev");
});
