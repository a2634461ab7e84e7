/** Why a pod does not run or is not ready. */
import { shown } from "../../cluster/object-name.ts";
import { type Json, listAt, numberAt, textAt, valueAt } from "../../json.ts";
import type { Node, Situation } from "../../inspect/situation.ts";
import { clauseOf, type Finding, RANK, type Rule } from "../finding.ts";
import { readingOf } from "./texts.ts";

/** The rules of pods, the most certain first. */
export const podRules: readonly Rule[] = [image, configuration, crash, failed, unscheduled, mounts, sandbox, probe].map(
  (rule): Rule =>
    (node, situation) =>
      node.name.kind === "Pod" && node.object !== undefined && node.health.type !== "Ready" ? rule(node, situation) : undefined,
);

const PULL: ReadonlySet<string> = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
]);

function image(node: Node): Finding | undefined {
  const container = containersOf(node).find((each) => PULL.has(waitingOf(each).reason));
  if (container === undefined) return undefined;
  const { reason, message } = waitingOf(container);
  // The back-off hides why; the event of the pull names it.
  const event = node.events.find((each) => each.reason === "Failed" && /pull image/.test(each.message));
  const why = event === undefined ? message : event.message.replace(/^Failed to pull image "[^"]*": /, "");
  return {
    code: "ImagePull",
    rank: RANK.cause,
    node,
    clause: `${podOf(node)} cannot pull the image ${JSON.stringify(imageOf(node, container))} of its container ${textAt(container, "name")}${because(why, reason)}`,
    advice: ["correct the image, or give the pod a pull secret of its registry", describe(node)],
    nextAttempt: "the kubelet tries again by itself, with pauses of up to 5 minutes",
  };
}

function configuration(node: Node): Finding | undefined {
  const container = containersOf(node).find((each) => /^CreateContainer(Config)?Error$|^RunContainerError$/.test(waitingOf(each).reason));
  if (container === undefined) return undefined;
  const { reason, message } = waitingOf(container);
  const reading = readingOf(message, node.name.namespace);
  const name = textAt(container, "name");
  if (reading !== undefined)
    return {
      ...reading,
      rank: RANK.cause,
      node,
      clause: `${reading.clause}, which container ${name} of ${podOf(node)} needs`,
      nextAttempt: KUBELET,
    };
  return {
    code: "ContainerConfig",
    rank: RANK.cause,
    node,
    clause: `container ${name} of ${podOf(node)} cannot be created${because(message, reason)}`,
    advice: [describe(node)],
    nextAttempt: KUBELET,
  };
}

const KUBELET = "the kubelet tries again by itself every few seconds";

function crash(node: Node, { nowMs }: Situation): Finding | undefined {
  const container = containersOf(node).find((each) => waitingOf(each).reason === "CrashLoopBackOff" || isBetweenCrashes(each, nowMs));
  if (container === undefined) return undefined;
  const ended = listedEnd(container);
  const name = textAt(container, "name");
  const isInit = listAt(node.object, "status", "initContainerStatuses").includes(container);
  const shownName = `${isInit ? "init container" : "container"} ${name}`;
  const restarts = numberAt(container, "restartCount") ?? 0;
  const times = restarts === 0 ? "" : ` (restarted ${restarts} ${restarts === 1 ? "time" : "times"})`;
  const isOutOfMemory = textAt(ended, "reason") === "OOMKilled";
  const logs = `read what it wrote: \`kubectl logs ${node.name.name} -n ${node.name.namespace} -c ${name} --previous\``;
  return {
    code: isOutOfMemory ? "OutOfMemory" : "CrashLoop",
    rank: RANK.cause,
    node,
    clause: isOutOfMemory
      ? `${shownName} of ${podOf(node)} is killed because it uses more memory than it may (OOMKilled)${limitOf(node, name)}${times}`
      : `${shownName} of ${podOf(node)} ends after each start with exit code ${numberAt(ended, "exitCode") ?? "unknown"}${times}`,
    advice: isOutOfMemory ? ["raise `resources.limits.memory` of the container, or let it use less", logs] : [logs],
    ...nextRestart(container, ended),
  };
}

/** Longer back-offs than this show as `CrashLoopBackOff`. */
const JUST_STARTED_MS = 30_000;

/** Between two crashes a container has just ended, or has just started again. One that runs for longer is not ready for another reason. */
function isBetweenCrashes(container: Json, nowMs: number): boolean {
  if (container["ready"] === true || (numberAt(container, "restartCount") ?? 0) === 0) return false;
  if (valueAt(container, "state", "terminated") !== undefined) return true;
  const startedMs = Date.parse(textAt(container, "state", "running", "startedAt"));
  return nowMs - startedMs < JUST_STARTED_MS && listedEnd(container) !== undefined;
}

function listedEnd(container: Json): Json | undefined {
  const ends = [container["state"], container["lastState"]].map((state) => (state as Json | undefined)?.["terminated"] as Json | undefined);
  return ends.find((each) => each !== undefined);
}

/** The kubelet writes `back-off 40s restarting failed container`. */
function nextRestart(container: Json, ended: Json | undefined): Pick<Finding, "nextAttempt" | "nextAttemptMs"> {
  const [, pause] = /back-off (\S+) restarting/.exec(waitingOf(container).message) ?? [];
  const delayMs = pause === undefined ? undefined : goDurationMs(pause);
  const endedMs = Date.parse(textAt(ended, "finishedAt"));
  if (delayMs === undefined || Number.isNaN(endedMs))
    return { nextAttempt: "the kubelet restarts it by itself, with pauses of up to 5 minutes" };
  return { nextAttempt: `the kubelet restarts it ${pause} after its last end`, nextAttemptMs: endedMs + delayMs };
}

