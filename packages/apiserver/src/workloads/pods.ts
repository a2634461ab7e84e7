/** Properties of pods for their controllers. */
import type { Pod } from "@treadle/apimachinery/kinds";
import type { PodCondition } from "./pod-status.ts";

/** Reports whether a pod is neither finished nor being deleted. */
export function isActive({ metadata, status }: Pod): boolean {
  return status?.phase !== "Succeeded" && status?.phase !== "Failed" && metadata.deletionTimestamp === undefined;
}

/** Returns the node of a pod, for a grouping. */
export function nodesOf({ spec }: Pod): readonly string[] {
  return spec?.nodeName ? [spec.nodeName] : [];
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

export function conditionOf({ status }: Pod, type: string): PodCondition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

/** Returns the time until the pod has been ready long enough, in milliseconds. Zero: it is available. `undefined`: it is not ready. */
export function availableAfterMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  const condition = conditionOf(pod, "Ready");
  if (condition?.status !== "True") return undefined;
  if (minReadySeconds === 0) return 0;
  return Math.max(0, Date.parse(condition.lastTransitionTime ?? "") + minReadySeconds * 1000 - nowMs);
}

/** Returns a comparison for deletions: negative when `a` should be deleted before `b` (kube-controller-manager `ActivePodsWithRanks`). */
export function byWorth(ranks: ReadonlyMap<Pod, number>): (a: Pod, b: Pod) => number {
  const worth = (pod: Pod): readonly number[] => {
    const { metadata, spec, status } = pod;
    const readySince = isReady(pod) ? Date.parse(conditionOf(pod, "Ready")?.lastTransitionTime ?? "") : 0;
    return [
      spec?.nodeName ? 1 : 0,
      ["Pending", "Unknown", "Running"].indexOf(status?.phase ?? ""),
      isReady(pod) ? 1 : 0,
      deletionCost(pod),
      -(ranks.get(pod) ?? 0),
      // The pod that became ready last is deleted first.
      -readySince,
      -Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
      -Date.parse(metadata.creationTimestamp ?? ""),
    ];
  };
  return (a, b) => {
    const [of, than] = [worth(a), worth(b)];
    for (const [index, value] of of.entries()) if (value !== than[index]) return value - (than[index] ?? 0);
    return 0;
  };
}

function deletionCost({ metadata }: Pod): number {
  const cost = Number(metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);
  return Number.isSafeInteger(cost) ? cost : 0;
}
