/**
 * What HorizontalPodAutoscalers read of metrics, and the number of replicas that follows (kubernetes
 * `podautoscaler/replica_calculator.go`). The resource metrics are those that a test reports. There are no custom and no
 * external metrics, as in a cluster without such an API.
 */
import type { HorizontalPodAutoscaler, Pod } from "@treadle/apimachinery/kinds";
import { canonicalQuantity, quantityNanos } from "../builtin/quantity.ts";
import { conditionOf } from "./pods.ts";

type Spec = NonNullable<HorizontalPodAutoscaler["spec"]>;
export type MetricSpec = NonNullable<Spec["metrics"]>[number];

/** What the metrics of an autoscaler say. */
export interface Reading {
  readonly namespace: string;
  readonly replicas: number;
  /** Pods of the target. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
  /** Whether there are resource metrics at all. */
  readonly hasMetrics: boolean;
  /** Whether there are metrics of a pod. */
  isMeasured(pod: Pod): boolean;
  /** Returns the use of a resource by a pod, or by one of its containers, as a quantity. */
  useOf(pod: Pod, resource: string, container: string | undefined): string | undefined;
  /** How far usage may differ from its target without a change. */
  readonly tolerance: { readonly down: number; readonly up: number };
}

/** A number of replicas that a metric asks for. */
export interface Proposal {
  readonly replicas: number;
  /** Name of the metric in reasons. */
  readonly name: string;
  readonly status: object;
}

/** A metric that cannot be read. */
export interface Unreadable {
  readonly reason: string;
  /** Text of the event and of the condition. */
  readonly cause: string;
  /** Text of the event about all metrics. */
  readonly summary: string;
}

/** Reads a metric. */
export function propose(metric: MetricSpec, reading: Reading): Proposal | Unreadable {
  const { resource, containerResource } = metric;
  if (resource !== undefined) return proposeResource({ ...resource, container: undefined }, reading);
  if (containerResource !== undefined) return proposeResource(containerResource, reading);
  return unreadable(metric, reading.namespace);
}

interface ResourceMetric {
  readonly name: string;
  readonly container: string | undefined;
  readonly target: { readonly averageValue?: string; readonly averageUtilization?: number };
}

function proposeResource(metric: ResourceMetric, reading: Reading): Proposal | Unreadable {
  const { name, container, target } = metric;
  try {
    const { replicas, current } = calculate(metric, reading);
    const kind = container === undefined ? "resource" : "container resource";
    const what = target.averageValue === undefined ? `${kind} utilization (percentage of request)` : "resource";
    const type = container === undefined ? "Resource" : "ContainerResource";
    const field = container === undefined ? "resource" : "containerResource";
    const status = { type, [field]: { name, ...(container === undefined ? {} : { container }), current } };
    return { replicas, name: `${name} ${what}`, status };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const cause = `failed to get ${name} ${target.averageValue === undefined ? "utilization" : "usage"}: ${error.message}`;
    return {
      reason: container === undefined ? "FailedGetResourceMetric" : "FailedGetContainerResourceMetric",
      cause,
      summary: `failed to get ${container === undefined ? `${name} resource` : `${container} container`} metric value: ${cause}`,
    };
  }
}

/** A reason why a metric cannot be read. */
class Problem extends Error {}

interface Calculated {
  readonly replicas: number;
  readonly current: { readonly averageUtilization?: number; readonly averageValue: string };
}

/** Amounts of pods by their names, in thousandths. */
type Values = ReadonlyMap<string, number>;

