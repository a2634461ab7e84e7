/** What the server adds to pods: priority, tolerations and QoS class; and their grace period. */
import { cloneJson, isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt } from "../internal/read.ts";
import { forbiddenError } from "../errors/status-errors.ts";
import type { Store } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import { giveDefaults } from "./limit-ranges.ts";

/** Completes a pod as admission and the pod strategy of the real server do. @throws StatusError 403 */
export function preparePod(draft: Draft, previous: JsonObject | undefined, { store }: { readonly store: Store }): void {
  if (previous !== undefined && draft["spec"] === previous["spec"]) return;
  const spec: JsonObject = { ...objectAt(draft, "spec") };
  if (Number(spec["terminationGracePeriodSeconds"]) < 0) spec["terminationGracePeriodSeconds"] = 1;
  if (previous === undefined) {
    giveDefaults(draft, spec, store);
    prioritise(nameBefore(draft), spec, store);
  } else if (isObject(previous["spec"])) {
    // A client may omit what the server computed.
    for (const field of ["priority", "preemptionPolicy"])
      if (previous["spec"][field] !== undefined) spec[field] ??= previous["spec"][field];
  }
  tolerate(spec);
  draft["spec"] = spec;
  if (previous === undefined) draft["status"] = { phase: "Pending", qosClass: serviceClass(spec) };
}

/** Makes `podIP` the first of `podIPs`, as the real server reads a pod: a given `podIP` decides. */
export function pairAddresses(draft: JsonObject): void {
  const { status } = draft;
  if (!isObject(status)) return;
  const { podIP } = status;
  const [first] = listAt(status, "podIPs");
  if (podIP) {
    if (first?.["ip"] !== podIP) draft["status"] = { ...status, podIPs: [{ ip: podIP }] };
  } else if (first?.["ip"]) draft["status"] = { ...status, podIP: first["ip"] };
}

/**
 * Returns the grace period of a deletion. A running pod stays until its kubelet deletes it with a grace period of zero. A
 * finished pod is deleted at once.
 */
export function podGrace(pod: StoredObject, requested: number | undefined): number {
  const spec = objectAt(pod, "spec");
  const { phase } = objectAt(pod, "status");
  if (!spec["nodeName"] || phase === "Succeeded" || phase === "Failed") return 0;
  if (requested !== undefined) return Math.max(0, requested);
  const own = spec["terminationGracePeriodSeconds"];
  return typeof own === "number" ? own : 30;
}

/** Returns the name as admission sees it before the server generates the rest of it. */
function nameBefore({ metadata: { name, generateName } }: Draft): string {
  const isGenerated = typeof generateName === "string" && name.slice(0, -GENERATED) === generateName.slice(0, MAX_BASE);
  return isGenerated ? generateName : name;
}

/** Lengths of the parts of a generated name (k8s.io/apiserver `storage/names`). */
const GENERATED = 5;
const MAX_BASE = 58;

/** Sets the priority of the class. A pod may only name the same priority itself (admission `Priority`). @throws StatusError 403 */
function prioritise(pod: string, spec: JsonObject, store: Store): void {
  const refuse = (cause: string): never => {
    throw forbiddenError({ group: "", resource: "pods" }, pod, cause);
  };
  const classes = store.collection("priorityclasses.scheduling.k8s.io");
  if (!spec["priorityClassName"]) {
    const general = classes.all().find(({ object }) => object["globalDefault"] === true);
    if (general !== undefined) spec["priorityClassName"] = general.object.metadata.name;
  }
  const name = String(spec["priorityClassName"] ?? "");
  const known = classes.get(name)?.object;
  const system = SYSTEM_PRIORITIES.get(name);
  if (name !== "" && known === undefined && system === undefined) refuse(`no PriorityClass with name ${name} was found`);
  const computed = { priority: system ?? known?.["value"] ?? 0, preemptionPolicy: known?.["preemptionPolicy"] ?? "PreemptLowerPriority" };
  const { priority = computed.priority, preemptionPolicy = computed.preemptionPolicy } = spec;
  const cause = "must not be provided in pod spec; priority admission controller computed";
  if (priority !== computed.priority)
    refuse(`the integer value of priority (${String(priority)}) ${cause} ${String(computed.priority)} from the given PriorityClass name`);
  if (preemptionPolicy !== computed.preemptionPolicy)
    refuse(
      `the string value of PreemptionPolicy (${String(preemptionPolicy)}) ${cause} ${String(computed.preemptionPolicy)} from the given PriorityClass name`,
    );
  Object.assign(spec, computed);
}

/** scheduling `SystemCriticalPriority`. */
const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000],
]);

/** Adds the default tolerations: five minutes on a node that is not ready or unreachable (admission `DefaultTolerationSeconds`). */
function tolerate(spec: JsonObject): void {
  const given = listAt(spec, "tolerations");
  const added = LOST.filter((key) => !given.some((one) => matches(one, key)));
  if (added.length === 0) return;
  spec["tolerations"] = [...given, ...added.map((key) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }))];
}

const LOST = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] as const;

function matches({ key, effect }: JsonObject, taint: string): boolean {
  return (key === taint || !key) && (effect === "NoExecute" || !effect);
}

function serviceClass(spec: JsonObject): string {
  const containers = [spec["containers"], spec["initContainers"]].flatMap((list) => listAt(list));
  // Resources of the pod itself count instead of those of its containers.
  const demanding = isObject(spec["resources"]) ? [spec] : containers;
  const demands = demanding.map(({ resources }) => ({
    limits: computing(resources, "limits"),
    requests: computing(resources, "requests"),
  }));
  if (demands.every(({ limits, requests }) => limits.length === 0 && requests.length === 0)) return "BestEffort";
  const isGuaranteed = demands.every(({ limits, requests }) => limits.length === 2 && limits.join() === requests.join());
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

/** Returns the amounts of cpu and memory, except zeros. */
function computing(resources: unknown, field: string): readonly string[] {
  const amounts = isObject(resources) && isObject(resources[field]) ? cloneJson(resources[field]) : {};
  return ["cpu", "memory"].flatMap((name) =>
    amounts[name] === undefined || amounts[name] === "0" ? [] : [`${name}=${String(amounts[name])}`],
  );
}
