/**
 * health: tells how an object of any kind is, from its own status.
 *
 * Guarantees
 * - Pure: no request, no clock, no change of the arguments. Equal objects give equal results.
 * - Any JSON value gives a result: a value without a kind, or without the shape of its kind, is `Unknown`.
 * - Built-in kinds are judged as kstatus and `kubectl rollout status` judge them. The differences are in `test/kstatus`.
 */
import { customResourceDefinition, apiService } from "./apis.ts";
import { judgedByCommonRules, judgedByReady } from "./common.ts";
import { daemonSet } from "./daemon-sets.ts";
import { deployment } from "./deployments.ts";
import { conditionsOf, fieldsAt, isFields, Malformed, textAt } from "./fields.ts";
import { type CheckedHint, checkedHint, type HealthHint, judgedByHint, withHint } from "./hint.ts";
import { cronJob, job } from "./jobs.ts";
import { ingress, service } from "./networks.ts";
import { pod, withReasonOfPods } from "./pods.ts";
import { autoscaler, disruptionBudget, namespace } from "./policies.ts";
import { replicaSet } from "./replica-sets.ts";
import { statefulSet } from "./stateful-sets.ts";
import { type Fields, type Health, type Rule, type Subject, unknown } from "./verdict.ts";
import { persistentVolume, persistentVolumeClaim } from "./volumes.ts";

/** Options of {@link health}. */
export interface HealthOptions {
  /**
   * Pods of a Deployment, StatefulSet, DaemonSet, ReplicaSet or Job, for a better reason than "0 of 2 replicas are available".
   * Pods of another namespace, and pods without the labels of `spec.selector.matchLabels`, do not count. @defaultValue none
   */
  readonly pods?: readonly object[];
  /** Facts about the status of the object that its kind does not tell. @defaultValue none */
  readonly hint?: HealthHint;
}

/**
 * Judges an object by its status. A built-in kind has its own rules; an object of any other kind is judged by
 * `status.observedGeneration` and the conditions Reconciling, Stalled and Ready. Without these it is ready when it exists.
 * It takes a few microseconds, never throws, and does not modify the object.
 */
export function health(object: unknown, options: HealthOptions = {}): Health {
  if (!isFields(object)) return unknown("InvalidObject", "it is not an object");
  try {
    return judged(object, podsIn(options), isFields(options) ? checkedHint(options["hint"]) : undefined);
  } catch (error) {
    if (error instanceof Malformed) return unknown("InvalidObject", error.message);
    throw error;
  }
}

/** Untyped code may give any value as options. */
function podsIn(options: unknown): readonly unknown[] | undefined {
  const pods = isFields(options) ? options["pods"] : undefined;
  return Array.isArray(pods) ? pods : undefined;
}

function judged(object: Fields, pods: readonly unknown[] | undefined, hint: CheckedHint | undefined): Health {
  const apiVersion = textAt(object, "apiVersion");
  const kind = textAt(object, "kind");
  if (apiVersion === "" || kind === "") return unknown("InvalidObject", "it has no apiVersion or no kind");
  const slash = apiVersion.indexOf("/");
  const status = fieldsAt(object, "status");
  const found: Subject = {
    version: apiVersion.slice(slash + 1),
    metadata: fieldsAt(object, "metadata") ?? NOTHING,
    spec: fieldsAt(object, "spec"),
    status: status ?? NOTHING,
    conditions: status === undefined ? [] : conditionsOf(status),
  };
  const subject = hint === undefined ? found : withHint(found, hint);
  const rule = RULES.get(`${slash === -1 ? "" : apiVersion.slice(0, slash)}/${kind}`) ?? judgedByReady;
  const verdict = judgedByCommonRules(subject) ?? rule(subject);
  const hinted = hint === undefined || verdict.type !== "Ready" ? verdict : (judgedByHint(subject, hint) ?? verdict);
  return pods === undefined || !WORKLOADS.has(rule) ? hinted : withReasonOfPods(hinted, subject, pods);
}

const NOTHING: Fields = Object.freeze({});

/** By group and kind. */
const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["apps/Deployment", deployment],
  ["apps/StatefulSet", statefulSet],
  ["apps/DaemonSet", daemonSet],
  ["apps/ReplicaSet", replicaSet],
  ["/ReplicationController", replicaSet],
  ["/Pod", pod],
  ["batch/Job", job],
  ["batch/CronJob", cronJob],
  ["apiextensions.k8s.io/CustomResourceDefinition", customResourceDefinition],
  ["apiregistration.k8s.io/APIService", apiService],
  ["/Service", service],
  ["networking.k8s.io/Ingress", ingress],
  ["/PersistentVolumeClaim", persistentVolumeClaim],
  ["/PersistentVolume", persistentVolume],
  ["autoscaling/HorizontalPodAutoscaler", autoscaler],
  ["policy/PodDisruptionBudget", disruptionBudget],
  ["/Namespace", namespace],
]);

/** The rules of the kinds whose pods have a say. */
const WORKLOADS: ReadonlySet<Rule> = new Set([deployment, statefulSet, daemonSet, replicaSet, job]);