/** @throws Problem */
function calculate({ name, container, target }: ResourceMetric, reading: Reading): Calculated {
  const values = valuesOf(name, container, reading);
  if (reading.pods.length === 0) throw new Problem("no pods returned by selector while calculating replica count");
  const { ready, unready, missing } = grouped(name, values, reading);
  const known = new Map([...values].filter(([pod]) => ready.has(pod)));
  if (known.size === 0) throw new Problem("did not receive metrics for targeted pods (pods might be unready)");
  const { averageValue, averageUtilization = 0 } = target;
  const requests = averageValue === undefined ? requestsOf(name, container, reading) : undefined;
  const ratioOf = (some: Values): number => {
    if (averageValue !== undefined) return Math.trunc(total(some) / some.size) / milli(averageValue);
    return utilization(some, requests ?? new Map()) / averageUtilization;
  };
  const fallback = (pod: string): number =>
    averageValue === undefined ? Math.trunc(((requests?.get(pod) ?? 0) * Math.max(100, averageUtilization)) / 100) : milli(averageValue);
  const average = canonicalQuantity(`${Math.trunc(total(known) / known.size)}m`);
  return {
    replicas: replicasFor({ known, unready, missing, ratioOf, fallback }, reading),
    current: {
      ...(requests === undefined ? {} : { averageUtilization: utilization(known, requests) }),
      averageValue: name === "memory" ? binary(average) : average,
    },
  };
}

/** Returns the use of the running pods. @throws Problem */
function valuesOf(resource: string, container: string | undefined, { pods, hasMetrics, isMeasured, useOf }: Reading): Values {
  const values = new Map<string, number>();
  const measured = pods.filter((pod) => pod.status?.phase === "Running" && isMeasured(pod));
  for (const pod of measured) {
    const use = useOf(pod, resource, container);
    if (use !== undefined) values.set(pod.metadata.name, milli(use));
  }
  const problem = !hasMetrics
    ? "unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
    : measured.length > 0
      ? undefined
      : "no metrics returned from resource metrics API";
  if (problem !== undefined) throw new Problem(`unable to get metrics for resource ${resource}: ${problem}`);
  return values;
}

interface Groups {
  readonly ready: ReadonlySet<string>;
  readonly unready: ReadonlySet<string>;
  /** Pods without metrics. */
  readonly missing: ReadonlySet<string>;
}

function grouped(resource: string, values: Values, { pods, nowMs }: Reading): Groups {
  const groups = { ready: new Set<string>(), unready: new Set<string>(), missing: new Set<string>() };
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined || pod.status?.phase === "Failed") continue;
    if (pod.status?.phase === "Pending" || (values.has(name) && resource === "cpu" && isStarting(pod, nowMs))) groups.unready.add(name);
    else if (!values.has(name)) groups.missing.add(name);
    else groups.ready.add(name);
  }
  return groups;
}

/** Reports whether the use of cpu says nothing yet, because the pod starts. */
function isStarting(pod: Pod, nowMs: number): boolean {
  const ready = conditionOf(pod, "Ready");
  const startMs = Date.parse(pod.status?.startTime ?? "");
  if (ready === undefined || Number.isNaN(startMs)) return true;
  if (ready.status !== "False") return false;
  return startMs + CPU_INITIALIZATION_MS > nowMs || startMs + READINESS_DELAY_MS > Date.parse(ready.lastTransitionTime ?? "");
}

/** `--horizontal-pod-autoscaler-cpu-initialization-period` and `-initial-readiness-delay` of kube-controller-manager. */
const CPU_INITIALIZATION_MS = 300_000;
const READINESS_DELAY_MS = 30_000;

interface Usage {
  readonly known: Values;
  readonly unready: ReadonlySet<string>;
  readonly missing: ReadonlySet<string>;
  readonly ratioOf: (values: Values) => number;
  /** Returns what a pod without metrics is assumed to use when the number of pods would decrease. */
  readonly fallback: (pod: string) => number;
}

function replicasFor({ known, unready, missing, ratioOf, fallback }: Usage, { replicas, tolerance }: Reading): number {
  const isWithin = (ratio: number): boolean => 1 - tolerance.down <= ratio && ratio <= 1 + tolerance.up;
  const ratio = ratioOf(known);
  const countsUnready = unready.size > 0 && ratio > 1;
  if (!countsUnready && missing.size === 0) return isWithin(ratio) ? replicas : Math.ceil(ratio * known.size);
  // Pods without metrics must not cause a change in the direction in which the others point.
  const values = new Map(known);
  if (ratio !== 1) for (const pod of missing) values.set(pod, ratio < 1 ? fallback(pod) : 0);
  if (countsUnready) for (const pod of unready) values.set(pod, 0);
  const next = ratioOf(values);
  if (isWithin(next) || (ratio < 1 && next > 1) || (ratio > 1 && next < 1)) return replicas;
  const wanted = Math.ceil(next * values.size);
  return (next < 1 && wanted > replicas) || (next > 1 && wanted < replicas) ? replicas : wanted;
}

