/** The kubelets of all nodes. They run the pods of their nodes, report their status, and end deleted pods. No container ever starts. */
import { type Clock, jsonEqual, keyOf } from "@treadle/apimachinery";
import { Deployment, Node, Pod, ReplicaSet } from "@treadle/apimachinery/kinds";
import { type Circumstances, type ContainerLife, isOver, isReadyNow, isUnhealthy, live, nextChange } from "./container-life.ts";
import { type Context, type Controller, watch } from "./controller.ts";
import type { Occurrence } from "./events.ts";
import { happened, stopped } from "./kubelet-events.ts";
import { controllerOf } from "./objects.ts";
import { isInitialized, type PodLife, podStatus } from "./pod-status.ts";
import { nodesOf } from "./pods.ts";

export function kubelet(context: Context): Controller {
  const { clock, objects, as } = context;
  const write = as("kubelet");
  const record = context.events.recorder("kubelet");
  /** Lives of the pods by their keys. No object contains this state. */
  const lives = new Map<string, PodLife>();
  const stopping = new Map<string, number>();
  let addresses = 0;
  const runningOn = objects.grouped(Pod, nodesOf);
  const onNode = (name: string): readonly string[] => runningOn(name).map(({ metadata }) => keyOf(metadata));
  return {
    name: "kubelet",
    kind: Pod,
    watches: [
      watch(Node, (node, previous) => (previous?.status === undefined ? onNode(node.metadata.name) : [])),
      watch(Deployment, () => []),
      watch(ReplicaSet, () => []),
    ],
    async sync(key) {
      const pod = objects.get(Pod, key);
      if (pod === undefined || lives.get(key)?.uid !== pod.metadata.uid) lives.delete(key);
      if (pod === undefined || pod.metadata.deletionTimestamp === undefined) stopping.delete(key);
      const node = pod?.spec?.nodeName ? objects.get(Node, pod.spec.nodeName) : undefined;
      const hostIp = node?.status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
      if (pod === undefined || hostIp === undefined) return undefined;
      if (pod.metadata.deletionTimestamp !== undefined) return await end(key, pod);
      if (isFinal(pod)) return undefined;
      return await run(key, pod, hostIp);
    },
  };

  async function run(key: string, pod: Pod, hostIp: string): Promise<number | undefined> {
    const nowMs = clock.now();
    const before = lives.get(key) ?? begin(pod, nowMs, { hostIp, ip: pod.spec?.hostNetwork === true ? hostIp : nextAddress() });
    const { life, nextMs } = goOn(context, pod, before);
    lives.set(key, life);
    note(pod, happened(pod, before, life));
    await tell(pod, life, nowMs);
    return nextMs === undefined ? undefined : nextMs - nowMs;
  }

  /** Ends the containers of a deleted pod, and then deletes the pod. Until then the pod continues as before. */
  async function end(key: string, pod: Pod): Promise<number | undefined> {
    const nowMs = clock.now();
    const life = lives.get(key);
    if (!stopping.has(key) && life !== undefined) note(pod, stopped(life));
    const since = stopping.get(key) ?? nowMs;
    stopping.set(key, since);
    const deadline = Date.parse(pod.metadata.deletionTimestamp ?? "");
    const wishMs = context.behaviours.isPod("IgnoresTermination", pod)
      ? Number.POSITIVE_INFINITY
      : since + context.settings.stopSeconds * 1000;
    const stopMs = Math.min(wishMs, deadline);
    if (nowMs < stopMs) return stopMs - nowMs;
    const isKept = (pod.metadata.finalizers ?? []).length > 0;
    // The status of a pod that is deleted by this write would never be seen.
    if (isKept && life !== undefined && !isFinal(pod)) await tell(pod, ended(life, clock), nowMs);
    if (!isKept || pod.metadata.deletionGracePeriodSeconds !== 0) await write.delete(Pod, pod, { graceSeconds: 0 });
    return undefined;
  }

  function note(pod: Pod, occurrences: readonly Occurrence[]): void {
    const host = pod.spec?.nodeName ?? "";
    for (const occurrence of occurrences) record(Pod, pod, { ...occurrence, host });
  }

  async function tell(pod: Pod, life: PodLife, nowMs: number): Promise<void> {
    const status = podStatus(pod, life, nowMs);
    const known = pod.status as Readonly<Record<string, unknown>> | undefined; // plain JSON
    if (Object.entries(status).every(([field, value]) => jsonEqual(value, known?.[field]))) return;
    await write.patchStatus(Pod, pod, status);
  }

  function nextAddress(): string {
    addresses = (addresses % MAX_ADDRESSES) + 1;
    return `10.244.${addresses >> 8}.${addresses & 255}`;
  }
}

