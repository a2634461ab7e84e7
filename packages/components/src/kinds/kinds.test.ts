/** The built-in records against the table of primitives of the operator-component-framework, row by row. */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import * as kinds from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import type { ComponentReason } from "../reasons.ts";
import type { Grade, StateFacts, Suspend } from "./kind-record.ts";
import { recordOf } from "./record-of.ts";
import { gradeOf, isSuspended, resourceStateOf } from "./state-of.ts";

const NONE: StateFacts = { operation: "none", changed: [], previous: undefined };
const CREATED: StateFacts = { ...NONE, operation: "created" };
const UPDATED: StateFacts = { ...NONE, operation: "updated", changed: ["spec.template"] };
const SCALED: StateFacts = { ...NONE, operation: "updated", changed: ["spec.replicas"] };

type Row<More> = More & { readonly name: string; readonly live: KubernetesObject };
/** Vitest shortens long texts in titles, unless they are arguments of their own. */
const titled = <R extends Row<{ readonly want: unknown }>>(rows: readonly R[]): readonly (readonly [string, unknown, R])[] =>
  rows.map((row) => [row.name, row.want, row]);

/** An object of a kind, of generation 2. */
const object = (kind: Kind, spec: object, status: object, metadata: object = {}): KubernetesObject => {
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  return Object.assign({ apiVersion, kind: kind.kind, metadata: { name: "a", generation: 2, ...metadata } }, { spec, status });
};
const REPLICATED = [kinds.Deployment, kinds.StatefulSet, kinds.ReplicaSet];
/** So many of `of` replicas are ready, and none is old; `of` undefined: spec.replicas has its default. The controller has seen it. */
const replicas = (kind: Kind, ready: number, of: number | undefined, status: object = {}): KubernetesObject => {
  const counts = { replicas: of ?? 1, updatedReplicas: ready, currentReplicas: ready, fullyLabeledReplicas: ready };
  const available = { availableReplicas: ready, readyReplicas: ready, conditions: [condition("Available", "True")] };
  const spec = of === undefined ? {} : { replicas: of };
  return object(kind, spec, { observedGeneration: 2, ...counts, ...available, ...status });
};
const OLD = { observedGeneration: 1 };
const condition = (type: string, status: string, reason: string = "Because"): object => ({ type, status, reason, message: "why" });
const nodes = (ready: number, of: number, seen: number = 2): KubernetesObject => {
  const counts = { desiredNumberScheduled: of, currentNumberScheduled: of, updatedNumberScheduled: of, numberAvailable: ready };
  return object(kinds.DaemonSet, {}, { observedGeneration: seen, numberReady: ready, ...counts });
};
const pod = (phase: string, containers: readonly object[] = [], ready: string = "False", metadata: object = {}): KubernetesObject =>
  object(kinds.Pod, {}, { phase, containerStatuses: containers, conditions: [condition("Ready", ready)] }, metadata);
const RUNNING = { name: "a", state: { running: {} } };
const CRASHED = { name: "b", state: { terminated: { exitCode: 1 } } };
const LOOPING = { name: "c", state: { waiting: { reason: "CrashLoopBackOff" } } };
const PULLING = { name: "d", state: { waiting: { reason: "ErrImagePull" } } };
const job = (status: object, spec: object = {}): KubernetesObject => object(kinds.Job, spec, status);
const cronJob = (spec: object, status: object = {}): KubernetesObject => object(kinds.CronJob, spec, status);
const ADDRESS = { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } };
const HOST = { loadBalancer: { ingress: [{ hostname: "a.example.dev" }] } };
const service = (type: string, status: object = {}): KubernetesObject => object(kinds.Service, { type }, status);
const ingress = (status: object): KubernetesObject => object(kinds.Ingress, {}, status);
const scaler = (...conditions: readonly object[]): KubernetesObject => object(kinds.HorizontalPodAutoscaler, {}, { conditions });
const claim = (phase: string): KubernetesObject => object(kinds.PersistentVolumeClaim, {}, { phase });
const volume = (phase: string): KubernetesObject => object(kinds.PersistentVolume, {}, { phase });

const kindOf = (live: KubernetesObject): Kind =>
  Object.values(kinds).find(({ kind, group }) => kind === live.kind && live.apiVersion.startsWith(group)) as Kind; // each is a kind
