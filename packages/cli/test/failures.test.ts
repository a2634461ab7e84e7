/** Typical failures, on the in-memory server: the first sentence of the explanation names the cause. */

import { defineResource, kind, type KubernetesObject } from "@treadle/apimachinery";
import {
  ConfigMap,
  Deployment,
  Job,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  StorageClass,
} from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster, type TestClusterOptions } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Asked, explained, setConditions, shopLease } from "./explained.ts";
import { componentShops, jobSpec, Monitor, monitoredShops, pods, setShops, Shop, shops } from "./shop.ts";

interface Failure {
  readonly name: string;
  readonly options?: TestClusterOptions;
  arrange(cluster: TestCluster): Promise<unknown>;
  readonly object: string;
  readonly asked?: Asked;
  /** Code of the cause. */
  readonly code: string;
  /** What the first sentence names. */
  readonly sentence: RegExp;
}

/** Kubelets write events of the core group. */
const Event = kind<Readonly<Record<string, unknown>>>({ group: "", version: "v1", kind: "Event" });

/** A kind of another operator. */
const Bucket = defineResource({
  group: "storage.example.org",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  spec: z.object({
    size: z.int32().optional(),
    credentialsRef: z.object({ apiVersion: z.string(), kind: z.string(), name: z.string() }).optional(),
  }),
  status: z.object({}),
});

const deployment = (cluster: TestCluster, image = "web:1"): Promise<unknown> =>
  cluster.create(Deployment, { metadata: { name: "web" }, spec: pods("web", image) });

async function passed(cluster: TestCluster, ms: number): Promise<void> {
  await cluster.settled();
  await cluster.advance(ms);
}

async function eventAbout(cluster: TestCluster, object: KubernetesObject | undefined, reason: string, message: string): Promise<void> {
  const { kind: type = "", apiVersion = "", metadata: { name = "", namespace = "", uid = "" } = {} } = object ?? {};
  await cluster.client.create(Event, {
    metadata: { name: `${name}.1`, namespace },
    involvedObject: { apiVersion, kind: type, name, namespace, uid },
    type: "Warning",
    reason,
    message,
    count: 3,
    lastTimestamp: new Date(cluster.clock.now()).toISOString().replace(/\.\d+Z/, "Z"),
  });
}

async function refusedPods(cluster: TestCluster, message: string): Promise<void> {
  await deployment(cluster);
  await cluster.settled();
  const counts = { observedGeneration: 1, replicas: 0, unavailableReplicas: 1 };
  await setConditions(cluster, Deployment, { name: "web", ...counts, conditions: [["ReplicaFailure", "True", "FailedCreate", message]] });
}

