/**
 * The StatefulSet controller: pods with stable names, each with its claims. They are created, replaced and deleted in the
 * order of their ordinals, or all at once.
 */
import { jsonEqual } from "@treadle/apimachinery";
import { PersistentVolumeClaim, Pod, StatefulSet } from "@treadle/apimachinery/kinds";
import { adoptersIn, claim } from "./adoption.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { type ControllerRevision, ControllerRevision as RevisionKind, forget, revise, type Revisions } from "./controller-revisions.ts";
import { controllersIn } from "./objects.ts";
import { availableAfterMs, isReady } from "./pods.ts";
import { resolve } from "./replica-counts.ts";
import { statefulControl } from "./stateful-events.ts";
import { claimOwners, claimsOf, isWanted, ordinalOf, podName, podOf, replicasOf, REVISION, startOf } from "./stateful-pods.ts";

type Status = NonNullable<StatefulSet["status"]>;

/** The state of one sync of a set. */
interface Look {
  readonly set: StatefulSet;
  readonly pods: ReadonlyMap<number, Pod>;
  /** Revision of pods below the partition, and revision of the others. */
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly nowMs: number;
}

export function statefulSets({ clock, objects, events, as }: Context): Controller {
  const write = as("statefulset-controller");
  const control = statefulControl(write, events.recorder("statefulset-controller"));
  const owners = controllersIn(StatefulSet);
  const adopters = adoptersIn(() => objects.list(StatefulSet));
  return {
    name: "statefulset-controller",
    kind: StatefulSet,
    watches: [
      watch(Pod, (pod, previous) => [
        ...owners(pod, previous),
        ...adopters(pod).filter((key) => key.startsWith(`${pod.metadata.namespace}/`)),
      ]),
      watch(RevisionKind, (revision, previous) => owners(revision, previous)),
      watch(PersistentVolumeClaim, () => []),
    ],
    async sync(key) {
      const set = objects.get(StatefulSet, key);
      if (set?.spec === undefined || set.metadata.deletionTimestamp !== undefined) return undefined;
      const revisions = await revise(objects, write, { kind: StatefulSet, owner: set, label: "controller.kubernetes.io/hash" });
      const look = await lookAt(set, revisions);
      const isDone = await act(look);
      const after = await lookAt(set, revisions);
      await tell(after);
      const used = new Set([...after.pods.values()].map(({ metadata }) => metadata.labels?.[REVISION]));
      const live = [after.current.metadata.name, after.update.metadata.name];
      await forget(
        write,
        revisions,
        ({ metadata: { name } }) => used.has(name) || live.includes(name),
        set.spec.revisionHistoryLimit ?? 10,
      );
      return isDone ? undefined : nextAvailable(after);
    },
  };

  async function lookAt(set: StatefulSet, { newest, all }: Revisions): Promise<Look> {
    const own = await claim(objects, write, {
      as: StatefulSet,
      owner: set,
      selector: set.spec?.selector ?? {},
      kind: Pod,
      isAdoptable: (pod) => ordinalOf(set, pod) !== undefined,
    });
    const pods = new Map(own.map((pod) => [ordinalOf(set, pod) ?? -1, pod] as const).toSorted(([a], [b]) => a - b));
    const current = all.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? newest;
    return { set, pods, current, update: newest, nowMs: clock.now() };
  }

  /** Does the next step, and reports whether nothing waits for pods. */
  async function act(look: Look): Promise<boolean> {
    const { set, pods } = look;
    const isOrdered = set.spec?.podManagementPolicy !== "Parallel";
    for (const [ordinal, pod] of pods) await own(look, ordinal, pod);
    for (let ordinal = startOf(set); ordinal < startOf(set) + replicasOf(set); ordinal++) {
      const pod = pods.get(ordinal);
      const hasEnded = pod?.status?.phase === "Failed" || pod?.status?.phase === "Succeeded";
      if (pod === undefined) await make(look, ordinal);
      else if (hasEnded && pod.metadata.deletionTimestamp === undefined) await control.delete(set, pod);
      if (isOrdered && (pod === undefined || !isHealthy(look, pod))) return false;
    }
    const condemned = [...pods].filter(([ordinal]) => !isWanted(set, ordinal)).toReversed();
    for (const [, pod] of condemned) {
      if (pod.metadata.deletionTimestamp === undefined) await control.delete(set, pod);
      if (isOrdered) return false;
    }
    return await replace(look);
  }

  /** Deletes pods of old revisions from the last one on, so that they are created again; as many at a time as may be unavailable. */
  async function replace({ set, pods, update, nowMs }: Look): Promise<boolean> {
    const { type, rollingUpdate = {} } = set.spec?.updateStrategy ?? {};
    if (type === "OnDelete") return true;
    const most = Math.max(1, resolve(rollingUpdate.maxUnavailable ?? 1, replicasOf(set), Math.ceil));
    const wanted = [...pods].filter(([ordinal]) => isWanted(set, ordinal)).toReversed();
    let missing = wanted.filter(([, pod]) => !isHealthy({ set, nowMs }, pod)).length;
    for (const [ordinal, pod] of wanted) {
      if (ordinal < startOf(set) + (rollingUpdate.partition ?? 0)) break;
      const isOld = pod.metadata.labels?.[REVISION] !== update.metadata.name;
      const isSick = !isHealthy({ set, nowMs }, pod);
      if (isOld && pod.metadata.deletionTimestamp === undefined && (isSick || missing < most)) {
        await control.delete(set, pod);
        if (!isSick) missing++;
      }
      if (missing >= most) return false;
    }
    return true;
  }

  async function make({ set, current, update }: Look, ordinal: number): Promise<void> {
    for (const draft of claimsOf(set, ordinal)) {
      const key = `${set.metadata.namespace}/${draft.metadata.name}`;
      if (objects.get(PersistentVolumeClaim, key) === undefined) await control.claim(set, podName(set, ordinal), draft);
    }
    const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
    const isOld = type !== "OnDelete" && ordinal < startOf(set) + (rollingUpdate?.partition ?? 0);
    await control.create(set, podName(set, ordinal), podOf(set, ordinal, isOld ? current : update));
  }

  /** Sets the owner of a pod's claims by the retention policy, when the pod is created or about to be deleted. */
  async function own({ set }: Look, ordinal: number, pod: Pod): Promise<void> {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    for (const template of set.spec?.volumeClaimTemplates ?? []) {
      const found = objects.get(PersistentVolumeClaim, `${set.metadata.namespace}/${template.metadata?.name}-${podName(set, ordinal)}`);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) continue;
      const ownerReferences = claimOwners(set, pod, found);
      if (jsonEqual(ownerReferences, found.metadata.ownerReferences ?? [])) continue;
      await write.patch(PersistentVolumeClaim, found, { metadata: { ownerReferences } });
    }
  }

  async function tell(look: Look): Promise<void> {
    const now = objects.get(StatefulSet, `${look.set.metadata.namespace}/${look.set.metadata.name}`);
    if (now === undefined || now.metadata.uid !== look.set.metadata.uid) return;
    const wanted = JSON.parse(JSON.stringify(statusOf(look))) as Status; // without what is undefined
    if (!jsonEqual(wanted, now.status)) await write.updateStatus(StatefulSet, { ...now, status: wanted } as StatefulSet);
  }
}