/** Returns the requests of each pod. @throws Problem */
function requestsOf(resource: string, container: string | undefined, { pods }: Reading): Values {
  const requests = pods.map((pod) => [pod.metadata.name, requestOf(pod, resource, container)] as const);
  return new Map(requests);
}

function requestOf(pod: Pod, resource: string, only: string | undefined): number {
  const { containers = [], initContainers = [], resources } = pod.spec ?? {};
  const own = resources?.requests;
  if (only === undefined && own !== undefined && Object.keys(own).length > 0) {
    if (own[resource] === undefined) throw new Problem(`missing pod-level request for ${resource} in Pod ${pod.metadata.name}`);
    return milli(own[resource]);
  }
  const running = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === "Always")];
  const counted = running.filter(({ name }) => only === undefined || name === only);
  if (only !== undefined && counted.length === 0) throw new Problem(`container ${only} not found in Pod ${pod.metadata.name}`);
  return counted.reduce((sum, { name, resources: demands }) => {
    const request = demands?.requests?.[resource];
    if (request === undefined) throw new Problem(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`);
    return sum + milli(request);
  }, 0);
}

/** @throws Problem */
function utilization(values: Values, requests: Values): number {
  const requested = [...values.keys()].reduce((sum, pod) => sum + (requests.get(pod) ?? 0), 0);
  if (requested === 0) throw new Problem("no metrics returned matched known pods");
  return Math.trunc((total(values) * 100) / requested);
}

function total(values: Values): number {
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}

function milli(quantity: string): number {
  return Number((quantityNanos(quantity) + 999_999n) / 1_000_000n);
}

function binary(quantity: string): string {
  const kibi = 1024n * 1_000_000_000n;
  const nanos = quantityNanos(quantity);
  return nanos !== 0n && nanos % kibi === 0n ? canonicalQuantity(`${nanos / kibi}Ki`) : quantity;
}

/** Returns the failure of a metric whose API a cluster without adapters does not have. */
function unreadable({ pods, object, external }: MetricSpec, namespace: string): Unreadable {
  const custom = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered";
  if (pods !== undefined) {
    const cause = `unable to get metric ${pods.metric.name}: ${custom}`;
    return { reason: "FailedGetPodsMetric", cause, summary: `failed to get pods metric value: ${cause}` };
  }
  if (object !== undefined) {
    const { describedObject, metric, target } = object;
    // The real server gives the arguments of this text in another order than it names them.
    const cause = `unable to get metric ${metric.name}: ${describedObject.kind} on ${namespace} ${describedObject.name}/${custom}`;
    const detail = target.type === "AverageValue" ? `failed to get ${metric.name} object metric: ` : "";
    return { reason: "FailedGetObjectMetric", cause, summary: `failed to get object metric value: ${detail}${cause}` };
  }
  const name = external?.metric.name ?? "";
  const isAverage = external?.target.averageValue !== undefined;
  const missing = `the server could not find the requested resource (get ${name}.external.metrics.k8s.io)`;
  const api = `unable to fetch metrics from external metrics API: ${missing}`;
  const cause = `unable to get external metric ${namespace}/${name}/${goSelector(external?.metric.selector)}: ${api}`;
  const detail = isAverage ? `failed to get ${name} external metric` : `failed to get external metric ${name}`;
  return { reason: "FailedGetExternalMetric", cause, summary: `failed to get ${name} external metric value: ${detail}: ${cause}` };
}

/** Formats a selector as Go does with `%+v`. */
function goSelector(selector: NonNullable<MetricSpec["external"]>["metric"]["selector"]): string {
  if (selector === undefined) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const pairs = labels.map(([key, value]) => `${key}: ${value},`).join("");
  const requirements = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join("")}},}`;
}
