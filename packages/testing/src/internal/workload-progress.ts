/** Whether the controllers of a real cluster have finished its workloads. In memory the simulation reports that itself. */
import { type Kind, keyOf, type KubernetesObject } from "@treadle/apimachinery";
import { CronJob, DaemonSet, Deployment, Job, Pod, ReplicaSet, StatefulSet } from "@treadle/apimachinery/kinds";
import type { SeenKind } from "./cluster-activity.ts";

/** The kinds of workloads. */
export const WORKLOADS: readonly Kind[] = [Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, Pod];

/** Returns the unfinished workloads, e.g. `Deployment default/web`. A rollout past its deadline is finished, as is a pod that never becomes ready. */
export function workloadsInProgress(seen: readonly SeenKind[]): readonly string[] {
  return seen.flatMap(({ kind, objects }) => {
    const isSettled = SETTLED.get(kind.kind);
    if (isSettled === undefined || !WORKLOADS.includes(kind)) return [];
    const unsettled = [...objects].filter((object) => !isSettled(object as never)); // The object is of this kind.
    return unsettled.map(({ metadata }) => `${kind.kind} ${keyOf(metadata)}`);
  });
}

const SETTLED: ReadonlyMap<string, (object: never) => boolean> = new Map<string, (object: never) => boolean>([
  [Deployment.kind, isDeploymentSettled],
  [ReplicaSet.kind, ({ metadata, spec, status }: ReplicaSet) => isSeen(metadata, status) && status?.replicas === (spec?.replicas ?? 1)],
  [
    StatefulSet.kind,
    ({ metadata, spec, status }: StatefulSet) =>
      isSeen(metadata, status) && status?.replicas === (spec?.replicas ?? 1) && (status?.readyReplicas ?? 0) === status?.replicas,
  ],
  [DaemonSet.kind, ({ metadata, status }: DaemonSet) => isSeen(metadata, status) && status?.numberReady === status?.desiredNumberScheduled],
  [Job.kind, ({ status }: Job) => (status?.conditions ?? []).some(({ type, status: is }) => is === "True" && ENDS.has(type))],
  [Pod.kind, ({ status }: Pod) => status?.phase !== undefined && status.phase !== "Pending"],
]);

const ENDS: ReadonlySet<string> = new Set(["Complete", "Failed", "Suspended"]);

function isDeploymentSettled({ metadata, spec, status }: Deployment): boolean {
  if (!isSeen(metadata, status)) return false;
  const isOver = status?.conditions?.some(({ type, reason }) => type === "Progressing" && reason === "ProgressDeadlineExceeded") === true;
  if (spec?.paused === true || isOver) return true;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, terminatingReplicas = 0 } = status ?? {};
  return terminatingReplicas === 0 && [replicas, updatedReplicas, availableReplicas].every((count) => count === (spec?.replicas ?? 1));
}

function isSeen({ generation }: KubernetesObject["metadata"], status: { readonly observedGeneration?: number } | undefined): boolean {
  return status?.observedGeneration !== undefined && status.observedGeneration >= (generation ?? 0);
}
