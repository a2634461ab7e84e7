import fc from "fast-check";
import { expect, test } from "vitest";
import { isConditionReason } from "../conditions.ts";
import { health } from "./health.ts";

const VALUES = [null, undefined, "text", 1, 1.5, true, [], [1], {}, [{}], { conditions: "none" }, { conditions: [{ type: 1 }] }];

test.for(VALUES.map((value) => [value] as const))("%j is not an object of a kind: its health is Unknown", ([value]) => {
  expect(health(value)).toMatchObject({ type: "Unknown", reason: "InvalidObject" });
});

test.for([{ kind: "Widget" }, { apiVersion: "example.dev/v1" }, { apiVersion: "", kind: "Widget" }])(
  "the health of an object without apiVersion or kind is Unknown: %j",
  (object) => {
    expect(health({ ...object, metadata: { name: "a" } })).toMatchObject({ type: "Unknown", reason: "InvalidObject" });
  },
);

const FAILED = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { generation: 1, namespace: "n" },
  spec: { selector: { matchLabels: { a: "b" } } },
  status: { observedGeneration: 1, conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }] },
};

test.for([null, 1, "text", { pods: null }, { pods: {} }])("options of another type count as none: %j", (options) => {
  expect(health(FAILED, options as never)).toEqual(health(FAILED));
});

test("a pod without the shape of its kind does not hide the verdict on its workload, or another pod", () => {
  const metadata = { namespace: "n", name: "p", labels: { a: "b" } };
  const waiting = { metadata, status: { containerStatuses: [{ name: "c", state: { waiting: { reason: "ImagePullBackOff" } } }] } };
  const malformed = [{ metadata, status: "text" }, { metadata: "text" }, { metadata, status: { containerStatuses: {} } }];
  expect(health(FAILED, { pods: malformed })).toEqual(health(FAILED));
  expect(health(FAILED, { pods: [...malformed, waiting] }).message).toContain("ImagePullBackOff");
});

const KINDS = [
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["apps/v1", "DaemonSet"],
  ["apps/v1", "ReplicaSet"],
  ["v1", "ReplicationController"],
  ["v1", "Pod"],
  ["batch/v1", "Job"],
  ["batch/v1", "CronJob"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["apiregistration.k8s.io/v1", "APIService"],
  ["v1", "Service"],
  ["networking.k8s.io/v1", "Ingress"],
  ["v1", "PersistentVolumeClaim"],
  ["v1", "PersistentVolume"],
  ["autoscaling/v2", "HorizontalPodAutoscaler"],
  ["policy/v1", "PodDisruptionBudget"],
  ["v1", "Namespace"],
  ["example.dev/v1", "Widget"],
  ["constructor/v1", "__proto__"],
] as const;

/** JSON whose keys are often those that the rules read, so that wrong types are at the places that matter. */
const KEYS = [
  "conditions type status reason message observedGeneration replicas readyReplicas updatedReplicas",
  "availableReplicas phase loadBalancer ingress ip containerStatuses initContainerStatuses state waiting",
  "lastState terminated exitCode updateStrategy rollingUpdate partition selector matchLabels suspend",
  "desiredNumberScheduled startTime succeeded completions generation deletionTimestamp finalizers paused",
].flatMap((line) => line.split(" "));
const WORDS = [
  "",
  "True",
  "False",
  "Ready",
  "Stalled",
  "Reconciling",
  "Progressing",
  "Available",
  "Running",
  "Pending",
  "OnDelete",
  "RollingUpdate",
];
const { json } = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constantFrom(null, true, 0, 1, 2, -1, 1.5, ...WORDS), fc.string()),
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 1, arbitrary: tie("leaf") },
    { weight: 1, arbitrary: fc.array(tie("json"), { maxLength: 3 }) },
    { weight: 3, arbitrary: fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string()), tie("json"), { maxKeys: 8 }) },
  ),
}));

test.for(KINDS)("%s %s of any JSON gets a verdict whose reason a condition may have", ([apiVersion, kind]) => {
  const objects = fc.record({ metadata: json, spec: json, status: json }, { requiredKeys: [] });
  fc.assert(
    fc.property(objects, json, (object, pod) => {
      const { type, reason, message } = health({ ...object, apiVersion, kind }, { pods: [pod as object] });
      expect(["Ready", "Pending", "Failed", "Unknown"]).toContain(type);
      expect(isConditionReason(reason), reason).toBe(true);
      expect(typeof message).toBe("string");
      if (type !== "Ready") expect(message).not.toBe("");
    }),
    { numRuns: 100 },
  );
});

const deployment = (status: object, spec: object = {}): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "ns", generation: 2 },
  spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, ...spec },
  status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, ...status },
});

test("a Deployment at 0/1 is Pending, and the message counts", () => {
  expect(health(deployment({}))).toEqual({ type: "Pending", reason: "NotAvailable", message: "0 of 1 replicas are available" });
});

test("the message of a field with a wrong type names the field and not its value", () => {
  expect(health(deployment({ replicas: "secret" }))).toEqual({
    type: "Unknown",
    reason: "InvalidObject",
    message: "the field replicas must be an integer, and is string",
  });
});

test("an object that was read without its contents is Unknown where its kind has a status", () => {
  const { apiVersion, kind, metadata } = deployment({}) as { apiVersion: string; kind: string; metadata: object };
  expect(health({ apiVersion, kind, metadata: { ...metadata, generation: undefined } })).toMatchObject({
    type: "Unknown",
    message: /without its contents/,
  });
});