/** Reads a duration as Go writes it: `5m0s`, `1h2m3s`. */
function goDurationMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  if (parts.length === 0) return undefined;
  const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  return parts.reduce((sum, [, count = "0", unit = "s"]) => sum + Number(count) * (units[unit] ?? 0), 0);
}

function limitOf({ object }: Node, name: string): string {
  const container = listAt(object, "spec", "containers").find((each) => textAt(each, "name") === name);
  const limit = textAt(container, "resources", "limits", "memory");
  return limit === "" ? "" : `; its limit is ${limit}`;
}

function failed(node: Node): Finding | undefined {
  if (textAt(node.object, "status", "phase") !== "Failed") return undefined;
  const container = containersOf(node).find((each) => (numberAt(each["state"], "terminated", "exitCode") ?? 0) !== 0);
  const reason = textAt(node.object, "status", "reason");
  const message = textAt(node.object, "status", "message");
  const exit =
    container === undefined
      ? ""
      : `: container ${textAt(container, "name")} ended with exit code ${numberAt(container["state"], "terminated", "exitCode")}`;
  return {
    code: reason === "Evicted" ? "Evicted" : "PodFailed",
    // The Job or ReplicaSet above has started another one.
    rank: RANK.symptom,
    node,
    clause: `${podOf(node)} has failed${message === "" ? exit : because(message, reason)}`,
    advice: [`read what it wrote: \`kubectl logs ${node.name.name} -n ${node.name.namespace}\``],
  };
}

function unscheduled(node: Node): Finding | undefined {
  const condition = node.conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (condition === undefined) return undefined;
  const waitsForVolume = /unbound immediate PersistentVolumeClaims|persistentvolumeclaim/.test(condition.message);
  const missing = readingOf(condition.message, node.name.namespace);
  if (missing !== undefined)
    return { ...missing, rank: RANK.cause, node, clause: `${missing.clause}, which ${podOf(node)} needs`, nextAttempt: SCHEDULER };
  return {
    code: "Unschedulable",
    rank: waitsForVolume ? RANK.symptom : RANK.cause,
    node,
    clause: `no node can run ${podOf(node)}${because(condition.message, condition.reason)}`,
    advice: ["add a node, or lower the requests, selectors and affinities of the pod; the message counts why each node is not usable"],
    nextAttempt: SCHEDULER,
  };
}

const SCHEDULER = "the scheduler tries again when nodes, volumes or other pods change";

function mounts(node: Node): Finding | undefined {
  const event = node.events.find(({ type, reason }) => type === "Warning" && /^Failed(Mount|AttachVolume|MapVolume)$/.test(reason));
  if (event === undefined || textAt(node.object, "status", "phase") !== "Pending") return undefined;
  const reading = readingOf(event.message, node.name.namespace);
  const nextAttempt = "the kubelet tries again by itself, with pauses of up to 2 minutes";
  if (reading !== undefined)
    return { ...reading, rank: RANK.cause, node, clause: `${reading.clause}, which ${podOf(node)} mounts`, nextAttempt };
  const clause = `a volume of ${podOf(node)} cannot be mounted${because(event.message, event.reason)}`;
  return { code: "VolumeMount", rank: RANK.cause, node, clause, advice: [describe(node)], nextAttempt };
}

function sandbox(node: Node): Finding | undefined {
  const event = node.events.find(({ type, reason }) => type === "Warning" && reason === "FailedCreatePodSandBox");
  if (event === undefined || textAt(node.object, "status", "phase") !== "Pending") return undefined;
  const clause = `the network of ${podOf(node)} cannot be set up${because(event.message, event.reason)}`;
  return { code: "PodNetwork", rank: RANK.cause, node, clause, advice: [describe(node)] };
}

function probe(node: Node): Finding | undefined {
  if (textAt(node.object, "status", "phase") !== "Running") return undefined;
  const container = containersOf(node).find((each) => each["ready"] !== true);
  if (container === undefined) return undefined;
  const event = node.events.find(({ reason }) => reason === "Unhealthy");
  const name = textAt(container, "name");
  return {
    code: "NotReadyProbe",
    rank: event === undefined ? RANK.vague : RANK.cause,
    node,
    clause: `container ${name} of ${podOf(node)} runs and is not ready${event === undefined ? "" : because(event.message, event.reason)}`,
    advice: [`check its readiness probe, and what it wrote: \`kubectl logs ${node.name.name} -n ${node.name.namespace} -c ${name}\``],
    nextAttempt: "the kubelet repeats the probe",
  };
}

function containersOf({ object }: Node): readonly Json[] {
  return [...listAt(object, "status", "initContainerStatuses"), ...listAt(object, "status", "containerStatuses")];
}

function waitingOf(container: Json): { readonly reason: string; readonly message: string } {
  return { reason: textAt(container["state"], "waiting", "reason"), message: textAt(container["state"], "waiting", "message") };
}

function imageOf({ object }: Node, container: Json): string {
  const name = textAt(container, "name");
  const all = [...listAt(object, "spec", "initContainers"), ...listAt(object, "spec", "containers")];
  const declared = textAt(
    all.find((each) => textAt(each, "name") === name),
    "image",
  );
  return declared === "" ? textAt(container, "image") : declared;
}

function podOf({ name }: Node): string {
  return shown(name);
}

function because(message: string, reason: string): string {
  const why = clauseOf(message === "" ? reason : message);
  return why === "" ? "" : `: ${why}`;
}

function describe({ name }: Node): string {
  return `see its events: \`kubectl describe pod ${name.name} -n ${name.namespace}\``;
}
