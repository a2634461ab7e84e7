/** The status that the controllers of a cluster give an object which is ready: for tests without such controllers. Pure. */
import { formatTime, groupOf, type KubernetesObject } from "@treadle/apimachinery";

/** Options of {@link readyStatus}. */
export interface ReadyStatusOptions {
  /** Time of the conditions, in milliseconds since the epoch. @defaultValue 0 */
  readonly nowMs?: number;
}

/**
 * Returns the status with which the object is ready: all replicas are available, a Job is complete, a claim is bound, a load
 * balancer has an address. A kind without such a rule gets its generation as observed and the condition Ready; the rest of its
 * status stays. `health()` of the object with this status is `Ready`.
 */
export function readyStatus(object: KubernetesObject, options: ReadyStatusOptions = {}): Readonly<Record<string, unknown>> {
  const { nowMs = 0 } = options;
  const subject = { object, spec: partOf(object, "spec"), time: formatTime(nowMs) };
  const status = partOf(object, "status");
  const rule = RULES.get(`${groupOf(object.apiVersion)}/${object.kind}`);
  if (rule !== undefined) return { ...status, ...rule(subject) };
  const { conditions = [], ...rest } = status as { readonly conditions?: readonly { readonly type: string }[] };
  const others = conditions.filter(({ type }) => !["Ready", "Reconciling", "Stalled"].includes(type));
  const generation = object.metadata.generation;
  const ready = { ...condition("Ready", "Ready", subject.time), ...(generation === undefined ? {} : { observedGeneration: generation }) };
  return { ...rest, ...("observedGeneration" in rest ? observed(object) : {}), conditions: [...others, ready] };
}

interface Subject {
  readonly object: KubernetesObject;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly time: string;
}

type Rule = (subject: Subject) => Readonly<Record<string, unknown>>;

/** An address for documentation (RFC 5737): no program must reach it. */
const ADDRESS = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } };

/** By group and kind. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["apps/Deployment", deployment],
  ["apps/StatefulSet", statefulSet],
  ["apps/DaemonSet", daemonSet],
  ["apps/ReplicaSet", replicaSet],
  ["/ReplicationController", replicaSet],
  ["/Pod", pod],
  ["batch/Job", job],
  ["/Service", ({ spec }) => (spec["type"] === "LoadBalancer" ? ADDRESS : { loadBalancer: {} })],
  ["networking.k8s.io/Ingress", () => ADDRESS],
  ["/PersistentVolumeClaim", () => ({ phase: "Bound" })],
  ["/PersistentVolume", () => ({ phase: "Bound" })],
  ["autoscaling/HorizontalPodAutoscaler", autoscaler],
  ["apiregistration.k8s.io/APIService", ({ time }) => ({ conditions: [condition("Available", "Passed", time)] })],
]);

function deployment({ object, spec, time }: Subject): Readonly<Record<string, unknown>> {
  const n = replicasOf(spec);
  const conditions = [condition("Available", "MinimumReplicasAvailable", time), condition("Progressing", "NewReplicaSetAvailable", time)];
  const counts = { replicas: n, updatedReplicas: n, readyReplicas: n, availableReplicas: n, unavailableReplicas: 0 };
  return { ...observed(object), ...counts, conditions };
}

function statefulSet({ object, spec }: Subject): Readonly<Record<string, unknown>> {
  const n = replicasOf(spec);
  const revision = `${object.metadata.name}-1`;
  const revisions = { currentRevision: revision, updateRevision: revision };
  return { ...observed(object), replicas: n, readyReplicas: n, availableReplicas: n, currentReplicas: n, updatedReplicas: n, ...revisions };
}

/** As in a cluster with one node. */
function daemonSet({ object }: Subject): Readonly<Record<string, unknown>> {
  const scheduled = { desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1, numberMisscheduled: 0 };
  return { ...observed(object), ...scheduled, numberAvailable: 1, numberUnavailable: 0, numberReady: 1 };
}

function replicaSet({ object, spec }: Subject): Readonly<Record<string, unknown>> {
  const n = replicasOf(spec);
  return { ...observed(object), replicas: n, fullyLabeledReplicas: n, readyReplicas: n, availableReplicas: n };
}

function pod({ time }: Subject): Readonly<Record<string, unknown>> {
  const conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: time,
  }));
  return { phase: "Running", startTime: time, conditions };
}

function job({ spec, time }: Subject): Readonly<Record<string, unknown>> {
  const succeeded = Number(spec["completions"] ?? spec["parallelism"] ?? 1);
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    ...condition(type, "CompletionsReached", time),
    lastProbeTime: time,
  }));
  return { startTime: time, completionTime: time, active: 0, succeeded, conditions };
}

function autoscaler({ spec, time }: Subject): Readonly<Record<string, unknown>> {
  const replicas = Number(spec["minReplicas"] ?? 1);
  const conditions = [condition("AbleToScale", "ReadyForNewScale", time), condition("ScalingActive", "ValidMetricFound", time)];
  return { currentReplicas: replicas, desiredReplicas: replicas, conditions };
}

function condition(type: string, reason: string, time: string): Readonly<Record<string, string>> & { readonly type: string } {
  return { type, status: "True", reason, message: "", lastTransitionTime: time };
}

function observed({ metadata: { generation } }: KubernetesObject): { readonly observedGeneration?: number } {
  return generation === undefined ? {} : { observedGeneration: generation };
}

function replicasOf(spec: Readonly<Record<string, unknown>>): number {
  return Number(spec["replicas"] ?? 1);
}

function partOf(object: KubernetesObject, name: "spec" | "status"): Readonly<Record<string, unknown>> {
  return ((object as unknown as Readonly<Record<string, unknown>>)[name] ?? {}) as Readonly<Record<string, unknown>>; // The parts of an object are objects.
}
