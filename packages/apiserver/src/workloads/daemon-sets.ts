/** The DaemonSet controller: keeps one pod on each matching node, and replaces pods step by step when the template changes. */
import { jsonEqual, keyOf } from "@treadle/apimachinery";
import { DaemonSet, Node, Pod } from "@treadle/apimachinery/kinds";
import { adoptersIn, claim } from "./adoption.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { type ControllerRevision, ControllerRevision as RevisionKind, forget, revise } from "./controller-revisions.ts";
import { daemonPod, fitOf, HASH, nodeOf } from "./daemon-pods.ts";
import { controllersIn } from "./objects.ts";
import { podControl } from "./pod-events.ts";
import { availableAfterMs, isReady } from "./pods.ts";
import { resolve } from "./replica-counts.ts";

/** Pods on a node, oldest first. */
interface Place {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

export function daemonSets({ clock, objects, events, as }: Context): Controller {
  const write = as("daemon-set-controller");
  const record = events.recorder("daemonset-controller");
  const control = podControl(write, record, DaemonSet);
  const owners = controllersIn(DaemonSet);
  const adopters = adoptersIn(() => objects.list(DaemonSet));
  return {
    name: "daemonset-controller",
    kind: DaemonSet,
    watches: [
      watch(Pod, (pod, previous) => [
        ...owners(pod, previous),
        ...adopters(pod).filter((key) => key.startsWith(`${pod.metadata.namespace}/`)),
      ]),
      watch(RevisionKind, (revision, previous) => owners(revision, previous)),
      watch(Node, (node) => concerned(node)),
    ],
    async sync(key) {
      const set = objects.get(DaemonSet, key);
      if (set?.spec === undefined || set.metadata.deletionTimestamp !== undefined) return undefined;
      const revisions = await revise(objects, write, { kind: DaemonSet, owner: set, label: HASH });
      const hash = revisions.newest.metadata.labels?.[HASH] ?? "";
      await claim(objects, write, { as: DaemonSet, owner: set, selector: set.spec.selector, kind: Pod });
      await removeAstray(set);
      const places = placesOf(set);
      for (const place of places) await fill(set, place, revisions.newest);
      if (set.spec.updateStrategy?.type !== "OnDelete") await replace(set, placesOf(set), revisions.newest);
      const now = objects.get(DaemonSet, key);
      if (now !== undefined && now.metadata.uid === set.metadata.uid) await tell(now, placesOf(set), hash);
      const used = new Set(objects.controlled(Pod, set).map(({ metadata }) => metadata.labels?.[HASH]));
      const isLive = ({ metadata }: ControllerRevision): boolean => used.has(metadata.labels?.[HASH]) || metadata.labels?.[HASH] === hash;
      await forget(write, revisions, isLive, set.spec.revisionHistoryLimit ?? 10);
      return nextAvailable(set);
    },
  };

  /** Returns the sets that have to act. As in the real controller, the status of other sets may lag behind the nodes. */
  function concerned(node: Node): readonly string[] {
    return objects
      .list(DaemonSet)
      .filter((set) => {
        const count = objects.controlled(Pod, set).filter((pod) => nodeOf(pod) === node.metadata.name).length;
        const isGone = objects.get(Node, node.metadata.name) === undefined;
        const { shouldRun, mayStay } = isGone ? { shouldRun: false, mayStay: false } : fitOf(set, node);
        return isGone || (shouldRun && count === 0) || (!mayStay && count > 0);
      })
      .map(({ metadata }) => keyOf(metadata));
  }

  function placesOf(set: DaemonSet): readonly Place[] {
    const pods = objects.controlled(Pod, set);
    return objects.list(Node).map((node) => ({
      node,
      pods: pods.filter((pod) => nodeOf(pod) === node.metadata.name),
      ...fitOf(set, node),
    }));
  }

  /** Deletes pods of deleted nodes, which no other controller does. */
  async function removeAstray(set: DaemonSet): Promise<void> {
    for (const pod of objects.controlled(Pod, set))
      if (objects.get(Node, nodeOf(pod) ?? "") === undefined) await control.delete(set, pod, { graceSeconds: 0 });
  }

  /** Creates a missing pod, and deletes pods that may not stay. */
  async function fill(set: DaemonSet, { node, pods, shouldRun, mayStay }: Place, newest: ControllerRevision): Promise<void> {
    const living = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const ended = living.filter(({ status }) => status?.phase === "Failed" || status?.phase === "Succeeded");
    if (mayStay) for (const pod of ended) noteEnded(set, node, pod);
    for (const pod of mayStay ? ended : living) await control.delete(set, pod);
    // The node has no place for another pod while one is being deleted.
    if (shouldRun && pods.length === 0) await control.create(set, daemonPod(set, node.metadata.name, newest));
  }

  function noteEnded(set: DaemonSet, node: Node, { metadata: { namespace, name }, status }: Pod): void {
    const at = `daemon pod ${namespace}/${name} on node ${node.metadata.name}`;
    if (status?.phase === "Failed")
      record(DaemonSet, set, { type: "Warning", reason: "FailedDaemonPod", message: `Found failed ${at}, will try to kill it` });
    else record(DaemonSet, set, { reason: "SucceededDaemonPod", message: `Found succeeded ${at}, will try to delete it` });
  }

  /** Deletes pods of old templates, as many at a time as may be unavailable. With a surge the new pod is created first. */
  async function replace(set: DaemonSet, places: readonly Place[], newest: ControllerRevision): Promise<void> {
    const wanted = places.filter(({ shouldRun }) => shouldRun);
    const { maxUnavailable = 1, maxSurge = 0 } = set.spec?.updateStrategy?.rollingUpdate ?? {};
    const surge = resolve(maxSurge, wanted.length, Math.ceil);
    const most = resolve(maxUnavailable, wanted.length, Math.ceil);
    const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[HASH] === newest.metadata.labels?.[HASH];
    const isUp = (pod: Pod): boolean => isAvailable(set, pod);
    let missing = wanted.filter(({ pods }) => !pods.some(isUp)).length;
    let extra = wanted.filter(({ pods }) => pods.some(isNew) && pods.some((pod) => !isNew(pod))).length;
    for (const { node, pods } of wanted) {
      const old = pods.filter((pod) => !isNew(pod) && pod.metadata.deletionTimestamp === undefined);
      if (old.length === 0) continue;
      const isReplaced = pods.some((pod) => isNew(pod) && isUp(pod));
      const isDown = !old.some(isUp);
      if (surge > 0 && !isReplaced && !isDown) {
        if (pods.some(isNew) || extra >= surge) continue;
        await control.create(set, daemonPod(set, node.metadata.name, newest));
        extra++;
      } else if (isReplaced || isDown || missing < most) {
        for (const pod of old) await control.delete(set, pod);
        if (!isReplaced && !isDown) missing++;
      }
    }
  }

  async function tell(set: DaemonSet, places: readonly Place[], hash: string): Promise<void> {
    const wanted = places.filter(({ shouldRun }) => shouldRun);
    const served = wanted.flatMap(({ pods: [oldest] }) => oldest ?? []);
    const available = served.filter((pod) => isAvailable(set, pod)).length;
    const status = {
      ...(set.status?.collisionCount === undefined ? {} : { collisionCount: set.status.collisionCount }),
      currentNumberScheduled: served.length,
      desiredNumberScheduled: wanted.length,
      numberAvailable: nonZero(available),
      numberMisscheduled: places.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
      numberReady: served.filter(isReady).length,
      numberUnavailable: nonZero(wanted.length - available),
      observedGeneration: set.metadata.generation,
      updatedNumberScheduled: nonZero(served.filter(({ metadata }) => metadata.labels?.[HASH] === hash).length),
    };
    const plain = JSON.parse(JSON.stringify(status)) as NonNullable<DaemonSet["status"]>; // without what is undefined
    if (!jsonEqual(plain, set.status)) await write.updateStatus(DaemonSet, { ...set, status: plain } as DaemonSet);
  }

  function isAvailable({ spec }: DaemonSet, pod: Pod): boolean {
    return pod.metadata.deletionTimestamp === undefined && availableAfterMs(pod, spec?.minReadySeconds ?? 0, clock.now()) === 0;
  }

  /** Returns the time until the next pod becomes available without a change, in milliseconds. */
  function nextAvailable(set: DaemonSet): number | undefined {
    const waits = objects.controlled(Pod, set).flatMap((pod) => availableAfterMs(pod, set.spec?.minReadySeconds ?? 0, clock.now()) ?? []);
    const due = waits.filter((ms) => ms > 0);
    return due.length === 0 ? undefined : Math.min(...due);
  }
}

/** Returns `undefined` for zero, which Go omits. */
function nonZero(count: number): number | undefined {
  return count === 0 ? undefined : count;
}
