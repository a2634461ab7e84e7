/**
 * Plans how many replicas each ReplicaSet of a Deployment gets next, by the strategy: one step at a time, as the real
 * controller does. Pure. With an empty plan nothing happens until something changes.
 */
import type { Deployment, ReplicaSet } from "@treadle/apimachinery/kinds";
import { actual, annotated, bounds, byAge, DESIRED_REPLICAS, MAX_REPLICAS, replicasOf, totalReplicas } from "./replica-counts.ts";

export interface Scaling {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

/** The ReplicaSets of a Deployment: that of its template, if it exists, and all others. */
export interface Revisions {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Plans the next step from the old sets to the current one. */
export function planRolling(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): readonly Scaling[] {
  const all = [...old, current];
  const replicas = currentReplicas(deployment, current, all);
  if (replicas !== replicasOf(current)) return [{ set: current, replicas }];
  return scaleDownOld(deployment, current, old.filter(isActive), all);
}

export function planRecreate(old: readonly ReplicaSet[]): readonly Scaling[] {
  return old.filter(isActive).map((set) => ({ set, replicas: 0 }));
}

/** Returns how many replicas the set of the template may have now. */
export function currentReplicas(deployment: Deployment, current: ReplicaSet | undefined, all: readonly ReplicaSet[]): number {
  const wanted = replicasOf(deployment);
  const has = current === undefined ? 0 : replicasOf(current);
  if (has >= wanted || deployment.spec?.strategy?.type === "Recreate") return wanted;
  const room = wanted + bounds(deployment).maxSurge - totalReplicas(all);
  return has + Math.max(0, Math.min(room, wanted - has));
}

/** Plans deletions of old pods: first pods that never became healthy, then healthy ones while enough are available. */
function scaleDownOld(
  deployment: Deployment,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
  all: readonly ReplicaSet[],
): readonly Scaling[] {
  const minAvailable = replicasOf(deployment) - bounds(deployment).maxUnavailable;
  const unavailable = Math.max(0, replicasOf(current) - (current.status?.availableReplicas ?? 0));
  let unhealthyLeft = totalReplicas(all) - minAvailable - unavailable;
  if (totalReplicas(old) === 0 || unhealthyLeft <= 0) return [];
  let healthyLeft = actual(all, "availableReplicas") - minAvailable;
  return old.toSorted(byAge).flatMap((set) => {
    const has = replicasOf(set);
    const available = Math.min(has, set.status?.availableReplicas ?? 0);
    const unhealthy = Math.max(0, Math.min(unhealthyLeft, has - available));
    unhealthyLeft -= unhealthy;
    const healthy = Math.max(0, Math.min(healthyLeft, has - unhealthy));
    healthyLeft -= healthy;
    return unhealthy + healthy === 0 ? [] : [{ set, replicas: has - unhealthy - healthy }];
  });
}

/** Reports whether the number of replicas of the Deployment changed outside of a rollout. */
export function isScaled(deployment: Deployment, { current, old }: Revisions): boolean {
  const active = [...old, ...(current === undefined ? [] : [current])].filter(isActive);
  return active.some((set) => (annotated(set, DESIRED_REPLICAS) ?? replicasOf(deployment)) !== replicasOf(deployment));
}

/** Scales the sets to the new number without continuing the rollout. Each set keeps its share. */
export function planScale(deployment: Deployment, { current, old }: Revisions): readonly Scaling[] {
  const wanted = replicasOf(deployment);
  const active = [...old, ...(current === undefined ? [] : [current])].filter(isActive);
  const latest = active.length > 1 ? undefined : (active[0] ?? current ?? old.toSorted(byAge).at(-1));
  if (latest !== undefined) return [{ set: latest, replicas: wanted }];
  if (isSaturated(deployment, current)) return planRecreate(old);
  return deployment.spec?.strategy?.type === "Recreate" ? [] : proportional(deployment, active);
}

function isSaturated(deployment: Deployment, current: ReplicaSet | undefined): boolean {
  const wanted = replicasOf(deployment);
  return (
    current !== undefined &&
    replicasOf(current) === wanted &&
    annotated(current, DESIRED_REPLICAS) === wanted &&
    current.status?.availableReplicas === wanted
  );
}

function proportional(deployment: Deployment, active: readonly ReplicaSet[]): readonly Scaling[] {
  const wanted = replicasOf(deployment);
  const room = wanted > 0 ? wanted + bounds(deployment).maxSurge : 0;
  const change = room - totalReplicas(active);
  // The largest set first. Among equal ones the newest gets pods first, and the oldest loses them first.
  const sorted = active.toSorted((a, b) => replicasOf(b) - replicasOf(a) || (change > 0 ? byAge(b, a) : byAge(a, b)));
  let given = 0;
  const shares = sorted.map((set) => {
    const share = shareOf(deployment, set, change - given);
    given += share;
    return { set, replicas: replicasOf(set) + share };
  });
  return shares.map(({ set, replicas }, index) => ({ set, replicas: Math.max(0, replicas + (index === 0 ? change - given : 0)) }));
}

/** Returns the part of `left` that a set gets, or loses. */
function shareOf(deployment: Deployment, set: ReplicaSet, left: number): number {
  const has = replicasOf(set);
  if (has === 0 || left === 0) return 0;
  const wanted = replicasOf(deployment);
  const before = annotated(set, MAX_REPLICAS) ?? deployment.status?.replicas ?? 0;
  const now = wanted === 0 || before === 0 ? 0 : Math.round((has * (wanted + bounds(deployment).maxSurge)) / before);
  return left > 0 ? Math.min(now - has, left) : Math.max(now - has, left);
}

function isActive(set: ReplicaSet): boolean {
  return replicasOf(set) > 0;
}
