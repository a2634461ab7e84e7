/** The status of a Deployment, computed from its ReplicaSets. Pure; absent fields are `undefined`. */
import { formatTime } from "@treadle/apimachinery";
import type { Deployment, ReplicaSet } from "@treadle/apimachinery/kinds";
import { actual, bounds, replicasOf } from "./replica-counts.ts";
import type { Revisions } from "./rollout.ts";

export type DeploymentStatus = NonNullable<Deployment["status"]>;
export type DeploymentCondition = NonNullable<DeploymentStatus["conditions"]>[number];

/** A condition without its times. */
export interface Finding {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Sets a condition. It keeps its place when status and reason are unchanged, and moves to the end otherwise. */
export function withCondition(conditions: readonly DeploymentCondition[], finding: Finding, nowMs: number): readonly DeploymentCondition[] {
  const before = conditions.find(({ type }) => type === finding.type);
  if (before?.status === finding.status && before.reason === finding.reason) return conditions;
  return renewed(conditions, finding, nowMs);
}

/** As {@link withCondition}, but the condition counts as changed. */
function renewed(conditions: readonly DeploymentCondition[], finding: Finding, nowMs: number): readonly DeploymentCondition[] {
  const before = conditions.find(({ type }) => type === finding.type);
  const now = formatTime(nowMs);
  const { lastTransitionTime = now } = before?.status === finding.status ? before : {};
  return [...without(conditions, finding.type), { ...finding, lastUpdateTime: now, lastTransitionTime }];
}

function without(conditions: readonly DeploymentCondition[], type: string): readonly DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function progressing({ status }: Deployment): DeploymentCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Progressing");
}

/** Reports whether the Deployment has a deadline. The maximum number means that there is none. */
export function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;
}

/** Returns the counts and the condition Available. */
export function countedStatus(deployment: Deployment, { current, old }: Revisions, nowMs: number): DeploymentStatus {
  const all = [...old, ...(current === undefined ? [] : [current])];
  const available = actual(all, "availableReplicas");
  const total = all.reduce((sum, set) => sum + replicasOf(set), 0);
  const isAvailable = available >= replicasOf(deployment) - bounds(deployment).maxUnavailable;
  const finding = {
    type: "Available",
    status: isAvailable ? "True" : "False",
    reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: isAvailable ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
  };
  const status = {
    availableReplicas: nonZero(available),
    collisionCount: deployment.status?.collisionCount,
    conditions: withCondition(deployment.status?.conditions ?? [], finding, nowMs),
    observedGeneration: deployment.metadata.generation,
    readyReplicas: nonZero(actual(all, "readyReplicas")),
    replicas: nonZero(actual(all, "replicas")),
    terminatingReplicas: actual(all, "terminatingReplicas"),
    unavailableReplicas: nonZero(Math.max(0, total - available)),
    updatedReplicas: nonZero(current?.status?.replicas ?? 0),
  };
  return JSON.parse(JSON.stringify(status)) as DeploymentStatus; // without what is undefined
}

/** Returns {@link countedStatus} and the condition Progressing. */
export function rolloutStatus(deployment: Deployment, revisions: Revisions, nowMs: number): DeploymentStatus {
  const counted = countedStatus(deployment, revisions, nowMs);
  const { current, old } = revisions;
  let conditions = counted.conditions ?? [];
  const before = progressing(deployment);
  const isAtEnd = counted.replicas === counted.updatedReplicas && before?.reason === "NewReplicaSetAvailable";
  if (!hasDeadline(deployment)) conditions = without(conditions, "Progressing");
  else if (!isAtEnd) {
    const what = current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
    const finding = (status: string, reason: string, text: string): Finding => ({
      type: "Progressing",
      status,
      reason,
      message: `${what} ${text}`,
    });
    if (isComplete(deployment, counted))
      conditions = withCondition(conditions, finding("True", "NewReplicaSetAvailable", "has successfully progressed."), nowMs);
    else if (hasProgressed(deployment, counted))
      conditions = renewed(conditions, finding("True", "ReplicaSetUpdated", "is progressing."), nowMs);
    else if (hasTimedOut(deployment, nowMs))
      conditions = withCondition(conditions, finding("False", "ProgressDeadlineExceeded", "has timed out progressing."), nowMs);
  }
  const failure = failureOf(current === undefined ? old : [current, ...old]);
  conditions = failure === undefined ? without(conditions, "ReplicaFailure") : withCondition(conditions, failure, nowMs);
  return { ...counted, conditions };
}

/** Returns the end of the running deadline, in milliseconds of the clock. */
export function deadlineMs(deployment: Deployment, status: DeploymentStatus): number | undefined {
  const condition = status.conditions?.find(({ type }) => type === "Progressing");
  if (!hasDeadline(deployment) || condition === undefined || isComplete(deployment, status)) return undefined;
  if (condition.reason === "ProgressDeadlineExceeded" || condition.reason === "NewReplicaSetAvailable") return undefined;
  return Date.parse(condition.lastUpdateTime ?? "") + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** Reports whether all pods have the current template and are available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  return (
    [updatedReplicas, replicas, availableReplicas].every((count) => count === wanted) &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed({ status: before = {} }: Deployment, now: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function hasTimedOut(deployment: Deployment, nowMs: number): boolean {
  const condition = progressing(deployment);
  if (condition === undefined || condition.reason === "NewReplicaSetAvailable") return false;
  if (condition.reason === "ProgressDeadlineExceeded") return true;
  return nowMs > Date.parse(condition.lastUpdateTime ?? "") + (deployment.spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** Returns the condition ReplicaFailure of the newest set that has it. */
function failureOf(sets: readonly ReplicaSet[]): Finding | undefined {
  for (const { status } of sets) {
    const found = status?.conditions?.find(({ type }) => type === "ReplicaFailure");
    if (found !== undefined) return { type: found.type, status: found.status, reason: found.reason ?? "", message: found.message ?? "" };
  }
  return undefined;
}

function nonZero(count: number): number | undefined {
  return count === 0 ? undefined : count;
}
