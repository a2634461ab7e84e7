/** What the server adds to pods: priority, tolerations, their class of service; and how long they take to go. */
import { cloneJson, isObject, type JsonObject } from "../internal/json.ts";
import type { Store, StoredObject } from "../storage.ts";

/** Completes a pod, as admission and the pod strategy of the real server do. */
export function preparePod(draft: JsonObject, previous: JsonObject | undefined, { store }: { readonly store: Store }): void {
  if (previous !== undefined && draft["spec"] === previous["spec"]) return;
  const spec: JsonObject = { ...(isObject(draft["spec"]) ? draft["spec"] : {}) };
  prioritise(spec, store);
  tolerate(spec);
  draft["spec"] = spec;
  if (previous === undefined) draft["status"] = { phase: "Pending", qosClass: serviceClass(spec) };
}

/** A pod that runs on a node stays until its kubelet deletes it with a grace period of zero. */
export function podGrace(pod: StoredObject, requested: number | undefined): number {
  const spec = isObject(pod["spec"]) ? pod["spec"] : {};
  if (!spec["nodeName"]) return 0;
  if (requested !== undefined) return Math.max(0, requested);
  const own = spec["terminationGracePeriodSeconds"];
  return typeof own === "number" ? own : 30;
}

function prioritise(spec: JsonObject, store: Store): void {
  const name = spec["priorityClassName"];
  const known = typeof name === "string" ? store.collection("priorityclasses.scheduling.k8s.io").get(name)?.object : undefined;
  const value = SYSTEM_PRIORITIES.get(String(name)) ?? known?.["value"] ?? 0;
  spec["priority"] ??= value;
  spec["preemptionPolicy"] ??= known?.["preemptionPolicy"] ?? "PreemptLowerPriority";
}

/** scheduling `SystemCriticalPriority`. */
const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000],
]);

/** Pods stay for five minutes on a node that is lost, unless they say otherwise (admission `DefaultTolerationSeconds`). */
function tolerate(spec: JsonObject): void {
  const given = Array.isArray(spec["tolerations"]) ? spec["tolerations"].filter(isObject) : [];
  const added = LOST.filter((key) => !given.some((one) => matches(one, key)));
  if (added.length === 0) return;
  spec["tolerations"] = [...given, ...added.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }))];
}

const LOST = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const;

function matches({ key, effect }: JsonObject, taint: string): boolean {
  return (key === taint || !key) && (effect === "NoExecute" || !effect);
}

function serviceClass(spec: JsonObject): string {
  const containers = [spec["containers"], spec["initContainers"]].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const demands = containers.map(({ resources }) => ({
    limits: computing(resources, "limits"),
    requests: computing(resources, "requests"),
  }));
  if (demands.every(({ limits, requests }) => limits.length === 0 && requests.length === 0)) return "BestEffort";
  const isGuaranteed = demands.every(({ limits, requests }) => limits.length === 2 && limits.join() === requests.join());
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

/** The amounts of cpu and memory, but for zero. */
function computing(resources: unknown, field: string): readonly string[] {
  const amounts = isObject(resources) && isObject(resources[field]) ? cloneJson(resources[field]) : {};
  return ["cpu", "memory"].flatMap((name) =>
    amounts[name] === undefined || amounts[name] === "0" ? [] : [`${name}=${String(amounts[name])}`],
  );
}