function isHealthy({ set, nowMs }: Pick<Look, "set" | "nowMs">, pod: Pod): boolean {
  const isRunning = pod.metadata.deletionTimestamp === undefined && pod.status?.phase === "Running";
  return isRunning && availableAfterMs(pod, set.spec?.minReadySeconds ?? 0, nowMs) === 0;
}

/** Returns the time until the next pod becomes available without a change, in milliseconds. */
function nextAvailable({ set, pods, nowMs }: Look): number | undefined {
  const waits = [...pods.values()].flatMap((pod) => availableAfterMs(pod, set.spec?.minReadySeconds ?? 0, nowMs) ?? []);
  const due = waits.filter((ms) => ms > 0);
  return due.length === 0 ? undefined : Math.min(...due);
}

function statusOf(look: Look): object {
  const { set, update, nowMs } = look;
  const pods = [...look.pods.values()];
  const of = (revision: ControllerRevision): number =>
    pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined && metadata.labels?.[REVISION] === revision.metadata.name)
      .length;
  const ready = pods.filter((pod) => isReady(pod) && pod.status?.phase === "Running");
  const available = ready.filter((pod) => availableAfterMs(pod, set.spec?.minReadySeconds ?? 0, nowMs) === 0);
  const updated = of(update);
  const isRolling = set.spec?.updateStrategy?.type !== "OnDelete";
  const isComplete = isRolling && updated === pods.length && ready.length === pods.length;
  const current = isComplete ? update : look.current;
  return {
    availableReplicas: available.length,
    collisionCount: set.status?.collisionCount ?? 0,
    conditions: set.status?.conditions,
    currentReplicas: nonZero(of(current)),
    currentRevision: current.metadata.name,
    observedGeneration: set.metadata.generation,
    readyReplicas: nonZero(ready.length),
    replicas: pods.length,
    updateRevision: update.metadata.name,
    updatedReplicas: nonZero(updated),
  };
}

/** Returns `undefined` for zero, which Go omits. */
function nonZero(count: number): number | undefined {
  return count === 0 ? undefined : count;
}