const pod = (name: string, status: object, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ns", labels: { app: "web" }, ...metadata },
  status: { phase: "Pending", ...status },
});
const waiting = (reason: string, message = ""): object => ({
  containerStatuses: [{ name: "main", state: { waiting: { reason, message } } }],
});
const unschedulable = {
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" }],
};

test.for<{ name: string; pods: object[]; reason: string; message: string }>([
  {
    name: "an image that cannot be pulled",
    pods: [pod("a", waiting("ImagePullBackOff", 'Back-off pulling image "nginx:1"'))],
    reason: "ImagePullBackOff",
    message: '0 of 1 replicas are available; pod a: container main: Back-off pulling image "nginx:1"',
  },
  {
    name: "a crash, with the exit code and without the text that the container wrote",
    pods: [
      pod("a", {
        phase: "Running",
        containerStatuses: [
          {
            name: "main",
            state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } },
            lastState: { terminated: { exitCode: 137, reason: "OOMKilled", message: "password" } },
          },
        ],
      }),
    ],
    reason: "CrashLoopBackOff",
    message: "0 of 1 replicas are available; pod a: container main: back-off 10s (last exit code 137, OOMKilled)",
  },
  {
    name: "a pod that no node can run",
    pods: [pod("a", unschedulable)],
    reason: "Unschedulable",
    message: "0 of 1 replicas are available; pod a: 0/3 nodes are available",
  },
  {
    name: "the worst of several pods",
    pods: [pod("c", unschedulable), pod("b", waiting("ErrImagePull")), pod("a", { phase: "Running" })],
    reason: "ErrImagePull",
    message: "0 of 1 replicas are available; pod b: container main: ErrImagePull",
  },
  {
    name: "no pod that only starts",
    pods: [pod("a", waiting("ContainerCreating"))],
    reason: "NotAvailable",
    message: "0 of 1 replicas are available",
  },
  {
    name: "no pod of another workload, another namespace, or that is being deleted",
    pods: [
      pod("a", waiting("ImagePullBackOff"), { labels: { app: "other" } }),
      pod("b", waiting("ImagePullBackOff"), { namespace: "other" }),
      pod("c", waiting("ImagePullBackOff"), { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    ],
    reason: "NotAvailable",
    message: "0 of 1 replicas are available",
  },
])("a workload that is not ready names $name", ({ pods, reason, message }) => {
  for (const order of [pods, pods.toReversed()])
    expect(health(deployment({}), { pods: order })).toEqual({ type: "Pending", reason, message });
});

test.for([
  ["a Service of type LoadBalancer", "v1", "Service", { type: "LoadBalancer", selector: { app: "web" } }, "NoAddress"],
  ["a claim", "v1", "PersistentVolumeClaim", { selector: { matchLabels: { app: "web" } } }, "Unbound"],
  ["a workload without a selector", "apps/v1", "ReplicaSet", { replicas: 1 }, "NotCreated"],
] as const)("pods do not change the reason of %s", ([, apiVersion, kind, spec, reason]) => {
  const object = { apiVersion, kind, metadata: { name: "web", namespace: "ns" }, spec };
  expect(health(object, { pods: [pod("a", waiting("ImagePullBackOff"))] })).toMatchObject({ type: "Pending", reason });
});

test("a workload names a pod that cannot start before a pod that failed, which may be an old one", () => {
  const evicted = pod("a", { phase: "Failed", reason: "Evicted" });
  expect(health(deployment({}), { pods: [evicted, pod("b", unschedulable)] }).reason).toBe("Unschedulable");
  expect(health(deployment({}), { pods: [evicted] }).reason).toBe("Evicted");
});

test("a workload that failed keeps its reason, and its message names the pod", () => {
  const conditions = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "has timed out progressing" }];
  expect(health(deployment({ conditions }), { pods: [pod("a", waiting("ErrImagePull"))] })).toEqual({
    type: "Failed",
    reason: "ProgressDeadlineExceeded",
    message: "has timed out progressing; pod a: container main: ErrImagePull",
  });
});

test("a Ready workload does not become worse by one of its pods", () => {
  const conditions = [{ type: "Available", status: "True" }];
  const live = deployment({ readyReplicas: 1, availableReplicas: 1, conditions });
  expect(health(live, { pods: [pod("a", waiting("CrashLoopBackOff"))] })).toEqual({ type: "Ready", reason: "Ready", message: "" });
});

test("a rollout that a user paused is Pending with the reason Paused, and Ready when nothing is left to do", () => {
  const conditions = [
    { type: "Available", status: "True" },
    { type: "Progressing", status: "Unknown", reason: "DeploymentPaused" },
  ];
  const spec = { paused: true, progressDeadlineSeconds: 600 };
  const done = { readyReplicas: 1, availableReplicas: 1, conditions };
  expect(health(deployment({ ...done, updatedReplicas: 0 }, spec))).toEqual({
    type: "Pending",
    reason: "Paused",
    message: "its rollout is paused: 0 of 1 replicas are updated",
  });
  expect(health(deployment(done, spec)).type).toBe("Ready");
});

test("an invalid reason of a foreign condition is replaced", () => {
  const object = {
    apiVersion: "example.dev/v1",
    kind: "Widget",
    metadata: {},
    status: { conditions: [{ type: "Stalled", status: "True", reason: "no, not this" }] },
  };
  expect(health(object)).toEqual({ type: "Failed", reason: "Stalled", message: "its condition Stalled is True" });
});

test("the object is not modified, also when it is frozen", () => {
  const frozen = deployment({ conditions: [] });
  const before = JSON.stringify(frozen);
  health(Object.freeze(frozen));
  expect(JSON.stringify(frozen)).toBe(before);
});