/** The state as the dependents give it: a claim without a volume is ready for other steps. */
const judged = (live: KubernetesObject): ReturnType<typeof health> => {
  const state = health(live);
  return state.reason === "Unbound" ? { ...state, type: "Ready" } : state;
};

const STATES: readonly Row<{ readonly facts: StateFacts; readonly want: ComponentReason }>[] = [
  ...REPLICATED.flatMap((kind): typeof STATES => [
    { name: `a ${kind.kind} with all replicas ready`, live: replicas(kind, 3, 3), facts: NONE, want: "Healthy" },
    { name: `a ${kind.kind} with all replicas ready after an update`, live: replicas(kind, 3, 3), facts: UPDATED, want: "Healthy" },
    { name: `a ${kind.kind} of one replica by default, which is ready,`, live: replicas(kind, 1, undefined), facts: NONE, want: "Healthy" },
    { name: `a ${kind.kind} with 0 replicas`, live: replicas(kind, 0, 0), facts: SCALED, want: "Healthy" },
    { name: `a created ${kind.kind}`, live: replicas(kind, 0, 3), facts: CREATED, want: "Creating" },
    { name: `an updated ${kind.kind}`, live: replicas(kind, 2, 3), facts: UPDATED, want: "Updating" },
    { name: `a scaled ${kind.kind}`, live: replicas(kind, 2, 3), facts: SCALED, want: "Scaling" },
    { name: `a ${kind.kind} that lost a replica`, live: replicas(kind, 2, 3), facts: { ...NONE, previous: "Healthy" }, want: "Scaling" },
    { name: `a created ${kind.kind} with an older status`, live: replicas(kind, 3, 3, OLD), facts: CREATED, want: "Creating" },
    { name: `an updated ${kind.kind} with an older status`, live: replicas(kind, 3, 3, OLD), facts: UPDATED, want: "Updating" },
    {
      name: `a ${kind.kind} that another writer changed, with an older status,`,
      live: replicas(kind, 3, 3, OLD),
      facts: { ...NONE, previous: "Healthy" },
      want: "Updating",
    },
    {
      name: `a ${kind.kind} seen for the first time, with an older status,`,
      live: replicas(kind, 3, 3, OLD),
      facts: NONE,
      want: "Creating",
    },
    { name: `a ${kind.kind} that its controller has not seen`, live: object(kind, { replicas: 1 }, {}), facts: NONE, want: "Creating" },
  ]),
  {
    name: "a Deployment whose progress deadline is exceeded",
    live: replicas(kinds.Deployment, 1, 3, { conditions: [condition("Progressing", "False", "ProgressDeadlineExceeded")] }),
    facts: NONE,
    want: "Failing",
  },
  {
    name: "a ReplicaSet that cannot create pods",
    live: replicas(kinds.ReplicaSet, 0, 3, { conditions: [condition("ReplicaFailure", "True")] }),
    facts: NONE,
    want: "Failing",
  },
  {
    name: "a Deployment with all replicas ready, but not updated,",
    live: replicas(kinds.Deployment, 3, 3, { updatedReplicas: 1 }),
    facts: { ...NONE, previous: "Updating" },
    want: "Updating",
  },
  { name: "a DaemonSet without nodes", live: nodes(0, 0), facts: NONE, want: "Healthy" },
  { name: "a DaemonSet that is ready on all nodes", live: nodes(3, 3), facts: UPDATED, want: "Healthy" },
  { name: "a created DaemonSet", live: nodes(0, 3), facts: CREATED, want: "Creating" },
  { name: "an updated DaemonSet", live: nodes(2, 3), facts: UPDATED, want: "Updating" },
  { name: "a DaemonSet that got another node", live: nodes(2, 3), facts: { ...NONE, previous: "Healthy" }, want: "Scaling" },
  { name: "an updated DaemonSet with an older status", live: nodes(3, 3, 1), facts: UPDATED, want: "Updating" },
  { name: "a Pod with all containers ready", live: pod("Running", [RUNNING], "True"), facts: NONE, want: "Healthy" },
  { name: "a Pod that succeeded", live: pod("Succeeded"), facts: NONE, want: "Healthy" },
  { name: "a Pod that failed", live: pod("Failed"), facts: NONE, want: "Failing" },
  { name: "a Pod with CrashLoopBackOff", live: pod("Running", [PULLING, LOOPING]), facts: CREATED, want: "Failing" },
  { name: "a Pod whose container ended with an error", live: pod("Running", [RUNNING, CRASHED]), facts: NONE, want: "Failing" },
  { name: "an updated Pod", live: pod("Running", [RUNNING]), facts: UPDATED, want: "Updating" },
  { name: "a created Pod", live: pod("Pending"), facts: CREATED, want: "Creating" },
  { name: "a Pod that is no longer ready", live: pod("Running"), facts: { ...NONE, previous: "Healthy" }, want: "Creating" },
  {
    name: "a Pod that is being deleted, whose container was killed,",
    live: pod("Running", [CRASHED], "False", { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    facts: { ...NONE, previous: "Updating" },
    want: "Updating",
  },
  { name: "a complete Job", live: job({ conditions: [condition("Complete", "True")], active: 1 }), facts: NONE, want: "Completed" },
  { name: "a failed Job", live: job({ conditions: [condition("Failed", "True")], active: 1 }), facts: NONE, want: "TaskFailing" },
  { name: "a Job with a pod", live: job({ startTime: "2026-01-01T00:00:00Z", active: 1 }), facts: CREATED, want: "TaskRunning" },
  { name: "a Job without a pod", live: job({ startTime: "2026-01-01T00:00:00Z" }), facts: CREATED, want: "TaskPending" },
  { name: "a Job without a status", live: job({}), facts: NONE, want: "TaskPending" },
  { name: "a CronJob that never ran", live: cronJob({}), facts: CREATED, want: "Operational" },
  { name: "a suspended CronJob", live: cronJob({ suspend: true }), facts: NONE, want: "Operational" },
  { name: "a Service of type LoadBalancer with an IP", live: service("LoadBalancer", ADDRESS), facts: NONE, want: "Operational" },
  { name: "a Service of type LoadBalancer with a host", live: service("LoadBalancer", HOST), facts: NONE, want: "Operational" },
  { name: "a Service of type LoadBalancer without address", live: service("LoadBalancer"), facts: NONE, want: "OperationPending" },
  { name: "a Service of type ClusterIP", live: service("ClusterIP"), facts: CREATED, want: "Operational" },
  { name: "an Ingress with an address", live: ingress(ADDRESS), facts: NONE, want: "Operational" },
  { name: "an Ingress without address", live: ingress({}), facts: NONE, want: "OperationPending" },
  {
    name: "a HorizontalPodAutoscaler that is not able to scale, but active,",
    live: scaler(condition("ScalingActive", "True"), condition("AbleToScale", "False")),
    facts: NONE,
    want: "OperationFailing",
  },
  { name: "an active HorizontalPodAutoscaler", live: scaler(condition("ScalingActive", "True")), facts: NONE, want: "Operational" },
  { name: "an inactive HorizontalPodAutoscaler", live: scaler(condition("ScalingActive", "False")), facts: NONE, want: "OperationFailing" },
  {
    name: "a HorizontalPodAutoscaler of unknown activity",
    live: scaler(condition("ScalingActive", "Unknown")),
    facts: NONE,
    want: "OperationPending",
  },
  { name: "a HorizontalPodAutoscaler without conditions", live: scaler(), facts: NONE, want: "OperationPending" },
  {
    name: "a HorizontalPodAutoscaler whose target has 0 replicas",
    live: scaler(condition("ScalingActive", "False", "ScalingDisabled")),
    facts: NONE,
    want: "Operational",
  },
  { name: "a bound PersistentVolumeClaim", live: claim("Bound"), facts: NONE, want: "Operational" },
  { name: "a lost PersistentVolumeClaim", live: claim("Lost"), facts: NONE, want: "OperationFailing" },
  { name: "a pending PersistentVolumeClaim", live: claim("Pending"), facts: NONE, want: "OperationPending" },
  { name: "an available PersistentVolume", live: volume("Available"), facts: NONE, want: "Operational" },
  { name: "a bound PersistentVolume", live: volume("Bound"), facts: NONE, want: "Operational" },
  { name: "a released PersistentVolume", live: volume("Released"), facts: NONE, want: "OperationFailing" },
  { name: "a failed PersistentVolume", live: volume("Failed"), facts: NONE, want: "OperationFailing" },
  { name: "a pending PersistentVolume", live: volume("Pending"), facts: NONE, want: "OperationPending" },
  { name: "an active Namespace", live: object(kinds.Namespace, {}, { phase: "Active" }), facts: NONE, want: "Operational" },
  {
    name: "a Namespace that terminates",
    live: object(kinds.Namespace, {}, { phase: "Terminating" }),
    facts: NONE,
    want: "OperationPending",
  },
  {
    name: "an established CustomResourceDefinition",
    live: object(
      kinds.CustomResourceDefinition,
      {},
      { conditions: [condition("NamesAccepted", "True"), condition("Established", "True")] },
    ),
    facts: NONE,
    want: "Operational",
  },
  {
    name: "a new CustomResourceDefinition",
    live: object(kinds.CustomResourceDefinition, {}, {}),
    facts: CREATED,
    want: "OperationPending",
  },
  {
    name: "a CustomResourceDefinition whose names are taken",
    live: object(kinds.CustomResourceDefinition, {}, { conditions: [condition("NamesAccepted", "False")] }),
    facts: NONE,
    want: "OperationFailing",
  },
];
test.for(titled(STATES))("%s is %s", ([, , { live, facts, want }]) => {
  const state = resourceStateOf(recordOf(kindOf(live)), live, { judged: judged(live), isReady: false, isJudgedByAuthor: false, facts });
  expect(state.reason).toBe(want);
});

const GRADES: readonly Row<{ readonly want: Grade | undefined }>[] = [
  ...REPLICATED.flatMap((kind): typeof GRADES => [
    { name: `a ${kind.kind} with all replicas ready`, live: replicas(kind, 3, 3), want: "Healthy" },
    {
      name: `a ${kind.kind} with all replicas ready, not all of them available,`,
      live: replicas(kind, 3, 3, { availableReplicas: 1 }),
      want: "Healthy",
    },
    { name: `a ${kind.kind} with one replica of three ready`, live: replicas(kind, 1, 3), want: "Degraded" },
    { name: `a ${kind.kind} with no replica of three ready`, live: replicas(kind, 0, 3), want: "Down" },
    { name: `a ${kind.kind} of one replica by default, which is not ready,`, live: replicas(kind, 0, undefined), want: "Down" },
    { name: `a ${kind.kind} with 0 replicas that has one left`, live: replicas(kind, 1, 0, { replicas: 1 }), want: "Degraded" },
    { name: `a ${kind.kind} with all replicas ready in an older status`, live: replicas(kind, 3, 3, OLD), want: "Degraded" },
    { name: `a ${kind.kind} without a status`, live: object(kind, {}, {}), want: "Down" },
  ]),
  { name: "a DaemonSet without nodes", live: nodes(0, 0), want: "Healthy" },
  { name: "a DaemonSet without nodes that its controller has not seen", live: nodes(0, 0, 1), want: "Degraded" },
  { name: "a DaemonSet without a status", live: object(kinds.DaemonSet, {}, {}), want: "Degraded" },
  { name: "a DaemonSet that is ready on all nodes", live: nodes(3, 3), want: "Healthy" },
  { name: "a DaemonSet that is ready on one node of three", live: nodes(1, 3), want: "Degraded" },
  { name: "a DaemonSet that is ready on no node", live: nodes(0, 3), want: "Down" },
  { name: "a ready Pod", live: pod("Running", [RUNNING], "True"), want: "Healthy" },
  { name: "a Pod that runs and is not ready", live: pod("Running"), want: "Degraded" },
  { name: "a pending Pod", live: pod("Pending"), want: "Down" },
  { name: "a failed Pod", live: pod("Failed"), want: "Down" },
  { name: "a CronJob", live: cronJob({}), want: "Healthy" },
  { name: "a Service of type LoadBalancer without address", live: service("LoadBalancer"), want: "Degraded" },
  { name: "a Service of type LoadBalancer with an address", live: service("LoadBalancer", ADDRESS), want: "Healthy" },
  { name: "a Service of type ClusterIP", live: service("ClusterIP"), want: "Healthy" },
  { name: "an Ingress with an address", live: ingress(ADDRESS), want: "Healthy" },
  { name: "an Ingress without address", live: ingress({}), want: "Degraded" },
  { name: "an active HorizontalPodAutoscaler", live: scaler(condition("ScalingActive", "True")), want: "Healthy" },
  { name: "an inactive HorizontalPodAutoscaler", live: scaler(condition("ScalingActive", "False")), want: "Down" },
  { name: "a HorizontalPodAutoscaler that is not able to scale", live: scaler(condition("AbleToScale", "False")), want: "Down" },
  { name: "a HorizontalPodAutoscaler without conditions", live: scaler(), want: "Degraded" },
  { name: "a bound PersistentVolumeClaim", live: claim("Bound"), want: "Healthy" },
  { name: "a lost PersistentVolumeClaim", live: claim("Lost"), want: "Down" },
  { name: "a pending PersistentVolumeClaim", live: claim("Pending"), want: "Degraded" },
  { name: "a bound PersistentVolume", live: volume("Bound"), want: "Healthy" },
  { name: "a released PersistentVolume", live: volume("Released"), want: "Down" },
  { name: "a failed PersistentVolume", live: volume("Failed"), want: "Down" },
  { name: "a pending PersistentVolume", live: volume("Pending"), want: "Degraded" },
  { name: "a Job", live: job({}), want: undefined },
  { name: "a Namespace", live: object(kinds.Namespace, {}, {}), want: undefined },
  { name: "a CustomResourceDefinition", live: object(kinds.CustomResourceDefinition, {}, {}), want: undefined },
];
test.for(titled(GRADES))("the grade of %s is %s", ([, , { live, want }]) => {
  expect(gradeOf(recordOf(kindOf(live)), live)).toBe(want);
});

const KEPT = [kinds.Service, kinds.Ingress, kinds.HorizontalPodAutoscaler, kinds.PersistentVolumeClaim, kinds.PersistentVolume];
const SUSPEND: readonly (readonly [Kind, Suspend | undefined])[] = [
  ...REPLICATED.map((kind): (typeof SUSPEND)[number] => [kind, { merge: { spec: { replicas: 0 } } }]),
  [kinds.DaemonSet, { delete: true }],
  [kinds.Pod, { delete: true }],
  [kinds.Job, { merge: { spec: { suspend: true } }, delete: true }],
  [kinds.CronJob, { merge: { spec: { suspend: true } } }],
  ...[...KEPT, kinds.Namespace, kinds.CustomResourceDefinition].map((kind): (typeof SUSPEND)[number] => [kind, undefined]),
];
test.for(SUSPEND.map(([kind, suspend]) => [kind.kind, JSON.stringify(suspend) ?? "nothing", { kind, suspend }] as const))(
  "what suspends an object of %s is %s",
  ([, , { kind, suspend }]) => {
    expect(recordOf(kind).suspend).toEqual(suspend);
  },
);

const SUSPENDED: readonly Row<{ readonly want: boolean }>[] = [
  ...REPLICATED.flatMap((kind): typeof SUSPENDED => [
    { name: `a ${kind.kind} with 0 replicas, of which none exists,`, live: replicas(kind, 0, 0), want: true },
    { name: `a ${kind.kind} whose status has no replicas`, live: object(kind, { replicas: 0 }, { observedGeneration: 2 }), want: true },
    { name: `a ${kind.kind} with 0 replicas, of which one exists,`, live: replicas(kind, 0, 0, { replicas: 1 }), want: false },
    { name: `a ${kind.kind} with 0 replicas and an older status`, live: replicas(kind, 0, 0, OLD), want: false },
    { name: `a ${kind.kind} with 0 replicas and no status`, live: object(kind, { replicas: 0 }, {}), want: false },
    { name: `a ${kind.kind} with one replica, of which none exists,`, live: replicas(kind, 0, 1, { replicas: 0 }), want: false },
    { name: `a ${kind.kind} of one replica by default`, live: replicas(kind, 0, undefined, { replicas: 0 }), want: false },
  ]),
  { name: "a DaemonSet", live: nodes(3, 3), want: true },
  { name: "a Pod", live: pod("Running"), want: true },
  { name: "a Job with suspend and no pod", live: job({}, { suspend: true }), want: true },
  { name: "a Job with suspend and a pod", live: job({ active: 1 }, { suspend: true }), want: false },
  { name: "a Job without suspend", live: job({}), want: false },
  { name: "a CronJob with suspend and no Job", live: cronJob({ suspend: true }), want: true },
  { name: "a CronJob with suspend and a Job", live: cronJob({ suspend: true }, { active: [{ name: "a" }] }), want: false },
  { name: "a CronJob without suspend", live: cronJob({}), want: false },
];
test.for(titled(SUSPENDED))("%s counts as suspended: %s", ([, , { live, want }]) => {
  expect(isSuspended(recordOf(kindOf(live)), live)).toBe(want);
});
