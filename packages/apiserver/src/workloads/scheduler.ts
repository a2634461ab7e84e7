/** kube-scheduler: assigns each pod to the allowed node with the fewest pods. It does not check whether the resources of a node suffice. */
import { formatTime, keyOf } from "@treadle/apimachinery";
import { Node, Pod } from "@treadle/apimachinery/kinds";
import { jsonEqual } from "@treadle/apimachinery";
import type { Draft } from "../storage/stored-object.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import { obstacle } from "./placement.ts";
import { nodesOf } from "./pods.ts";

export function scheduler({ clock, store, objects, behaviours, events, as }: Context): Controller {
  const write = as("kube-scheduler");
  const record = events.decisions();
  const runningOn = objects.grouped(Pod, nodesOf);
  const isWaiting = ({ spec, metadata }: Pod): boolean =>
    !spec?.nodeName && metadata.deletionTimestamp === undefined && spec?.schedulerName === "default-scheduler";
  return {
    name: "kube-scheduler",
    kind: Pod,
    watches: [
      watch(Node, () =>
        objects
          .list(Pod)
          .filter(isWaiting)
          .map(({ metadata }) => keyOf(metadata)),
      ),
    ],
    async sync(key) {
      const pod = objects.get(Pod, key);
      if (pod === undefined || !isWaiting(pod)) return undefined;
      const now = formatTime(clock.now());
      if (isGated(pod)) return undefined;
      const found = behaviours.isPod("Unschedulable", pod)
        ? refusedBy(objects.list(Node))
        : place(pod, objects.list(Node), (name) => runningOn(name).length);
      if (found.node !== undefined) bind(key, found.node, now);
      else if (!objects.list(Node).some(isJoining)) await refuse(pod, found.message, now);
      return undefined;
    },
  };

  /** Binds a pod as a real server does: no manager is recorded for these fields. */
  function bind(key: string, nodeName: string, now: string): void {
    const pods = store.collection("pods");
    const entry = pods.get(key);
    if (entry === undefined) return;
    const { spec, status, metadata } = entry.object as unknown as Pod; // read as a pod when it was stored
    const others = (status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
    const scheduled = {
      type: "PodScheduled",
      status: "True",
      observedGeneration: metadata.generation,
      lastProbeTime: null,
      lastTransitionTime: now,
    };
    const conditions = [...others, scheduled];
    pods.update(entry, {
      ...entry.object,
      metadata: { ...metadata },
      spec: { ...spec, nodeName },
      status: { ...status, conditions },
    } as unknown as Draft);
    const message = `Successfully assigned ${metadata.namespace}/${metadata.name} to ${nodeName}`;
    record(Pod, entry.object as unknown as Pod, { reason: "Scheduled", action: "Binding", message });
  }

  async function refuse(pod: Pod, message: string, now: string): Promise<void> {
    const { status, metadata } = pod;
    const [before] = (status?.conditions ?? []).filter(({ type }) => type === "PodScheduled");
    const wanted = { type: "PodScheduled", status: "False", reason: "Unschedulable", message, observedGeneration: metadata.generation };
    const isSame = before?.status === "False";
    const condition = { ...wanted, lastProbeTime: null, lastTransitionTime: isSame ? before.lastTransitionTime : now };
    if (before !== undefined && jsonEqual(condition, before)) return;
    record(Pod, pod, { type: "Warning", reason: "FailedScheduling", action: "Scheduling", message });
    const others = (status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
    await write.patchStatus(Pod, pod, { conditions: [...others, condition] });
  }
}

/** Reports whether a pod has gates. It waits until their owner removes them; the server itself reports that in the status. */
function isGated({ spec }: Pod): boolean {
  return (spec?.schedulingGates ?? []).length > 0;
}

/** Reports whether a node will be ready soon. It is then checked again. */
function isJoining({ spec, status }: Node): boolean {
  return status?.conditions === undefined || (spec?.taints ?? []).some(({ key }) => key === "node.kubernetes.io/not-ready");
}

type Placement = { readonly node: string } | { readonly node?: undefined; readonly message: string };

function place(pod: Pod, nodes: readonly Node[], podsOn: (name: string) => number): Placement {
  const obstacles = nodes.map((node) => obstacle(pod, node));
  const [best] = nodes
    .filter((_, index) => obstacles[index] === undefined)
    .map(({ metadata: { name } }) => ({ name, count: podsOn(name) }))
    .toSorted((a, b) => a.count - b.count);
  if (best !== undefined) return { node: best.name };
  return {
    message: refusal(
      nodes.length,
      obstacles.flatMap((one) => one ?? []),
    ),
  };
}

function refusedBy(nodes: readonly Node[]): Placement {
  return {
    message: refusal(
      nodes.length,
      nodes.map(() => "Insufficient cpu"),
    ),
  };
}

/** Joins the reasons of all nodes as kube-scheduler does. */
function refusal(count: number, obstacles: readonly string[]): string {
  if (count === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const one of obstacles) counts.set(one, (counts.get(one) ?? 0) + 1);
  const texts = [...counts].map(([text, times]) => `${times} ${text}`).toSorted();
  return `0/${count} nodes are available: ${texts.join(", ")}. preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;
}
