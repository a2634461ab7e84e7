/** Failures of clusters in the field: the first sentence names the cause. They came after the rules were written, as a check of them. */
import { ConfigMap, CronJob, Deployment, HorizontalPodAutoscaler, Ingress, Job, LimitRange } from "@treadle/apimachinery/kinds";
import { PersistentVolumeClaim, Pod, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { explained, setConditions, shopLease } from "./explained.ts";
import { jobSpec, pods, Shop, shops } from "./shop.ts";

interface Failure {
  readonly name: string;
  arrange(cluster: TestCluster): Promise<unknown>;
  readonly object: string;
  /** Absent for an object that counts as ready: the cause is in the other findings then. */
  readonly code?: string;
  readonly sentence: RegExp;
}

async function passed(cluster: TestCluster, ms = 120_000): Promise<void> {
  await cluster.settled();
  await cluster.advance(ms);
}

type PodSpec = ReturnType<typeof pods>["template"]["spec"];

async function deployed(cluster: TestCluster, more: object = {}): Promise<void> {
  const { template, ...spec } = pods("web");
  const podSpec: PodSpec = { ...template.spec, ...more };
  await cluster.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, template: { ...template, spec: podSpec } } });
  await passed(cluster);
}

const METRICS =
  "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)";

const failures: readonly Failure[] = [
  {
    name: "an init container that crashes",
    async arrange(cluster) {
      cluster.workloads.pods.fail("NotReady");
      await deployed(cluster, { initContainers: [{ name: "migrate", image: "migrate:1" }] });
      const [pod] = await cluster.list(Pod);
      const waiting = { reason: "CrashLoopBackOff", message: "back-off 1m20s restarting failed container=migrate" };
      await cluster.updateStatus(Pod, pod?.metadata.name ?? "", (each) => {
        const common = { image: "migrate:1", imageID: "", ready: false };
        const migrate = { ...common, name: "migrate", restartCount: 4, state: { waiting }, lastState: { terminated: { exitCode: 1 } } };
        const main = { ...common, name: "main", restartCount: 0, state: { waiting: { reason: "PodInitializing" } } };
        each.status = { phase: "Pending", initContainerStatuses: [migrate], containerStatuses: [main] };
      });
    },
    object: "deployment/web",
    code: "CrashLoop",
    sentence: /: init container migrate of Pod default\/web-\S+ ends after each start with exit code 1 \(restarted 4 times\)\.$/,
  },
  {
    name: "a claim in a cluster without a default class",
    async arrange(cluster) {
      const resources = { requests: { storage: "1Gi" } };
      await cluster.create(PersistentVolumeClaim, { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources } });
      await passed(cluster);
    },
    object: "pvc/data",
    code: "VolumeUnbound",
    sentence: /default\/data is not bound to a volume: it names no StorageClass, and the cluster has no default one\.$/,
  },
  {
    name: "an image of a Job that cannot be pulled",
    async arrange(cluster) {
      cluster.workloads.pods.fail("ImagePullBackOff");
      await cluster.create(Job, { metadata: { name: "once" }, spec: jobSpec("once") });
      await passed(cluster);
    },
    object: "job/once",
    code: "ImagePull",
    sentence: /^Job default\/once is not ready: Pod default\/once-\S+ cannot pull the image /,
  },
  {
    name: "an autoscaler in a cluster without metrics",
    async arrange(cluster) {
      await deployed(cluster);
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
      await cluster.create(HorizontalPodAutoscaler, { metadata: { name: "web" }, spec: { scaleTargetRef, maxReplicas: 3 } });
      await passed(cluster);
      const conditions = [["ScalingActive", "False", "FailedGetResourceMetric", METRICS]] as const;
      await setConditions(cluster, HorizontalPodAutoscaler, { name: "web", currentReplicas: 1, desiredReplicas: 0, conditions });
    },
    object: "hpa/web",
    code: "NoMetrics",
    sentence: /^HorizontalPodAutoscaler default\/web cannot scale: the cluster serves no metrics \(metrics\.k8s\.io\)\.$/,
  },
  {
    name: "an Ingress without a class",
    async arrange(cluster) {
      const backend = { service: { name: "web", port: { number: 80 } } };
      await cluster.create(Ingress, { metadata: { name: "web" }, spec: { defaultBackend: backend } });
      await passed(cluster);
    },
    object: "ingress/web",
    code: "NoAddress",
    sentence: /^Ingress default\/web names no ingress class, and the cluster has no default one/,
  },
  {
    name: "a node selector that no node matches",
    arrange: (cluster) => deployed(cluster, { nodeSelector: { disk: "ssd" } }),
    object: "deployment/web",
    code: "Unschedulable",
    sentence: /no node can run Pod default\/web-\S+: 0\/1 nodes are available: 1 node\(s\) didn't match Pod's node affinity\/selector/,
  },
  {
    name: "a limit of the namespace that a container exceeds",
    async arrange(cluster) {
      const limits = [{ type: "Container", max: { memory: "32Mi" }, default: { memory: "32Mi" } }];
      await cluster.create(LimitRange, { metadata: { name: "caps" }, spec: { limits } });
      await deployed(cluster, { containers: [{ name: "main", image: "web:1", resources: { limits: { memory: "64Mi" } } }] });
    },
    object: "deployment/web",
    code: "PodCreation",
    sentence: /^Deployment default\/web cannot create its pods: .*maximum memory usage per Container is 32Mi, but limit is 64Mi\.$/,
  },
  {
    name: "a finalizer of an operator that was removed",
    async arrange(cluster) {
      await cluster.create(ConfigMap, { metadata: { name: "a", finalizers: ["gone.example.org/cleanup"] } });
      await cluster.delete(ConfigMap, "a");
      await passed(cluster);
    },
    object: "configmap/a",
    code: "Deleting",
    sentence: /^ConfigMap default\/a is being deleted for 2m, and the finalizer gone\.example\.org\/cleanup holds it\.$/,
  },
  {
    name: "a webhook whose Service does not exist",
    async arrange(cluster) {
      const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
      const clientConfig = { service: { name: "policy", namespace: "policy" } };
      const webhook = { name: "pods.policy.example.org", clientConfig, rules, sideEffects: "None", admissionReviewVersions: ["v1"] };
      await cluster.create(ValidatingWebhookConfiguration, { metadata: { name: "policy" }, webhooks: [webhook] });
      await deployed(cluster);
    },
    object: "deployment/web",
    code: "WebhookDown",
    sentence: /: the webhook pods\.policy\.example\.org does not answer: .*service "policy" not found, so it cannot create its pods\.$/,
  },
  {
    name: "a CronJob that is suspended",
    async arrange(cluster) {
      const spec = { schedule: "0 3 * * *", suspend: true, jobTemplate: { spec: jobSpec("nightly") } };
      await cluster.create(CronJob, { metadata: { name: "nightly" }, spec });
      await passed(cluster);
    },
    object: "cronjob/nightly",
    sentence: /^CronJob default\/nightly is ready\.$/,
  },
  {
    name: "an operator without a leader",
    async arrange(cluster) {
      const operator = await cluster.start(shops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
      await cluster.settled();
      await operator.stop();
      await shopLease(cluster, "");
      await cluster.update(Shop, "a", (shop) => void (shop.spec.image = "web:2"));
      await passed(cluster);
    },
    object: "shop/a",
    code: "OperatorDown",
    sentence: /: its operator does not run: no process holds the lease default\/shop-operator, which was released 2m ago\.$/,
  },
];

test.for(failures)(
  "explain names the cause of $name in the first sentence",
  { tags: ["memory"] },
  async ({ arrange, object, code, sentence }) => {
    await using cluster = await startTestCluster({ workloads: true, checkStatus: false });
    await arrange(cluster);
    const { summary, cause, others } = await explained(cluster, object);
    expect(summary).toMatch(sentence);
    expect(cause?.code).toBe(code);
    if (code === undefined) expect(others).toMatchObject([{ code: "Paused", message: expect.stringContaining("`spec.suspend`") }]);
  },
);