/** Number of addresses in 10.244.0.0/16 without the first and the last one. */
const MAX_ADDRESSES = 65_534;

/** Returns the life of a pod that its node starts. */
function begin({ metadata, spec }: Pod, sinceMs: number, addresses: { readonly hostIp: string; readonly ip: string }): PodLife {
  const init = (spec?.initContainers ?? []).map((one) => ({
    ...one,
    type: one.restartPolicy === "Always" ? ("sidecar" as const) : ("init" as const),
  }));
  const main = (spec?.containers ?? []).map((one) => ({ ...one, type: "main" as const }));
  const reason = init.length === 0 ? "ContainerCreating" : "PodInitializing";
  const containers = [...init, ...main].map(
    ({ name, image = "", type, readinessProbe }): ContainerLife => ({
      spec: { name, image, type, readyAfterMs: (readinessProbe?.initialDelaySeconds ?? 0) * 1000 },
      state: { type: "waiting", reason },
      restarts: 0,
      wasReady: false,
    }),
  );
  return { uid: metadata.uid ?? "", sinceMs, ...addresses, containers, ready: new Set(), unhealthy: new Set(), hasStarted: false };
}

/** Returns the current life of the pod, and the time of its next change by time alone. */
function goOn(context: Context, pod: Pod, before: PodLife): { readonly life: PodLife; readonly nextMs: number | undefined } {
  const nowMs = context.clock.now();
  const startMs = before.sinceMs + context.settings.startSeconds * 1000;
  if (nowMs < startMs) return { life: before, nextMs: startMs };
  const restartPolicy = pod.spec?.restartPolicy ?? "Always";
  const containers: ContainerLife[] = [];
  const ready = new Set<string>();
  const unhealthy = new Set<string>();
  const due: number[] = [];
  for (const one of before.containers) {
    const now = circumstances(context, pod, one);
    // An init container waits for those before it, other containers for all init containers.
    const next = isInitialized(containers) ? live(one, now) : one;
    containers.push(next);
    if (isReadyNow(next, now)) ready.add(next.spec.name);
    else if (isUnhealthy(next, now)) unhealthy.add(next.spec.name);
    const dueMs = nextChange(next, now);
    if (dueMs !== undefined) due.push(dueMs);
    if (next.spec.type === "init" && isOver(next, restartPolicy) && next.state.exitCode !== 0) {
      containers.push(...before.containers.slice(containers.length));
      break;
    }
  }
  const life = { ...before, containers, ready, unhealthy, hasStarted: true };
  return { life, nextMs: due.length === 0 ? undefined : Math.min(...due) };
}

function circumstances({ clock, behaviours, objects, settings }: Context, pod: Pod, { spec, wasReady }: ContainerLife): Circumstances {
  const wanted = behaviours.ofContainer(pod, { name: spec.name, image: spec.image, isInit: spec.type === "init" });
  const owner = controllerOf(pod);
  const namespace = pod.metadata.namespace ?? "";
  const set = owner?.kind === ReplicaSet.kind ? objects.get(ReplicaSet, `${namespace}/${owner.name}`) : undefined;
  const above = set === undefined ? undefined : controllerOf(set);
  const deployment = above?.kind === Deployment.kind ? objects.get(Deployment, `${namespace}/${above.name}`) : undefined;
  const isStalled = !wasReady && deployment !== undefined && behaviours.isStalled(deployment);
  return {
    nowMs: clock.now(),
    restartPolicy: pod.spec?.restartPolicy ?? "Always",
    problem: wanted ?? (isStalled ? "NotReady" : undefined),
    exitsAfterMs: owner?.kind === "Job" ? settings.runSeconds * 1000 : undefined,
  };
}

function ended(life: PodLife, clock: Clock): PodLife {
  const finishedMs = clock.now();
  const containers = life.containers.map((one): ContainerLife => {
    const startedMs = one.state.type === "running" ? one.state.sinceMs : finishedMs;
    return one.state.type === "terminated"
      ? one
      : { ...one, state: { type: "terminated", reason: "Completed", exitCode: 0, startedMs, finishedMs } };
  });
  return { ...life, containers, ready: new Set(), unhealthy: new Set(), hasEnded: true };
}

/** Reports whether a pod has finished. A finished pod never starts again, whichever client wrote its phase. */
function isFinal({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
