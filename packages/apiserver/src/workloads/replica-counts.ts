/** Counts of a Deployment and its ReplicaSets. Pure. */
import type { Deployment, ReplicaSet } from "@treadle/apimachinery/kinds";

export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";

export function replicasOf({ spec }: Deployment | ReplicaSet): number {
  return spec?.replicas ?? 1;
}

export function totalReplicas(sets: readonly ReplicaSet[]): number {
  return sum(sets.map(replicasOf));
}

type Count = "replicas" | "readyReplicas" | "availableReplicas" | "terminatingReplicas";

/** Adds up a count of the status of some sets. */
export function actual(sets: readonly ReplicaSet[], count: Count): number {
  return sum(sets.map(({ status }) => status?.[count] ?? 0));
}

/** Returns how many pods may exist in addition to the desired ones, and how many of these may be unavailable. */
export function bounds(deployment: Deployment): { readonly maxSurge: number; readonly maxUnavailable: number } {
  const { type, rollingUpdate = {} } = deployment.spec?.strategy ?? {};
  const replicas = replicasOf(deployment);
  if (type === "Recreate" || replicas === 0) return { maxSurge: 0, maxUnavailable: 0 };
  const surge = resolve(rollingUpdate.maxSurge ?? "25%", replicas, Math.ceil);
  const unavailable = resolve(rollingUpdate.maxUnavailable ?? "25%", replicas, Math.floor);
  // If both were zero, no pod could ever be replaced.
  return { maxSurge: surge, maxUnavailable: Math.min(surge + unavailable === 0 ? 1 : unavailable, replicas) };
}

/** Returns a number, or a percentage of `total`. */
export function resolve(value: unknown, total: number, round: (share: number) => number): number {
  const text = String(value);
  const count = text.endsWith("%") ? round((Number(text.slice(0, -1)) * total) / 100) : Number(text);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** Returns the number in an annotation. */
export function annotated({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [of, than] = [a, b].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ""));
  if (of !== than) return (of ?? 0) - (than ?? 0);
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
