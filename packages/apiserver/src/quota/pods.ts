/** How quotas count pods: their number, and what their containers request and are limited to. */
import { type Amounts, demandsOf, larger, podDemands, sum } from "../builtin/demands.ts";
import { quantityNanos } from "../builtin/quantity.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { jsonEqual } from "@treadle/apimachinery";
import { at, conditionAt, listAt, numberAt, objectAt, textAt } from "../internal/read.ts";
import type { Evaluator } from "./evaluator.ts";
import { type Scope, selectsName } from "./scopes.ts";

export const pods: Evaluator = {
  counts: (resource) => NAMES.has(resource) || /^(requests\.)?hugepages-/.test(resource) || isExtended(resource),
  handles: ({ object, previous, subresource }) =>
    subresource === "resize" || (subresource === "" && (previous === undefined || isTerminating(object) !== isTerminating(previous))),
  usage: podUsage,
  isIn,
  problem(pod, resources) {
    const { requests, limits } = demandsOf(objectAt(pod, "spec"));
    // Demands of the pod itself replace those of its containers.
    if ([...Object.keys(requests), ...Object.keys(limits)].some((name) => POD_LEVEL.test(name))) return undefined;
    const containers = [...listAt(pod, "spec", "containers"), ...listAt(pod, "spec", "initContainers")];
    const missing = resources
      .filter((resource) => REQUIRED.has(resource))
      .toSorted()
      .flatMap((resource) => {
        const without = containers.filter((container) => computed(demandsOf(container))[resource] === undefined);
        const names = [...new Set(without.map((container) => textAt(container, "name")))].toSorted();
        return names.length === 0 ? [] : [`${resource} for: ${names.join(",")}`];
      });
    return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
  },
  releases: (pod, previous, nowMs) =>
    isTerminating(pod) !== isTerminating(previous) || !jsonEqual(podUsage(pod, nowMs), podUsage(previous, nowMs)),
};

const REQUIRED: ReadonlySet<string> = new Set(["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"]);
const STORAGE = "ephemeral-storage";
const NAMES: ReadonlySet<string> = new Set([...REQUIRED, STORAGE, `requests.${STORAGE}`, `limits.${STORAGE}`, "pods", "count/pods"]);
const POD_LEVEL = /^(cpu$|memory$|hugepages-)/;

/** Reports whether a resource of a quota is that of a device, such as `requests.example.com/gpu`. */
function isExtended(resource: string): boolean {
  if (!resource.startsWith("requests.")) return false;
  return (
    (resource.includes("/") && !resource.includes("kubernetes.io/")) || resource.startsWith("requests.deviceclass.resource.kubernetes.io/")
  );
}

/** A pod that has ended uses only its place in the store. */
function podUsage(pod: JsonObject, nowMs: number): Amounts {
  const stored = { "count/pods": "1" };
  if (hasEnded(pod, nowMs)) return stored;
  const spec = objectAt(pod, "spec");
  const { requests, limits } = podDemands(asResized(spec, pod));
  const overhead = Object.fromEntries(Object.entries(objectAt(spec, "overhead")).map(([name, amount]) => [name, String(amount)]));
  const limited = Object.entries(overhead).filter(([name]) => quantityNanos(limits[name]) !== 0n);
  return {
    ...stored,
    pods: "1",
    ...computed({ requests: sum(requests, overhead), limits: sum(limits, Object.fromEntries(limited)) }),
  };
}

/** Returns demands by the names that quotas have for them. */
function computed({ requests, limits }: { readonly requests: Amounts; readonly limits: Amounts }): Amounts {
  const named: Record<string, string> = {};
  for (const [name, amount] of Object.entries(requests)) {
    const isNative = COMPUTE.has(name) || name.startsWith("hugepages-");
    if (isNative) named[name] = amount;
    if (isNative || (name.includes("/") && !name.includes("kubernetes.io/"))) named[`requests.${name}`] = amount;
  }
  for (const [name, amount] of Object.entries(limits)) if (COMPUTE.has(name)) named[`limits.${name}`] = amount;
  return named;
}

const COMPUTE: ReadonlySet<string> = new Set(["cpu", "memory", STORAGE]);

/** Reports whether a pod has finished, or should have been deleted long ago. */
function hasEnded(pod: JsonObject, nowMs: number): boolean {
  const phase = textAt(pod, "status", "phase");
  if (phase === "Failed" || phase === "Succeeded") return true;
  const [deletion, graceSeconds] = [textAt(pod, "metadata", "deletionTimestamp"), at(pod, "metadata", "deletionGracePeriodSeconds")];
  return deletion !== "" && typeof graceSeconds === "number" && nowMs > Date.parse(deletion) + graceSeconds * 1000;
}

/** Returns the spec with the resources that running containers have: those of a resize are used when they are granted, too. */
function asResized(spec: JsonObject, pod: JsonObject): JsonObject {
  const statuses = [...listAt(pod, "status", "containerStatuses"), ...listAt(pod, "status", "initContainerStatuses")];
  const resized = new Map(statuses.filter(({ resources }) => isObject(resources)).map((status) => [textAt(status, "name"), status]));
  if (resized.size === 0) return spec;
  const isInfeasible = textAt(conditionAt(pod, "PodResizePending"), "reason") === "Infeasible";
  const effective = (container: JsonObject): JsonObject => {
    const status = resized.get(textAt(container, "name"));
    if (status === undefined) return container;
    const [wanted, actual] = [demandsOf(container), demandsOf(status)];
    const allocated = demandsOf({ resources: { requests: status["allocatedResources"] } }).requests;
    const requests = larger(isInfeasible ? {} : wanted.requests, larger(actual.requests, allocated));
    return { ...container, resources: { requests, limits: isInfeasible ? actual.limits : larger(wanted.limits, actual.limits) } };
  };
  return {
    ...spec,
    containers: listAt(spec, "containers").map(effective),
    initContainers: listAt(spec, "initContainers").map((one) => (one["restartPolicy"] === "Always" ? effective(one) : one)),
  };
}

function isIn(pod: JsonObject, scope: Scope): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return textAt(pod, "status", "qosClass") === "BestEffort";
    case "NotBestEffort":
      return textAt(pod, "status", "qosClass") !== "BestEffort";
    case "PriorityClass":
      return selectsName(
        scope,
        [textAt(pod, "spec", "priorityClassName")].filter((name) => name !== ""),
      );
    case "CrossNamespacePodAffinity":
      return crossesNamespaces(pod);
    default:
      return false;
  }
}

function isTerminating(pod: JsonObject): boolean {
  return at(pod, "spec", "activeDeadlineSeconds") !== undefined && numberAt(pod, "spec", "activeDeadlineSeconds") >= 0;
}

function crossesNamespaces(pod: JsonObject): boolean {
  return ["podAffinity", "podAntiAffinity"].some((affinity) => {
    const terms = objectAt(pod, "spec", "affinity", affinity);
    const preferred = listAt(terms, "preferredDuringSchedulingIgnoredDuringExecution").map((one) => objectAt(one, "podAffinityTerm"));
    return [...listAt(terms, "requiredDuringSchedulingIgnoredDuringExecution"), ...preferred].some(
      (term) => (Array.isArray(term["namespaces"]) && term["namespaces"].length > 0) || isObject(term["namespaceSelector"]),
    );
  });
}