const failures: readonly Failure[] = [
  {
    name: "an image that cannot be pulled",
    async arrange(cluster) {
      cluster.workloads.pods.fail("ImagePullBackOff");
      await deployment(cluster, "registry.example/web:2");
      await passed(cluster, 60_000);
    },
    object: "deployment/web",
    code: "ImagePull",
    sentence:
      /^Deployment default\/web is not ready: Pod default\/web-\S+ cannot pull the image "registry.example\/web:2" of its container main: /,
  },
  {
    name: "a container that crashes",
    async arrange(cluster) {
      cluster.workloads.pods.fail({ exitCode: 3 });
      await deployment(cluster);
      await passed(cluster, 120_000);
    },
    object: "deployment/web",
    code: "CrashLoop",
    sentence: /container main of Pod default\/web-\S+ ends after each start with exit code 3 \(restarted \d+ times\)/,
  },
  {
    name: "a container that needs more memory than its limit",
    async arrange(cluster) {
      cluster.workloads.pods.fail("OOMKilled");
      const spec = pods("web");
      const limited = spec.template.spec.containers.map((each) => ({ ...each, resources: { limits: { memory: "64Mi" } } }));
      await cluster.create(Deployment, {
        metadata: { name: "web" },
        spec: { ...spec, template: { ...spec.template, spec: { containers: limited } } },
      });
      await passed(cluster, 120_000);
    },
    object: "deployment/web",
    code: "OutOfMemory",
    sentence: /container main of Pod default\/web-\S+ is killed because it uses more memory than it may \(OOMKilled\); its limit is 64Mi/,
  },
  {
    name: "a quota that is used up",
    async arrange(cluster) {
      await cluster.create(ResourceQuota, { metadata: { name: "small" }, spec: { hard: { pods: "0" } } });
      await cluster.settled();
      await deployment(cluster);
      await passed(cluster, 60_000);
    },
    object: "deployment/web",
    code: "QuotaExceeded",
    sentence: /the quota small of the namespace default is used up: requested pods=1, used pods=0, limited to pods=0/,
  },
  {
    name: "a Secret that a step waits for",
    async arrange(cluster) {
      await cluster.start(shops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: { secret: "card" } });
      await cluster.settled();
    },
    object: "shop/a",
    code: "MissingSecret",
    sentence: /^Shop default\/a is not ready: Secret default\/card does not exist/,
  },
  {
    name: "a key that a ConfigMap lacks",
    async arrange(cluster) {
      cluster.workloads.pods.fail("CreateContainerConfigError");
      await cluster.create(ConfigMap, { metadata: { name: "app" }, data: {} });
      await deployment(cluster);
      await cluster.settled();
      const [pod] = await cluster.list(Pod);
      await cluster.updateStatus(Pod, pod?.metadata.name ?? "", (each) => {
        const waiting = { reason: "CreateContainerConfigError", message: "couldn't find key color in ConfigMap default/app" };
        for (const status of each.status?.containerStatuses ?? []) status.state = { waiting };
      });
    },
    object: "deployment/web",
    code: "MissingKey",
    sentence: /ConfigMap default\/app has no key color, which container main of Pod default\/web-\S+ needs/,
  },
  {
    name: "a kind that is not installed, of an operator in Go",
    options: { kinds: [Bucket] },
    async arrange(cluster) {
      await cluster.create(Bucket, { metadata: { name: "photos" }, spec: {} });
      const message = 'failed to get informer: no matches for kind "Certificate" in version "cert-manager.io/v1"';
      await setConditions(cluster, Bucket, { name: "photos", conditions: [["Ready", "False", "ReconcileError", message]] });
    },
    object: "bucket/photos",
    code: "MissingKind",
    sentence: /^Bucket default\/photos is not ready: the server does not serve the kind Certificate \(cert-manager.io\/v1\)/,
  },
  {
    name: "a right that the operator lacks",
    options: { kinds: [Bucket] },
    async arrange(cluster) {
      await cluster.create(Bucket, { metadata: { name: "photos" }, spec: {} });
      const message =
        'secrets "keys" is forbidden: User "system:serviceaccount:ops:buckets" cannot get resource "secrets" in API group "" in the namespace "default"';
      await setConditions(cluster, Bucket, { name: "photos", conditions: [["Ready", "False", "ReconcileError", message]] });
    },
    object: "bucket/photos",
    code: "Forbidden",
    sentence: /system:serviceaccount:ops:buckets may not get secrets in the namespace default/,
  },
  {
    name: "a webhook that does not answer",
    arrange: (cluster) =>
      refusedPods(
        cluster,
        'Internal error occurred: failed calling webhook "pods.policy.example.dev": failed to call webhook: Post "https://policy.ops.svc:443/review?timeout=10s": dial tcp 10.0.0.1:443: connect: connection refused',
      ),
    object: "deployment/web",
    code: "WebhookDown",
    sentence: /the webhook pods.policy.example.dev does not answer: .*connection refused, so it cannot create its pods/,
  },
  {
    name: "a finalizer that no controller removes",
    options: { kinds: [Bucket] },
    async arrange(cluster) {
      await cluster.create(Bucket, { metadata: { name: "photos", finalizers: ["storage.example.org/bucket"] }, spec: {} });
      await cluster.delete(Bucket, "photos");
      await cluster.advance(600_000);
    },
    object: "bucket/photos",
    code: "Deleting",
    sentence: /^Bucket default\/photos is being deleted for 10m, and the finalizer storage.example.org\/bucket holds it/,
  },
  {
    name: "a dependent that waits for its sibling",
    async arrange(cluster) {
      cluster.workloads.pods.fail("ErrImagePull", { matchLabels: { app: "a-database" } });
      await cluster.start(shops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
      await passed(cluster, 30_000);
    },
    object: "shop/a",
    code: "ImagePull",
    sentence: /^Shop default\/a is not ready: Pod default\/a-database-\S+ cannot pull the image/,
  },
  {
    name: "a pause",
    async arrange(cluster) {
      await cluster.start(shops);
      await cluster.create(Shop, { metadata: { name: "a", annotations: { "treadle.dev/paused": "true" } }, spec: {} });
      await cluster.settled();
    },
    object: "shop/a",
    code: "Paused",
    sentence: /^Shop default\/a is paused by the annotation treadle.dev\/paused\.$/,
  },
  {
    name: "a step that fails",
    async arrange(cluster) {
      await cluster.start(shops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: { fails: "the bank does not answer" } });
      await cluster.settled();
    },
    object: "shop/a",
    code: "Error",
    sentence: /^Shop default\/a is not ready: .*the bank does not answer \(condition Charged is False/,
  },
  {
    name: "a pod that fits on no node",
    async arrange(cluster) {
      cluster.workloads.pods.fail("Unschedulable");
      await deployment(cluster);
      await passed(cluster, 30_000);
    },
    object: "deployment/web",
    code: "Unschedulable",
    sentence: /no node can run Pod default\/web-\S+: /,
  },
  {
    name: "a claim without a volume",
    async arrange(cluster) {
      await cluster.create(StorageClass, { metadata: { name: "fast" }, provisioner: "kubernetes.io/no-provisioner" });
      await cluster.create(PersistentVolumeClaim, {
        metadata: { name: "data" },
        spec: { storageClassName: "fast", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      });
      await passed(cluster, 30_000);
    },
    object: "pvc/data",
    code: "VolumeUnbound",
    sentence: /^PersistentVolumeClaim default\/data is not bound to a volume of the class fast/,
  },
  {
    name: "a pod whose claim does not exist",
    async arrange(cluster) {
      cluster.workloads.pods.fail("Unschedulable");
      const spec = pods("web");
      const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
      const template = { ...spec.template, spec: { ...spec.template.spec, volumes } };
      await cluster.create(Deployment, { metadata: { name: "web" }, spec: { ...spec, template } });
      await passed(cluster, 30_000);
    },
    object: "deployment/web",
    code: "MissingPersistentVolumeClaim",
    sentence: /^Deployment default\/web is not ready: PersistentVolumeClaim default\/data does not exist, which spec.volumes\[0\] names/,
  },
  {
    name: "a Job that has failed",
    async arrange(cluster) {
      cluster.workloads.pods.fail({ exitCode: 7 });
      await cluster.create(Job, { metadata: { name: "migrate" }, spec: jobSpec("migrate") });
      await passed(cluster, 60_000);
    },
    object: "job/migrate",
    code: "JobFailed",
    sentence: /Job default\/migrate has failed \(BackoffLimitExceeded\): .*; the last pod ended with exit code 7/,
  },
  {
    name: "a namespace that is being deleted",
    options: { kinds: [Bucket] },
    async arrange(cluster) {
      await cluster.create(Namespace, { metadata: { name: "old" } });
      await cluster.create(ConfigMap, { metadata: { name: "held", namespace: "old", finalizers: ["example.dev/hold"] } });
      await cluster.delete(Namespace, "old");
      await cluster.settled();
      await cluster.advance(60_000);
    },
    object: "namespace/old",
    code: "NamespaceTerminating",
    sentence: /^Namespace old is not ready: the namespace old is being deleted since 60s.*finalizers.*example.dev\/hold/,
  },
  {
    name: "a rollout that makes no progress",
    async arrange(cluster) {
      cluster.workloads.deployments.stall({ name: "web" });
      await deployment(cluster);
      await passed(cluster, 700_000);
    },
    object: "deployment/web",
    code: "RolloutStalled",
    sentence: /is not ready: its rollout has made no progress for its deadline of 600 s/,
  },
  {
    name: "an operator that does not run",
    async arrange(cluster) {
      const operator = await cluster.start(shops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
      await cluster.settled();
      await operator.stop();
      // As the leader election of a process writes it that was killed.
      await shopLease(cluster, "shops-7f5d_1");
      await cluster.advance(300_000);
      await cluster.update(Shop, "a", (shop) => void (shop.spec.image = "web:2"));
    },
    object: "shop/a",
    code: "OperatorDown",
    sentence:
      /^Shop default\/a is not ready: its operator does not run: the lease default\/shop-operator was last renewed 5m ago, by shops-7f5d_1/,
  },
  {
    name: "a controller that has not seen the last change",
    options: { kinds: [Bucket] },
    async arrange(cluster) {
      await cluster.create(Bucket, { metadata: { name: "photos" }, spec: {} });
      await setConditions(cluster, Bucket, { name: "photos", observedGeneration: 1, conditions: [["Ready", "True", "Ready", ""]] });
      await cluster.update(Bucket, "photos", (bucket) => void (bucket.spec.size = 2));
    },
    object: "bucket/photos",
    code: "NotObserved",
    sentence:
      /is not ready: its controller has not seen its last change: the status is about generation 1, and the object has generation 2/,
  },
  {
    name: "a managed resource whose provider fails",
    options: { kinds: [Bucket] },
    async arrange(cluster) {
      await cluster.create(Bucket, { metadata: { name: "photos" }, spec: {} });
      await setConditions(cluster, Bucket, {
        name: "photos",
        conditions: [
          ["Ready", "False", "Creating", ""],
          ["Synced", "False", "ReconcileError", "create failed: 402: the account has no credit"],
        ],
      });
    },
    object: "bucket/photos",
    code: "ProviderError",
    sentence: /is not ready: its provider reports an error \(Synced is ReconcileError\): create failed: 402: the account has no credit/,
  },
  {
    name: "a plugin that no program offers",
    options: { kinds: [Shop] },
    async arrange(cluster) {
      await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
      const message = "no plugin offers database/postgresql; offered: cache/redis (version 7)";
      await setConditions(cluster, Shop, {
        name: "a",
        conditions: [
          ["Ready", "False", "NoPlugin", `PluginReady: ${message}`],
          ["PluginReady", "False", "NoPlugin", message],
        ],
      });
    },
    object: "shop/a",
    code: "NoPlugin",
    sentence: /is not ready: its plugin gives no plan \(NoPlugin\): no plugin offers database\/postgresql/,
  },
  {
    name: "an object that waits for a wave of its set",
    async arrange(cluster) {
      cluster.workloads.pods.fail({ exitCode: 9 }, { matchLabels: { app: "a-migrate" } });
      await cluster.start(setShops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
      await passed(cluster, 60_000);
    },
    object: "shop/a",
    code: "JobFailed",
    sentence: /^Shop default\/a is not ready: Job default\/a-migrate has failed \(BackoffLimitExceeded\)/,
  },
  {
    name: "an object that belongs to another owner",
    async arrange(cluster) {
      const other = await cluster.create(ConfigMap, { metadata: { name: "other" }, data: {} });
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: other.metadata.uid ?? "", controller: true };
      await cluster.create(Deployment, { metadata: { name: "a-database", ownerReferences: [owner] }, spec: pods("foreign") });
      await cluster.start(shops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
      await cluster.settled();
    },
    object: "shop/a",
    code: "ForeignOwner",
    sentence: /step "database" cannot keep Deployment default\/a-database \(NotOurs\): .*ConfigMap other/,
  },
  {
    name: "a failure that is not retried",
    async arrange(cluster) {
      await cluster.start(shops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: { fails: "forever" } });
      await cluster.settled();
    },
    object: "shop/a",
    code: "TerminalError",
    sentence: /the card was refused \(condition Charged is False \(TerminalError\)\)/,
  },
  {
    name: "an operator that was never installed",
    options: { kinds: [Bucket] },
    async arrange(cluster) {
      await cluster.create(Bucket, { metadata: { name: "photos" }, spec: {} });
      await cluster.advance(300_000);
    },
    object: "bucket/photos",
    code: "NoStatus",
    sentence: /^Bucket default\/photos is not ready: no operator has written a status since it was created 5m ago/,
  },
  {
    name: "a reference to an object that does not exist, of another operator",
    options: { kinds: [Bucket] },
    async arrange(cluster) {
      const ref = { apiVersion: "v1", kind: "Secret", name: "keys" };
      await cluster.create(Bucket, { metadata: { name: "photos" }, spec: { credentialsRef: ref } });
      await setConditions(cluster, Bucket, { name: "photos", conditions: [["Ready", "False", "Unavailable", ""]] });
    },
    object: "bucket/photos",
    code: "MissingSecret",
    sentence: /^Bucket default\/photos is not ready: Secret default\/keys does not exist, which spec.credentialsRef names/,
  },
  {
    name: "a component that waits for an object of another operator",
    async arrange(cluster) {
      await cluster.start(componentShops);
      await cluster.create(Shop, { metadata: { name: "a" }, spec: { secret: "card" } });
      await cluster.settled();
    },
    object: "shop/a",
    code: "MissingSecret",
    sentence: /^Shop default\/a is not ready: Secret default\/card does not exist/,
  },
  {
    name: "a kind that is not installed, of an operator of Treadle",
    async arrange(cluster) {
      await cluster.start(monitoredShops, { missing: [Monitor] });
      await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
      await cluster.settled();
    },
    object: "shop/a",
    code: "MissingKind",
    sentence: /^Shop default\/a is not ready: .*Monitor.*monitoring.example.org/,
  },
  {
    name: "a Secret that a pod mounts",
    async arrange(cluster) {
      cluster.workloads.pods.fail("Unschedulable");
      await deployment(cluster);
      await cluster.settled();
      const [pod] = await cluster.list(Pod);
      await cluster.updateStatus(Pod, pod?.metadata.name ?? "", (each) => void (each.status = { phase: "Pending", conditions: [] }));
      await eventAbout(cluster, pod, "FailedMount", 'MountVolume.SetUp failed for volume "keys" : secret "keys" not found');
    },
    object: "deployment/web",
    code: "MissingSecret",
    sentence: /Secret default\/keys does not exist, which Pod default\/web-\S+ mounts/,
  },
  {
    name: "a rollout that a person paused",
    async arrange(cluster) {
      await cluster.create(Deployment, { metadata: { name: "web" }, spec: { ...pods("web"), paused: true } });
      await cluster.settled();
    },
    object: "deployment/web",
    code: "RolloutPaused",
    sentence: /^Deployment default\/web is not ready: its rollout is paused\.$/,
  },
  {
    name: "a readiness probe that fails",
    async arrange(cluster) {
      cluster.workloads.pods.fail("NotReady");
      await deployment(cluster);
      await passed(cluster, 30_000);
    },
    object: "deployment/web",
    code: "NotReadyProbe",
    sentence: /container main of Pod default\/web-\S+ runs and is not ready/,
  },
];

test.for(failures)(
  "explain names the cause of $name in the first sentence",
  { tags: ["memory"] },
  async ({ options, arrange, object, asked, code, sentence }) => {
    await using cluster = await startTestCluster({ workloads: true, checkStatus: false, ...options });
    await arrange(cluster);
    const { summary, cause } = await explained(cluster, object, asked);
    expect(summary).toMatch(sentence);
    expect(cause?.code).toBe(code);
  },
);
