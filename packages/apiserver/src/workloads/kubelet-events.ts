/** The events of a kubelet about the containers of a pod, from two states of its life. Pure. */
import type { Pod } from "@treadle/apimachinery/kinds";
import type { ContainerLife } from "./container-life.ts";
import type { Occurrence } from "./events.ts";
import type { PodLife } from "./pod-status.ts";

/** Returns what happened to the containers between two states. */
export function happened(pod: Pod, before: PodLife, after: PodLife): readonly Occurrence[] {
  return after.containers.flatMap((life, index) => {
    const old = before.containers[index];
    const found = old === undefined || old === life ? [] : ofContainer(pod, old, life);
    const isUnhealthy = after.unhealthy.has(life.spec.name) && !before.unhealthy.has(life.spec.name);
    return [...found, ...(isUnhealthy ? probed(pod, life, after.ip) : [])].map((one) => ({ ...one, fieldPath: pathOf(life) }));
  });
}

/** Returns the events of a deletion, one for each container that runs. */
export function stopped({ containers }: PodLife): readonly Occurrence[] {
  return containers
    .filter(({ state }) => state.type === "running")
    .map((life) => ({ reason: "Killing", message: `Stopping container ${life.spec.name}`, fieldPath: pathOf(life) }));
}

/** Returns the path of a container, as events have it. */
function pathOf({ spec: { name, type } }: ContainerLife): string {
  return `spec.${type === "main" ? "containers" : "initContainers"}{${name}}`;
}

function ofContainer(pod: Pod, before: ContainerLife, { spec, state, ...after }: ContainerLife): readonly Occurrence[] {
  const { image, name } = spec;
  const started: readonly Occurrence[] = [
    { reason: "Pulled", message: `Container image "${image}" already present on machine and can be accessed by the pod` },
    { reason: "Created", message: "Container created" },
    { reason: "Started", message: "Container started" },
  ];
  const starts = Array.from({ length: startsOf({ spec, state, ...after }) - startsOf(before) }, () => started).flat();
  if (state.type !== "waiting" || isSameWait(state, before.state)) return starts;
  if (state.untilMs === undefined) return [...starts, ...refusals(state.reason, image, state.message ?? "")];
  const where = `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
  return [...starts, warning("BackOff", `Back-off restarting failed container ${name} in pod ${where}`)];
}

function isSameWait(state: ContainerLife["state"] & { readonly type: "waiting" }, before: ContainerLife["state"]): boolean {
  return before.type === "waiting" && before.reason === state.reason && before.untilMs === state.untilMs;
}

/** Returns how often the container has started. */
function startsOf({ state, last, restarts }: ContainerLife): number {
  return state.type === "waiting" && last === undefined ? 0 : restarts + 1;
}

/** Returns the events of a container that cannot start. */
function refusals(reason: string, image: string, message: string): readonly Occurrence[] {
  switch (reason) {
    case "ErrImagePull":
      return [
        { reason: "Pulling", message: `Pulling image "${image}"` },
        warning("Failed", `Failed to pull image "${image}": ${message}`),
        warning("Failed", "Error: ErrImagePull"),
      ];
    case "ImagePullBackOff":
      return [{ reason: "BackOff", message: `Back-off pulling image "${image}"` }, warning("Failed", "Error: ImagePullBackOff")];
    case "InvalidImageName":
      return [warning("InspectFailed", message), warning("Failed", "Error: InvalidImageName")];
    case "CreateContainerConfigError":
    case "CreateContainerError":
      return [warning("Failed", `Error: ${message}`)];
    default:
      return [];
  }
}

/** Returns the event of a failed readiness probe. A container without one is not probed. */
function probed({ spec }: Pod, life: ContainerLife, ip: string): readonly Occurrence[] {
  const container = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].find(({ name }) => name === life.spec.name);
  const probe = container?.readinessProbe;
  if (probe === undefined) return [];
  const output =
    probe.httpGet !== undefined
      ? "HTTP probe failed with statuscode: 500"
      : probe.tcpSocket !== undefined
        ? `dial tcp ${ip}:${probe.tcpSocket.port}: connect: connection refused`
        : probe.grpc !== undefined
          ? 'service unhealthy (responded with "NOT_SERVING")'
          : "";
  return [warning("Unhealthy", `Readiness probe failed: ${output}`)];
}

function warning(reason: string, message: string): Occurrence {
  return { type: "Warning", reason, message };
}
