/** The disruption controller: how many pods of a PodDisruptionBudget may be disrupted. */
import { formatTime, jsonEqual, type KubernetesObject, type LabelSelector, keyOf, matchesLabels } from "@treadle/apimachinery";
import { Deployment, Pod, PodDisruptionBudget, ReplicaSet, ReplicationController, StatefulSet } from "@treadle/apimachinery/kinds";
import { type Context, type Controller, watch } from "./controller.ts";
import { controllerOf } from "./objects.ts";
import { isReady } from "./pods.ts";

type Status = NonNullable<PodDisruptionBudget["status"]>;

export function disruptionBudgets({ clock, objects, as }: Context): Controller {
  const write = as("disruption-controller");
  const inNamespaceOf = ({ metadata }: KubernetesObject): readonly string[] =>
    objects.list(PodDisruptionBudget, metadata.namespace ?? "").map((budget) => keyOf(budget.metadata));
  return {
    name: "disruption",
    kind: PodDisruptionBudget,
    watches: [
      watch(Pod, inNamespaceOf),
      watch(ReplicaSet, inNamespaceOf),
      watch(Deployment, inNamespaceOf),
      watch(StatefulSet, inNamespaceOf),
      watch(ReplicationController, inNamespaceOf),
    ],
    async sync(key) {
      const budget = objects.get(PodDisruptionBudget, key);
      if (budget?.spec === undefined || budget.metadata.deletionTimestamp !== undefined) return undefined;
      const status = statusOf(budget, podsOf(budget));
      if (!jsonEqual(status, budget.status)) await write.updateStatus(PodDisruptionBudget, { ...budget, status } as PodDisruptionBudget);
      const ends = Object.values(status.disruptedPods ?? {}).map((time) => Date.parse(time) + EVICTION_MS - clock.now());
      return ends.length === 0 ? undefined : Math.min(...ends);
    },
  };

  function podsOf({ metadata, spec }: PodDisruptionBudget): readonly Pod[] {
    const { selector } = spec ?? {};
    if (selector === undefined) return [];
    return objects.list(Pod, metadata.namespace).filter(({ metadata: { labels }, status }) => {
      const hasEnded = status?.phase === "Succeeded" || status?.phase === "Failed";
      return !hasEnded && matchesLabels(selector as LabelSelector, labels);
    });
  }

  function statusOf(budget: PodDisruptionBudget, pods: readonly Pod[]): Status {
    const { expectedPods, desiredHealthy } = numbersOf(budget, pods);
    const disruptedPods = stillGoing(budget, pods, clock.now());
    const isCounted = ({ metadata }: Pod): boolean =>
      metadata.deletionTimestamp === undefined && disruptedPods[metadata.name] === undefined;
    const healthy = pods.filter((pod) => isCounted(pod) && isReady(pod)).length;
    const disruptionsAllowed = expectedPods > 0 ? Math.max(0, healthy - desiredHealthy) : 0;
    const { conditions = [] } = budget.status ?? {};
    const status = {
      ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
      conditions: withAllowed(conditions, disruptionsAllowed > 0, budget.metadata.generation, formatTime(clock.now())),
      currentHealthy: healthy,
      desiredHealthy,
      disruptionsAllowed,
      expectedPods,
      observedGeneration: budget.metadata.generation,
    };
    return JSON.parse(JSON.stringify(status)) as Status; // without what is undefined
  }

  /**
   * Returns the desired and the expected number of healthy pods. A number counts existing pods; a percentage, and
   * `maxUnavailable`, count the replicas of the owners.
   */
  function numbersOf(
    { spec }: PodDisruptionBudget,
    pods: readonly Pod[],
  ): { readonly expectedPods: number; readonly desiredHealthy: number } {
    const { minAvailable, maxUnavailable } = spec ?? {};
    if (maxUnavailable !== undefined) {
      const expectedPods = expected(pods);
      return { expectedPods, desiredHealthy: Math.max(0, expectedPods - share(maxUnavailable, expectedPods)) };
    }
    if (typeof minAvailable === "number") return { expectedPods: pods.length, desiredHealthy: minAvailable };
    const expectedPods = expected(pods);
    return { expectedPods, desiredHealthy: share(minAvailable ?? 0, expectedPods) };
  }

  /** Returns the number of replicas that the owners of the pods have in their specs. */
  function expected(pods: readonly Pod[]): number {
    const counts = new Map<string, number>();
    for (const pod of pods) {
      const owner = scaleOf(pod);
      if (owner !== undefined) counts.set(owner.metadata.uid ?? "", owner.spec?.replicas ?? 1);
    }
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  }

  function scaleOf(pod: Pod): Deployment | ReplicaSet | ReplicationController | StatefulSet | undefined {
    const owner = controllerOf(pod);
    const key = `${pod.metadata.namespace}/${owner?.name}`;
    if (owner?.kind === StatefulSet.kind) return objects.get(StatefulSet, key);
    if (owner?.kind === ReplicationController.kind) return objects.get(ReplicationController, key);
    const set = owner?.kind === ReplicaSet.kind ? objects.get(ReplicaSet, key) : undefined;
    const above = set === undefined ? undefined : controllerOf(set);
    return above?.kind === Deployment.kind ? objects.get(Deployment, `${pod.metadata.namespace}/${above.name}`) : set;
  }
}

/** kube-controller-manager's `DeletionTimeout`, in milliseconds: the time after which an eviction without effect is forgotten. */
const EVICTION_MS = 120_000;

/** Returns evicted pods that are not being deleted yet. */
function stillGoing({ status }: PodDisruptionBudget, pods: readonly Pod[], nowMs: number): Readonly<Record<string, unknown>> {
  const entries = Object.entries(status?.disruptedPods ?? {}).filter(([name, time]) => {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined && Date.parse(time) + EVICTION_MS > nowMs;
  });
  return Object.fromEntries(entries);
}

function share(value: unknown, total: number): number {
  const text = String(value);
  const count = text.endsWith("%") ? Math.ceil((Number(text.slice(0, -1)) * total) / 100) : Number(text);
  return Number.isFinite(count) ? count : 0;
}

type Conditions = NonNullable<Status["conditions"]>;

function withAllowed(conditions: Conditions, isAllowed: boolean, observedGeneration: number | undefined, now: string): readonly object[] {
  const before = conditions.find(({ type }) => type === "DisruptionAllowed");
  const status = isAllowed ? "True" : "False";
  const condition = {
    type: "DisruptionAllowed",
    status,
    reason: isAllowed ? "SufficientPods" : "InsufficientPods",
    message: "",
    observedGeneration,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : now,
  };
  return [...conditions.filter((one) => one !== before), condition];
}
