/**
 * The records of the workloads. Source: the primitives of the operator-component-framework. What differs:
 * - `health()` decides what is ready and what has failed, and not the number of ready replicas alone.
 * - A workload that is ready is graded Healthy, also while another resource of its component converges.
 * - Counts of an older generation do not make a workload Healthy.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import { DaemonSet, Deployment, Pod, ReplicaSet, StatefulSet } from "@treadle/apimachinery/kinds";
import { convergingWord, isStale } from "./converging.ts";
import type { AnyKindRecord, Grade, KindRecord, ResourceState, StateFacts, Suspend } from "./kind-record.ts";

/** The fields that Deployments, StatefulSets and ReplicaSets share. */
interface Replicated extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number; readonly observedGeneration?: number };
}

const NO_REPLICAS: Suspend = { merge: { spec: { replicas: 0 } } };

/** The record of Deployments. */
const deploymentRecord: KindRecord<typeof Deployment> = {
  kind: Deployment,
  category: "workload",
  grace: gradeOfReplicas,
  suspend: NO_REPLICAS,
  isSuspended: hasNoReplicas,
};

/** The record of StatefulSets. */
const statefulSetRecord: KindRecord<typeof StatefulSet> = {
  kind: StatefulSet,
  category: "workload",
  grace: gradeOfReplicas,
  suspend: NO_REPLICAS,
  isSuspended: hasNoReplicas,
};

/** The record of ReplicaSets. */
const replicaSetRecord: KindRecord<typeof ReplicaSet> = {
  kind: ReplicaSet,
  category: "workload",
  grace: gradeOfReplicas,
  suspend: NO_REPLICAS,
  isSuspended: hasNoReplicas,
};

/** The record of DaemonSets. They have no number of replicas that could be 0. */
const daemonSetRecord: KindRecord<typeof DaemonSet> = {
  kind: DaemonSet,
  category: "workload",
  grace: (live) => gradeOfCounts(live, live.status?.numberReady ?? 0, live.status?.desiredNumberScheduled ?? 0),
  suspend: { delete: true },
};

/** The record of Pods without a controller. */
const podRecord: KindRecord<typeof Pod> = {
  kind: Pod,
  category: "workload",
  state: podState,
  grace: (live) => (health(live).type === "Ready" ? "Healthy" : live.status?.phase === "Running" ? "Degraded" : "Down"),
  suspend: { delete: true },
};

/** All records of this file. */
export const workloadRecords: readonly AnyKindRecord[] = [
  deploymentRecord,
  statefulSetRecord,
  replicaSetRecord,
  daemonSetRecord,
  podRecord,
];

function gradeOfReplicas(live: Replicated): Grade {
  return gradeOfCounts(live, live.status?.readyReplicas ?? 0, live.spec?.replicas ?? 1);
}

/** All replicas of a rollout may be ready before it ends: the workload has its full capacity then. */
function gradeOfCounts(live: KubernetesObject, ready: number, desired: number): Grade {
  if (health(live).type === "Ready") return "Healthy";
  if (ready === 0 && desired > 0) return "Down";
  return ready === desired && !isStale(live) ? "Healthy" : "Degraded";
}

/** Returns whether the controller has seen that there are to be no replicas, and removed them. */
function hasNoReplicas({ metadata, spec, status }: Replicated): boolean {
  const isSeen = metadata.generation === undefined || (status?.observedGeneration ?? 0) >= metadata.generation;
  return spec?.replicas === 0 && (status?.replicas ?? 0) === 0 && isSeen;
}

/** A Pod has no replicas, so it is never Scaling; and a container that ended with an error is reported at once. */
function podState(live: Pod, facts: StateFacts): ResourceState {
  const { type, reason, message } = health(live);
  if (type === "Ready") return { reason: "Healthy", message };
  if (type === "Failed") return { reason: "Failing", message };
  // Containers of a Pod that is being deleted are killed.
  const crash = reason === "Deleting" ? undefined : crashOf(live);
  if (crash !== undefined) return { reason: "Failing", message: crash };
  const word = convergingWord(live, facts);
  return { reason: word === "Scaling" ? "Creating" : word, message };
}

function crashOf({ status }: Pod): string | undefined {
  for (const { name, state } of status?.containerStatuses ?? []) {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode !== 0) return `container ${name} ended with exit code ${exitCode}`;
    if (state?.waiting?.reason === "CrashLoopBackOff") return `container ${name}: ${state.waiting.message ?? "CrashLoopBackOff"}`;
  }
  return undefined;
}
