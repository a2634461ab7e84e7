/** The status of a pod that its kubelet reports, computed from the lives of its containers. Pure. */
import { createHash } from "node:crypto";
import { formatTime } from "@treadle/apimachinery";
import type { Pod } from "@treadle/apimachinery/kinds";
import { type ContainerLife, isOver, type Terminated } from "./container-life.ts";

/** A run of a pod on its node. */
export interface PodLife {
  readonly uid: string;
  readonly sinceMs: number;
  readonly ip: string;
  readonly hostIp: string;
  /** Containers in the order of the spec, init containers first. */
  readonly containers: readonly ContainerLife[];
  /** Names of the ready containers. */
  readonly ready: ReadonlySet<string>;
  /** Names of the containers whose readiness probe fails. */
  readonly unhealthy: ReadonlySet<string>;
  /** Whether the node has started the containers. */
  readonly hasStarted: boolean;
  /** Whether the node has stopped the containers for good. */
  readonly hasEnded?: true;
}

export type PodCondition = NonNullable<NonNullable<Pod["status"]>["conditions"]>[number];

/** Returns the part of the status that the kubelet writes. */
export function podStatus(pod: Pod, life: PodLife, nowMs: number): object {
  const { generation } = pod.metadata;
  const init = life.containers.filter(({ spec }) => spec.type !== "main");
  const main = life.containers.filter(({ spec }) => spec.type === "main");
  return {
    conditions: conditionsOf(pod, life, nowMs),
    ...(init.length === 0 ? {} : { initContainerStatuses: init.map((one) => containerStatus(pod, life, one)) }),
    containerStatuses: main.map((one) => containerStatus(pod, life, one)),
    hostIP: life.hostIp,
    hostIPs: [{ ip: life.hostIp }],
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: phaseOf(pod, life),
    ...(life.hasStarted ? { podIP: life.ip, podIPs: [{ ip: life.ip }] } : {}),
    startTime: formatTime(life.sinceMs),
  };
}

function phaseOf({ spec }: Pod, { containers, hasStarted, hasEnded }: PodLife): "Pending" | "Running" | "Succeeded" | "Failed" {
  const policy = spec?.restartPolicy ?? "Always";
  const init = containers.filter((one) => one.spec.type === "init");
  const main = containers.filter((one) => one.spec.type === "main");
  if (hasEnded === true) return hasSucceeded(main) ? "Succeeded" : "Failed";
  if (init.some((one) => isOver(one, policy) && one.state.exitCode !== 0)) return "Failed";
  if (!hasStarted || !isInitialized(containers)) return "Pending";
  if (main.every((one) => isOver(one, policy))) return hasSucceeded(main) ? "Succeeded" : "Failed";
  return main.some(({ state, last }) => state.type === "waiting" && last === undefined) ? "Pending" : "Running";
}

function hasSucceeded(containers: readonly ContainerLife[]): boolean {
  return containers.every(({ state }) => state.type === "terminated" && state.exitCode === 0);
}

/** Reports whether each init container has finished, and the sidecars run. */
export function isInitialized(containers: readonly ContainerLife[]): boolean {
  return containers.every(({ spec, state }) => {
    if (spec.type === "main") return true;
    return spec.type === "sidecar" ? state.type === "running" : state.type === "terminated" && state.exitCode === 0;
  });
}

