/**
 * The controllers of ReplicaSets and ReplicationControllers: each keeps as many pods of the template as the spec says, and
 * reports their numbers in the status. As in kube-controller-manager, both are one controller.
 */
import { formatTime, jsonEqual } from "@treadle/apimachinery";
import { Pod, ReplicaSet, ReplicationController } from "@treadle/apimachinery/kinds";
import { adoptersIn, claim, controllerReference, type Selector } from "./adoption.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { RefusedError } from "./writer.ts";
import { controllerOf, controllersIn } from "./objects.ts";
import { podControl } from "./pod-events.ts";
import { availableAfterMs, byWorth, isActive, isReady } from "./pods.ts";

export function replicaSets(context: Context): Controller {
  return keepReplicas(context, { name: "replicaset-controller", kind: ReplicaSet });
}

export function replicationControllers(context: Context): Controller {
  return keepReplicas(context, { name: "replication-controller", kind: ReplicationController });
}

/** An object that keeps replicas of a pod. */
type Owner = ReplicaSet | ReplicationController;

interface Form {
  readonly name: string;
  readonly kind: typeof ReplicaSet | typeof ReplicationController;
}

function keepReplicas({ clock, objects, events, as }: Context, { name, kind }: Form): Controller {
  const write = as(name);
  const control = podControl(write, events.recorder(name), kind);
  const adopters = adoptersIn((namespace) =>
    objects.list(kind, namespace).map((owner) => ({ ...owner, spec: { selector: selectorOf(owner) } })),
  );
  const owners = controllersIn(kind);
  const selectorOf = ({ spec }: Owner): Selector =>
    kind === ReplicaSet
      ? ((spec as ReplicaSet["spec"])?.selector ?? {})
      : { matchLabels: (spec as ReplicationController["spec"])?.selector ?? {} };
  return {
    name,
    kind,
    watches: [watch(Pod, (pod, previous) => [...owners(pod, previous), ...adopters(pod)])],
    async sync(key) {
      const found = objects.get(kind, key);
      if (found?.spec === undefined) return undefined;
      const pods = await claim(objects, write, {
        as: kind,
        owner: found,
        selector: selectorOf(found),
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
      const set = objects.get(kind, key);
      if (set === undefined || set.metadata.uid !== found.metadata.uid) return undefined;
      const dueMs = await tell(set, refused);
      // Retried later, as each refusal of the server.
      if (refused !== undefined) throw refused.cause;
      return dueMs;
    },
  };

  async function scale(set: Owner, pods: readonly Pod[]): Promise<void> {
    const missing = (set.spec?.replicas ?? 1) - pods.length;
    if (missing > 0 && (set.spec?.replicas ?? 1) > MAX_REPLICAS)
      throw new Error(
        `spec.replicas is ${set.spec?.replicas}, and the simulation supports at most ${MAX_REPLICAS} pods of one ${kind.kind}: scale it down`,
      );
    if (missing > 0) await create(set, missing);
    else if (missing < 0) await remove(set, pods, -missing);
  }

  async function create(set: Owner, count: number): Promise<void> {
    const { metadata = {}, spec } = set.spec?.template ?? {};
    const { labels, annotations, finalizers } = metadata;
    const generateName = `${set.metadata.name}-`;
    const draft = {
      metadata: { generateName, labels, annotations, finalizers, ownerReferences: [controllerReference(kind, set)] },
      spec,
    };
    for (let made = 0; made < Math.min(count, BURST); made++) {
      await control.create(set, draft).catch((cause: unknown) => fail("FailedCreate", cause));
    }
  }

  async function remove(set: Owner, pods: readonly Pod[], count: number): Promise<void> {
    const order = byWorth(ranksOf(set, pods));
    for (const pod of pods.toSorted(order).slice(0, count)) {
      await control.delete(set, pod).catch((cause: unknown) => fail("FailedDelete", cause));
    }
  }

  /** Returns for each pod the number of pods of this set and its siblings on the same node. */
  function ranksOf(set: Owner, pods: readonly Pod[]): ReadonlyMap<Pod, number> {
    const owner = controllerOf(set);
    const siblings =
      owner === undefined ? [set] : objects.list(kind, set.metadata.namespace).filter((one) => controllerOf(one)?.uid === owner.uid);
    const counts = new Map<string, number>();
    for (const sibling of siblings) {
      for (const pod of objects.controlled(Pod, sibling))
        if (isActive(pod) && pod.spec?.nodeName) counts.set(pod.spec.nodeName, (counts.get(pod.spec.nodeName) ?? 0) + 1);
    }
    return new Map(pods.map((pod) => [pod, counts.get(pod.spec?.nodeName ?? "") ?? 0]));
  }

  /** Writes the status if it differs. Returns when a pod becomes available without a change. */
  async function tell(set: Owner, refused: Failure | undefined): Promise<number | undefined> {
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
      terminatingReplicas: kind === ReplicaSet ? own.filter(isTerminating).length : undefined,
    };
    const wanted = JSON.parse(JSON.stringify(status)) as Owner["status"]; // without what is undefined
    if (!jsonEqual(wanted, set.status)) await write.updateStatus(kind, { ...set, status: wanted } as Owner);
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

function isTerminating({ metadata, status: { phase } = {} }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && phase !== "Succeeded" && phase !== "Failed";
}

type Conditions = NonNullable<NonNullable<Owner["status"]>["conditions"]>;

function conditionsOf({ status }: Owner, refused: Failure | undefined, now: string): Conditions {
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
