/** The ReplicaSet controller: keeps as many pods of the template as the spec says, and reports their numbers in the status. */
import { formatTime, jsonEqual } from "@treadle/apimachinery";
import { Pod, ReplicaSet } from "@treadle/apimachinery/kinds";
import { adoptersIn, claim, controllerReference } from "./adoption.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { RefusedError } from "./writer.ts";
import { controllerOf, controllersIn } from "./objects.ts";
import { podControl } from "./pod-events.ts";
import { availableAfterMs, byWorth, isActive, isReady } from "./pods.ts";

export function replicaSets({ clock, objects, events, as }: Context): Controller {
  const write = as("replicaset-controller");
  const control = podControl(write, events.recorder("replicaset-controller"), ReplicaSet);
  const adopters = adoptersIn((namespace) => objects.list(ReplicaSet, namespace));
  const owners = controllersIn(ReplicaSet);
  return {
    name: "replicaset-controller",
    kind: ReplicaSet,
    watches: [watch(Pod, (pod, previous) => [...owners(pod, previous), ...adopters(pod)])],
    async sync(key) {
      const found = objects.get(ReplicaSet, key);
      if (found?.spec === undefined) return undefined;
      const pods = await claim(objects, write, {
        as: ReplicaSet,
        owner: found,
        selector: found.spec.selector,
        kind: Pod,
        isAdoptable: isActive,
      });
      let refused: Failure | undefined;
      try {
        if (found.metadata.deletionTimestamp === undefined) await scale(found, pods.filter(isActive));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        refused = error;
      }
      const set = objects.get(ReplicaSet, key);
      if (set === undefined || set.metadata.uid !== found.metadata.uid) return undefined;
      const dueMs = await tell(set, refused);
      // Retried later, as each refusal of the server.
      if (refused !== undefined) throw refused.cause;
      return dueMs;
    },
  };

  async function scale(set: ReplicaSet, pods: readonly Pod[]): Promise<void> {
    const missing = (set.spec?.replicas ?? 1) - pods.length;
    if (missing > 0 && (set.spec?.replicas ?? 1) > MAX_REPLICAS)
      throw new Error(
        `spec.replicas is ${set.spec?.replicas}, and the simulation supports at most ${MAX_REPLICAS} pods of one ReplicaSet: scale it down`,
      );
    if (missing > 0) await create(set, missing);
    else if (missing < 0) await remove(set, pods, -missing);
  }

  async function create(set: ReplicaSet, count: number): Promise<void> {
    const { metadata = {}, spec } = set.spec?.template ?? {};
    const { labels, annotations, finalizers } = metadata;
    const generateName = `${set.metadata.name}-`;
    const draft = {
      metadata: { generateName, labels, annotations, finalizers, ownerReferences: [controllerReference(ReplicaSet, set)] },
      spec,
    };
    for (let made = 0; made < Math.min(count, BURST); made++) {
      await control.create(set, draft).catch((cause: unknown) => fail("FailedCreate", cause));
    }
  }

  async function remove(set: ReplicaSet, pods: readonly Pod[], count: number): Promise<void> {
    const order = byWorth(ranksOf(set, pods));
    for (const pod of pods.toSorted(order).slice(0, count)) {
      await control.delete(set, pod).catch((cause: unknown) => fail("FailedDelete", cause));
    }
  }

  /** Returns for each pod the number of pods of this set and its siblings on the same node. */
  function ranksOf(set: ReplicaSet, pods: readonly Pod[]): ReadonlyMap<Pod, number> {
    const owner = controllerOf(set);
    const siblings =
      owner === undefined ? [set] : objects.list(ReplicaSet, set.metadata.namespace).filter((one) => controllerOf(one)?.uid === owner.uid);
    const counts = new Map<string, number>();
    for (const sibling of siblings) {
      for (const pod of objects.controlled(Pod, sibling))
        if (isActive(pod) && pod.spec?.nodeName) counts.set(pod.spec.nodeName, (counts.get(pod.spec.nodeName) ?? 0) + 1);
    }
    return new Map(pods.map((pod) => [pod, counts.get(pod.spec?.nodeName ?? "") ?? 0]));
  }

  /** Writes the status if it differs. Returns when a pod becomes available without a change. */
  async function tell(set: ReplicaSet, refused: Failure | undefined): Promise<number | undefined> {
    const nowMs = clock.now();
    const own = objects.controlled(Pod, set);
    const pods = own.filter(isActive);
    const waits = pods.map((pod) => availableAfterMs(pod, set.spec?.minReadySeconds ?? 0, nowMs));
    const labels = Object.entries(set.spec?.template?.metadata?.labels ?? {});
    const conditions = conditionsOf(set, refused, formatTime(nowMs));
    const status = {
      availableReplicas: nonZero(waits.filter((ms) => ms === 0).length),
      conditions: conditions.length === 0 ? undefined : conditions,
      fullyLabeledReplicas: nonZero(
        pods.filter(({ metadata }) => labels.every(([label, value]) => metadata.labels?.[label] === value)).length,
      ),
      observedGeneration: set.metadata.generation,
      readyReplicas: nonZero(pods.filter(isReady).length),
      replicas: pods.length,
      terminatingReplicas: own.filter(
        ({ metadata, status: { phase } = {} }) => metadata.deletionTimestamp !== undefined && phase !== "Succeeded" && phase !== "Failed",
      ).length,
    };
    const wanted = JSON.parse(JSON.stringify(status)) as ReplicaSet["status"]; // without what is undefined
    if (!jsonEqual(wanted, set.status)) await write.updateStatus(ReplicaSet, { ...set, status: wanted } as ReplicaSet);
    const due = waits.filter((ms) => ms !== undefined && ms > 0) as number[];
    return due.length === 0 ? undefined : Math.min(...due);
  }
}

/** Maximum number of pods that one sync creates, as in the real controller. */
const BURST = 500;

/** A refused create or delete of a pod. */
class Failure extends Error {
  readonly reason: string;
  override readonly cause: RefusedError;

  constructor(reason: string, cause: RefusedError) {
    super(cause.message, { cause });
    this.reason = reason;
    this.cause = cause;
  }
}

function fail(reason: string, cause: unknown): never {
  throw cause instanceof RefusedError ? new Failure(reason, cause) : cause;
}

type Conditions = NonNullable<NonNullable<ReplicaSet["status"]>["conditions"]>;

function conditionsOf({ status }: ReplicaSet, refused: Failure | undefined, now: string): Conditions {
  const before = status?.conditions ?? [];
  const others = before.filter(({ type }) => type !== "ReplicaFailure");
  if (refused === undefined) return others;
  const { reason, message } = refused;
  const old = before.find(({ type }) => type === "ReplicaFailure");
  if (old?.reason === reason) return before;
  return [...others, { type: "ReplicaFailure", status: "True", reason, message, lastTransitionTime: now }];
}

/** Returns `undefined` for zero, which Go omits. */
function nonZero(count: number): number | undefined {
  return count === 0 ? undefined : count;
}

/** Maximum number of replicas. More would take minutes, or all memory, before `server.settled()` could report it. */
const MAX_REPLICAS = 20_000;
