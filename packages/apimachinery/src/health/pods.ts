/** Pods, and what pods say about the workload that they belong to. */
import { messageOf, reasonOf } from "./common.ts";
import { conditionAt, conditionsOf, fieldsAt, integerAt, isFields, listAt, Malformed, textAt } from "./fields.ts";
import { failed, type Fields, type Health, pending, READY, type Subject, unknown } from "./verdict.ts";

export function pod({ status, conditions }: Subject): Health {
  const phase = textAt(status, "phase");
  const isReady = conditionAt(conditions, "Ready");
  switch (phase) {
    case "Succeeded":
      return READY;
    case "Failed":
      return failedPod(status);
    case "Running": {
      if (isReady?.status === "True") return READY;
      const waiting = waitingContainer(listAt(status, "containerStatuses"));
      if (waiting?.reason === "CrashLoopBackOff") return failed(waiting.reason, waiting.message);
      const trouble = troubleOf(status);
      if (trouble !== undefined) return pending(trouble.reason, trouble.message);
      return isReady === undefined
        ? pending("NotReady", "it runs and is not ready yet")
        : pending(reasonOf(isReady, "NotReady"), messageOf(isReady));
    }
    case "Pending": {
      const trouble = troubleOf(status);
      return trouble === undefined ? pending("NotStarted", "its containers do not run yet") : pending(trouble.reason, trouble.message);
    }
    case "":
      return pending("NotStarted", "it has no phase yet");
    case "Unknown":
      return unknown("NodeUnreachable", "its node does not report its state");
    default:
      return unknown("InvalidObject", `the phase ${JSON.stringify(phase.slice(0, 64))} is not a phase of a Pod`);
  }
}

/**
 * Adds to a verdict on a workload the reason of the pod that is worst off. The type stays: only the workload's own controller
 * knows whether the pods still get time. A verdict `Failed` keeps its reason, too.
 */
export function withReasonOfPods(verdict: Health, subject: Subject, pods: readonly unknown[]): Health {
  if (verdict.type !== "Pending" && verdict.type !== "Failed") return verdict;
  const labels = labelsOfPods(subject.spec);
  if (labels === undefined) return verdict;
  let worst: Trouble | undefined;
  for (const each of pods) {
    if (!isFields(each)) continue;
    const trouble = troubleOfPod(each, labels, subject);
    if (trouble === undefined) continue;
    // By rank, then by text: the order of the list does not count.
    if (worst === undefined || trouble.rank < worst.rank || (trouble.rank === worst.rank && trouble.message < worst.message))
      worst = trouble;
  }
  if (worst === undefined) return verdict;
  const message = `${verdict.message}; ${worst.message}`;
  return verdict.type === "Failed" ? { ...verdict, message } : pending(worst.reason, message);
}

/** Returns why a pod of the workload does not start or run. A pod without the shape of its kind says nothing. */
function troubleOfPod(pod: Fields, labels: Fields, subject: Subject): Trouble | undefined {
  try {
    const metadata = fieldsAt(pod, "metadata");
    if (!belongs(metadata, labels, subject) || textAt(metadata, "deletionTimestamp") !== "") return undefined;
    const found = troubleOf(fieldsAt(pod, "status"));
    return found === undefined ? undefined : { ...found, message: `pod ${textAt(metadata, "name")}: ${found.message}` };
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

interface Trouble {
  readonly rank: number;
  readonly reason: string;
  readonly message: string;
}

/** Returns the labels that select the pods; `undefined` for a workload without them: any pod could be another's. */
function labelsOfPods(spec: Fields | undefined): Fields | undefined {
  const labels = fieldsAt(fieldsAt(spec, "selector"), "matchLabels");
  return labels === undefined || Object.keys(labels).length === 0 ? undefined : labels;
}

function belongs(metadata: Fields | undefined, labels: Fields, { metadata: { namespace } }: Subject): boolean {
  if (metadata?.["namespace"] !== namespace) return false;
  const has = fieldsAt(metadata, "labels");
  return Object.entries(labels).every(([key, value]) => has?.[key] === value);
}

/** Returns why a pod does not start or run; `undefined` if it only needs more time. */
function troubleOf(status: Fields | undefined): Trouble | undefined {
  if (status === undefined) return undefined;
  const waiting = waitingContainer([...listAt(status, "initContainerStatuses"), ...listAt(status, "containerStatuses")]);
  if (waiting !== undefined) return { rank: 0, ...waiting };
  // A failed pod comes last: it may have been replaced long ago.
  if (textAt(status, "phase") === "Failed") return { rank: 2, ...failedPod(status) };
  const scheduled = conditionAt(conditionsOf(status), "PodScheduled");
  if (scheduled?.status !== "False") return undefined;
  return { rank: 1, reason: reasonOf(scheduled, "Unschedulable"), message: messageOf(scheduled) };
}

/** Waiting is normal with these reasons (pkg/kubelet/kubelet_pods.go). */
const STARTING: ReadonlySet<string> = new Set(["", "ContainerCreating", "PodInitializing"]);

function waitingContainer(containers: readonly Fields[]): { readonly reason: string; readonly message: string } | undefined {
  for (const container of containers) {
    const waiting = fieldsAt(fieldsAt(container, "state"), "waiting");
    const reason = textAt(waiting, "reason");
    if (waiting === undefined || STARTING.has(reason)) continue;
    const exit = fieldsAt(fieldsAt(container, "lastState"), "terminated");
    const text = textAt(waiting, "message");
    const message = `container ${textAt(container, "name")}: ${text === "" ? reason : text}${exitOf(exit)}`;
    return { reason: reasonOf({ reason }, "ContainerWaiting"), message };
  }
  return undefined;
}

/** The text that a container wrote when it ended is not shown: it may hold a secret. */
function exitOf(terminated: Fields | undefined): string {
  if (terminated === undefined) return "";
  const reason = textAt(terminated, "reason");
  return ` (last exit code ${integerAt(terminated, "exitCode") ?? "unknown"}${reason === "" ? "" : `, ${reason}`})`;
}

function failedPod(status: Fields): Health {
  const message = textAt(status, "message");
  return failed(
    reasonOf({ reason: textAt(status, "reason") }, "PodFailed"),
    message === "" ? "its containers ended with an error" : message,
  );
}