/** Returns the conditions in the order of kubelets. Conditions of other writers follow. */
function conditionsOf(pod: Pod, life: PodLife, nowMs: number): readonly object[] {
  const before = pod.status?.conditions ?? [];
  const phase = phaseOf(pod, life);
  const isOverall = phase === "Succeeded" || phase === "Failed";
  const unready = life.containers.filter((one) => one.spec.type !== "init" && !life.ready.has(one.spec.name)).map(({ spec }) => spec.name);
  const containersReady = isOverall
    ? { status: "False", reason: phase === "Succeeded" ? "PodCompleted" : "PodFailed" }
    : unready.length === 0
      ? { status: "True" }
      : { status: "False", reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
  const gate = (pod.spec?.readinessGates ?? []).find(
    ({ conditionType }) => !before.some((one) => one.type === conditionType && one.status === "True"),
  );
  const ready =
    containersReady.status === "True" && gate !== undefined
      ? { status: "False", reason: "ReadinessGatesNotReady", message: gateText(gate.conditionType, before) }
      : containersReady;
  const own: readonly (readonly [string, Finding])[] = [
    ["PodReadyToStartContainers", { status: life.hasStarted && !isOverall ? "True" : "False" }],
    ["Initialized", initialized(life, phase)],
    ["Ready", ready],
    ["ContainersReady", containersReady],
  ];
  const { generation } = pod.metadata;
  const conditions = own.map(([type, condition]) => {
    const old = before.find((one) => one.type === type);
    const isSame = old?.status === condition.status;
    return {
      type,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...condition,
      lastProbeTime: null,
      lastTransitionTime: isSame ? old.lastTransitionTime : formatTime(nowMs),
    };
  });
  const types = new Set<string>(own.map(([type]) => type));
  return [...conditions, ...before.filter(({ type }) => !types.has(type))];
}

/** The part that differs between conditions. */
interface Finding {
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

function gateText(type: string, conditions: readonly PodCondition[]): string {
  const found = conditions.find((one) => one.type === type);
  return found === undefined
    ? `corresponding condition of pod readiness gate "${type}" does not exist.`
    : `the status of pod readiness gate "${type}" is not "True", but ${found.status}`;
}

function initialized({ containers, hasEnded }: PodLife, phase: string): Finding {
  if (isInitialized(containers) || hasEnded === true)
    return { status: "True", ...(phase === "Succeeded" ? { reason: "PodCompleted" } : {}) };
  const left = containers.filter((one) => one.spec.type !== "main" && !isInitialized([one])).map(({ spec }) => spec.name);
  return { status: "False", reason: "ContainersNotInitialized", message: `containers with incomplete status: [${left.join(" ")}]` };
}

function containerStatus(
  { metadata, spec }: Pod,
  life: PodLife,
  { spec: { name, image, type }, state, last, restarts }: ContainerLife,
): object {
  const has = state.type !== "waiting" || last !== undefined;
  const id = has ? { containerID: `containerd://${digest(`${life.uid}/${name}/${restarts}`)}` } : {};
  const isDone = type === "init" && state.type === "terminated" && state.exitCode === 0;
  const found = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find((one) => one.name === name);
  return {
    ...id,
    image,
    imageID: has ? `${image.replace(/[@:][^/]*$/, "")}@sha256:${digest(image)}` : "",
    lastState:
      last === undefined
        ? {}
        : {
            terminated: terminated(last, `containerd://${digest(`${life.uid}/${name}/${restarts - (state.type === "waiting" ? 0 : 1)}`)}`),
          },
    name,
    ready: life.ready.has(name) || isDone,
    resources: found?.resources ?? {},
    restartCount: restarts,
    started: state.type === "running",
    state: stateOf(state, id.containerID, metadata),
  };
}

function stateOf(state: ContainerLife["state"], containerID: string | undefined, { name, namespace, uid }: Pod["metadata"]): object {
  switch (state.type) {
    case "waiting": {
      // Kubelets add the name of the pod to that of the container.
      const message = state.untilMs === undefined ? state.message : `${state.message} pod=${name}_${namespace}(${uid})`;
      return { waiting: { reason: state.reason, ...(message === undefined ? {} : { message }) } };
    }
    case "running":
      return { running: { startedAt: formatTime(state.sinceMs) } };
    case "terminated":
      return { terminated: terminated(state, containerID ?? "") };
  }
}

function terminated({ reason, exitCode, startedMs, finishedMs }: Terminated, containerID: string): object {
  return { containerID, exitCode, finishedAt: formatTime(finishedMs), reason, startedAt: formatTime(startedMs) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
