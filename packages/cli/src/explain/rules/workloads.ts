/** Why workloads, claims and addresses are not ready, where no pod tells. */
import { shown } from "../../cluster/object-name.ts";
import { numberAt, textAt, valueAt } from "../../json.ts";
import { type Node, nodesOf } from "../../inspect/situation.ts";
import { clauseOf, type Finding, RANK, type Rule } from "../finding.ts";
import { readingOf } from "./texts.ts";

/** The rules of the kinds of Kubernetes that are not pods. */
export const workloadRules: readonly Rule[] = [podCreation, paused, stalled, job, suspended, claim, address, autoscaler].map(
  (rule) => (node) => (node.object === undefined || node.health.type === "Ready" ? undefined : rule(node)),
);

const CREATORS: ReadonlySet<string> = new Set(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"]);

/** The controllers of workloads report refused pods by a condition or an event. */
function podCreation(node: Node): Finding | undefined {
  if (!CREATORS.has(node.name.kind)) return undefined;
  const condition = node.conditions.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
  const event = node.events.find(({ type, reason }) => type === "Warning" && reason === "FailedCreate");
  const message = condition?.message ?? event?.message;
  if (message === undefined) return undefined;
  const reading = readingOf(message, node.name.namespace);
  const nextAttempt = "its controller tries again by itself, with growing pauses";
  if (reading !== undefined)
    return { ...reading, rank: RANK.cause, node, clause: `${reading.clause}, so ${shown(node.name)} cannot create its pods`, nextAttempt };
  const clause = `${shown(node.name)} cannot create its pods: ${clauseOf(message)}`;
  return { code: "PodCreation", rank: RANK.cause, node, clause, advice: ["change the pod template as the message says"], nextAttempt };
}

function paused(node: Node): Finding | undefined {
  if (node.name.kind !== "Deployment" || valueAt(node.object, "spec", "paused") !== true) return undefined;
  const resume = `\`kubectl rollout resume deployment/${node.name.name} -n ${node.name.namespace}\``;
  return {
    code: "RolloutPaused",
    rank: RANK.cause,
    node,
    clause: `the rollout of ${shown(node.name)} is paused`,
    advice: [`resume it: ${resume}`],
  };
}

function stalled(node: Node): Finding | undefined {
  const condition = node.conditions.find(({ type, reason }) => type === "Progressing" && reason === "ProgressDeadlineExceeded");
  if (node.name.kind !== "Deployment" || condition === undefined) return undefined;
  const seconds = numberAt(node.object, "spec", "progressDeadlineSeconds") ?? 600;
  const pod = [...nodesOf(node)].find(({ name, health }) => name.kind === "Pod" && health.type !== "Ready");
  const why = pod === undefined ? "" : `: ${shown(pod.name)} is not ready: ${clauseOf(pod.health.message)}`;
  return {
    code: "RolloutStalled",
    rank: RANK.symptom,
    node,
    clause: `the rollout of ${shown(node.name)} has made no progress for its deadline of ${seconds} s${why}`,
    advice: [
      `check its pods: \`kubectl describe deployment ${node.name.name} -n ${node.name.namespace}\``,
      `return to the last revision: \`kubectl rollout undo deployment/${node.name.name} -n ${node.name.namespace}\``,
    ],
    nextAttempt: "its controller goes on as soon as a pod becomes ready",
  };
}

function job(node: Node): Finding | undefined {
  const condition = node.conditions.find(({ type, status }) => type === "Failed" && status === "True");
  if (node.name.kind !== "Job" || condition === undefined) return undefined;
  const exit = exitIn(node);
  return {
    code: "JobFailed",
    rank: RANK.cause,
    node,
    clause: `${shown(node.name)} has failed (${condition.reason}): ${clauseOf(condition.message)}${exit === undefined ? "" : `; the last pod ended with exit code ${exit}`}`,
    advice: [
      `read what its pods wrote: \`kubectl logs job/${node.name.name} -n ${node.name.namespace}\``,
      "a failed Job does not start again: delete it, so that its owner creates it again",
    ],
    nextAttempt: "none: a failed Job does not start again",
  };
}

/** The exit code of a failed pod below a Job. */
function exitIn(node: Node): number | undefined {
  for (const { name, object } of node.children) {
    const statuses = name.kind === "Pod" ? valueAt(object, "status", "containerStatuses") : undefined;
    for (const each of Array.isArray(statuses) ? statuses : []) {
      const exit = numberAt(each, "state", "terminated", "exitCode");
      if (exit !== undefined && exit !== 0) return exit;
    }
  }
  return undefined;
}

function suspended(node: Node): Finding | undefined {
  if (node.name.kind !== "Job" || valueAt(node.object, "spec", "suspend") !== true) return undefined;
  return {
    code: "Suspended",
    rank: RANK.cause,
    node,
    clause: `${shown(node.name)} is suspended`,
    advice: ["set its `spec.suspend` to false"],
  };
}

function claim(node: Node): Finding | undefined {
  if (node.name.kind !== "PersistentVolumeClaim") return undefined;
  if (node.health.type === "Failed") {
    const clause = `${shown(node.name)} has lost its volume`;
    return { code: "VolumeLost", rank: RANK.cause, node, clause, advice: ["restore the PersistentVolume, or create the claim again"] };
  }
  if (textAt(node.object, "status", "phase") !== "Pending") return undefined;
  const [event] = node.events;
  const isForPod = event?.reason === "WaitForFirstConsumer";
  const storageClass = textAt(node.object, "spec", "storageClassName");
  const why = event === undefined ? classless(node) : `: ${clauseOf(event.message)}`;
  return {
    code: "VolumeUnbound",
    rank: isForPod ? RANK.vague : RANK.cause,
    node,
    clause: `${shown(node.name)} is not bound to a volume${storageClass === "" ? "" : ` of the class ${storageClass}`}${why}`,
    advice: [
      "create a StorageClass or a PersistentVolume that fits its size, class and access modes",
      "`kubectl get storageclasses,persistentvolumes`",
    ],
    nextAttempt: "it is bound as soon as a volume fits",
  };
}

/** The server gives a claim the default class when there is one. An empty class asks for a volume that exists. */
function classless({ object }: Node): string {
  const given = valueAt(object, "spec", "storageClassName");
  if (given === undefined) return ": it names no StorageClass, and the cluster has no default one";
  return given === "" ? ": its class is empty, so only a PersistentVolume that exists can fit, and none does" : "";
}

function address(node: Node): Finding | undefined {
  if (node.name.kind !== "Service" && node.name.kind !== "Ingress") return undefined;
  const what = node.name.kind === "Service" ? "a load balancer" : "an ingress controller";
  return {
    code: "NoAddress",
    rank: RANK.symptom,
    node,
    clause: isClassless(node)
      ? `${shown(node.name)} names no ingress class, and the cluster has no default one, so no ingress controller gives it an address`
      : `${shown(node.name)} has no address yet: ${what} gives it one`,
    advice: [
      ...(isClassless(node) ? ["set `spec.ingressClassName`: `kubectl get ingressclasses` lists them"] : []),
      `check that the cluster has ${what}, and its events: \`kubectl describe ${node.name.kind.toLowerCase()} ${node.name.name} -n ${node.name.namespace}\``,
    ],
  };
}

/** The server gives an Ingress the default class when there is one. The annotation is the old way to name a class. */
function isClassless({ name, object }: Node): boolean {
  const annotation = object?.metadata.annotations?.["kubernetes.io/ingress.class"];
  return name.kind === "Ingress" && valueAt(object, "spec", "ingressClassName") === undefined && annotation === undefined;
}

function autoscaler(node: Node): Finding | undefined {
  const condition = node.conditions.find(({ type, status }) => (type === "ScalingActive" || type === "AbleToScale") && status === "False");
  if (node.name.kind !== "HorizontalPodAutoscaler" || condition === undefined) return undefined;
  const isWithoutMetrics = /^FailedGet\w*Metric/.test(condition.reason);
  const hasNoServer = isWithoutMetrics && /\(get \S+\.metrics\.k8s\.io\)/.test(condition.message);
  const why = hasNoServer ? "the cluster serves no metrics (metrics.k8s.io)" : clauseOf(condition.message);
  return {
    code: isWithoutMetrics ? "NoMetrics" : "NotScaling",
    rank: RANK.cause,
    node,
    clause: `${shown(node.name)} cannot scale: ${why}`,
    advice: hasNoServer
      ? ["install metrics-server, and check its APIService: `kubectl get apiservice v1beta1.metrics.k8s.io`"]
      : [`see its conditions: \`kubectl describe hpa ${node.name.name} -n ${node.name.namespace}\``],
    nextAttempt: "its controller tries again by itself every 15 seconds",
  };
}
