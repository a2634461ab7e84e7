/** What stops an object whatever its parts do: a deletion, a pause, its namespace, an operator that does not run. */
import { shown } from "../../cluster/object-name.ts";
import { listAt, textAt, valueAt } from "../../json.ts";
import { type LeaseNote, type Node, nodesOf, type Situation } from "../../inspect/situation.ts";
import { duration } from "../../terminal/layout.ts";
import { clauseOf, type Finding, RANK, type Rule } from "../finding.ts";

export const lifecycleRules: readonly Rule[] = [deletion, namespaceEnd, pause, operatorDown, notObserved, noStatus];

/** Others end a deletion within seconds. */
const USUAL_DELETION_MS = 30_000;

function deletion(node: Node, situation: Situation): Finding | undefined {
  const { deletionTimestamp, finalizers = [] } = node.object?.metadata ?? {};
  if (deletionTimestamp === undefined || node.name.kind === "Namespace") return undefined;
  const ageMs = situation.nowMs - Date.parse(deletionTimestamp);
  const isRoot = node.relation.type === "root";
  if (!isRoot && ageMs < USUAL_DELETION_MS) return undefined;
  const since = ageMs < 0 ? "" : ` for ${duration(ageMs)}`;
  const held =
    finalizers.length === 0
      ? ""
      : `, and ${finalizers.length === 1 ? "the finalizer" : "the finalizers"} ${finalizers.join(", ")} ${finalizers.length === 1 ? "holds" : "hold"} it`;
  const own = node.conditions.find(({ type, reason, message }) => type === "Ready" && reason === "Deleting" && message !== "");
  const down = isRoot && finalizers.length > 0 ? operatorProblem(situation) : undefined;
  const why = down ?? (own === undefined ? undefined : clauseOf(own.message));
  return {
    code: "Deleting",
    rank: isRoot ? RANK.decisive : RANK.cause,
    node,
    clause: `${shown(node.name)} is being deleted${since}${held}${why === undefined ? "" : `: ${why}`}`,
    advice: adviceOfDeletion(node, { isOfTreadle: situation.isOfTreadle, isDown: down !== undefined }),
    nextAttempt: finalizers.length === 0 ? "it ends by itself" : "it ends when the finalizers are removed",
  };
}

function adviceOfDeletion(
  { object, name }: Node,
  { isOfTreadle, isDown }: { readonly isOfTreadle: boolean; readonly isDown: boolean },
): readonly string[] {
  const finalizers = object?.metadata.finalizers ?? [];
  const known = finalizers.flatMap((each) => FINALIZERS[each] ?? []);
  if (known.length > 0) return known;
  if (finalizers.length === 0) return ["wait"];
  const start = isDown
    ? ["start the operator: it removes its finalizer when its cleanup is done"]
    : ["check the operator that owns the finalizer: it removes it when its cleanup is done"];
  const place = name.namespace === undefined ? "" : ` -n ${name.namespace}`;
  const skip = isOfTreadle
    ? `to give up the cleanup: \`kubectl annotate ${name.kind.toLowerCase()} ${name.name}${place} treadle.dev/skip-cleanup=HANDLER\`; what the cleanup would remove stays`
    : `if the operator no longer exists, remove the finalizer by hand: \`kubectl edit ${name.kind.toLowerCase()} ${name.name}${place}\`; what its cleanup would remove stays`;
  return [...start, skip];
}

/** Finalizers of Kubernetes, and what they wait for. */
const FINALIZERS: Readonly<Record<string, string>> = {
  "kubernetes.io/pvc-protection": "delete the pods that use the claim",
  "kubernetes.io/pv-protection": "delete the claim that uses the volume",
  foregroundDeletion: "wait until the objects that it owns are deleted: look for one that is held below",
  orphan: "wait until the garbage collector has released the objects that it owns",
  "service.kubernetes.io/load-balancer-cleanup":
    "check the controller of load balancers: it removes the finalizer when the load balancer is deleted",
  "customresourcecleanup.apiextensions.k8s.io": "delete the objects of the CRD: one of them is held by a finalizer",
};

function namespaceEnd(node: Node, { namespace, nowMs }: Situation): Finding | undefined {
  const isItself = node.name.kind === "Namespace" && node.name.apiVersion === "v1" && node.relation.type === "root";
  const ending = isItself ? node.object : namespace;
  if (node.relation.type !== "root" || ending?.metadata.deletionTimestamp === undefined) return undefined;
  if (!isItself && node.object?.metadata.deletionTimestamp !== undefined) return undefined;
  const age = duration(nowMs - Date.parse(ending.metadata.deletionTimestamp));
  const remains = listAt(ending, "status", "conditions")
    .filter((each) => textAt(each, "status") === "True" && textAt(each, "message") !== "")
    .map((each) => clauseOf(textAt(each, "message")));
  return {
    code: "NamespaceTerminating",
    rank: RANK.decisive,
    node,
    clause: `the namespace ${ending.metadata.name} is being deleted since ${age}, so nothing is created in it${remains.length === 0 ? "" : `: ${remains.join("; ")}`}`,
    advice: ["create the object in another namespace, or again when the namespace no longer exists"],
    nextAttempt: "none: everything in the namespace is deleted",
  };
}

/** Annotations that pause an object, of Treadle, Crossplane and Cluster API. */
const PAUSES = ["treadle.dev/paused", "crossplane.io/paused", "cluster.x-k8s.io/paused"];

function pause(node: Node): Finding | undefined {
  if (node.object === undefined || node.name.kind === "Deployment") return undefined;
  const annotations = node.object.metadata.annotations ?? {};
  const annotation = PAUSES.find((key) => annotations[key] === "true" || (key.startsWith("cluster.x-k8s.io") && annotations[key] === ""));
  const condition = node.conditions.find(({ type, status }) => (type === "Paused" || type === "Suspended") && status === "True");
  const hasSuspend = /toolkit\.fluxcd\.io/.test(node.name.apiVersion) || node.name.kind === "CronJob";
  const isSuspended = hasSuspend && valueAt(node.object, "spec", "suspend") === true;
  if (annotation === undefined && condition === undefined && !isSuspended) return undefined;
  const place = node.name.namespace === undefined ? "" : ` -n ${node.name.namespace}`;
  const reason = condition === undefined || condition.message === "" ? "" : `: ${clauseOf(condition.message)}`;
  const by = annotation === undefined ? reason : ` by the annotation ${annotation}`;
  return {
    code: "Paused",
    rank: node.relation.type === "root" ? RANK.decisive : RANK.cause,
    node,
    clause: `${shown(node.name)} is ${isSuspended ? "suspended by `spec.suspend`" : `paused${by}`}`,
    advice: [
      annotation === undefined
        ? "end the pause in its spec, or as the condition says"
        : `resume it: \`kubectl annotate ${node.name.kind.toLowerCase()} ${node.name.name}${place} ${annotation}-\``,
    ],
    nextAttempt: "none while it is paused",
  };
}

/** Returns why the operator does not work, by its leases; `undefined` if it works, or has no lease. */
export function operatorProblem({ leases, nowMs }: Situation): string | undefined {
  const [first] = leases;
  if (first === undefined || leases.some((lease) => isCurrent(lease, nowMs))) return undefined;
  const name = `${first.namespace}/${first.name}`;
  if (first.holder === "")
    return `its operator does not run: no process holds the lease ${name}${first.renewedMs === undefined ? "" : `, which was released ${duration(nowMs - first.renewedMs)} ago`}`;
  const age = first.renewedMs === undefined ? "never" : `${duration(nowMs - first.renewedMs)} ago`;
  return `its operator does not run: the lease ${name} was last renewed ${age}, by ${first.holder}`;
}

/** Clocks of machines differ, so a lease counts for twice its duration. */
function isCurrent({ holder, renewedMs, durationMs }: LeaseNote, nowMs: number): boolean {
  return holder !== "" && renewedMs !== undefined && nowMs - renewedMs <= 2 * durationMs + 10_000;
}

function operatorDown(node: Node, situation: Situation): Finding | undefined {
  const problem = node.relation.type === "root" ? operatorProblem(situation) : undefined;
  if (problem === undefined || node.object === undefined) return undefined;
  const hasOther = [...nodesOf(node)].some((each) => each !== node && each.health.type !== "Ready");
  const isBehind = behindBy(node) !== undefined || valueAt(node.object, "status") === undefined;
  return {
    code: "OperatorDown",
    rank: isBehind || !hasOther ? RANK.decisive : RANK.symptom,
    node,
    clause: problem,
    advice: ["start the operator, and look at its log: `kubectl get pods -A` shows whether its pod runs"],
    nextAttempt: "when the operator runs again",
  };
}

function behindBy({ object, conditions }: Node): { readonly generation: number; readonly observed: number } | undefined {
  const generation = object?.metadata.generation;
  const observed = valueAt(object, "status", "observedGeneration") ?? conditions.find(({ type }) => type === "Ready")?.observedGeneration;
  return generation === undefined || typeof observed !== "number" || observed >= generation ? undefined : { generation, observed };
}

function notObserved(node: Node): Finding | undefined {
  const behind = behindBy(node);
  if (behind === undefined) return undefined;
  return {
    code: "NotObserved",
    rank: RANK.symptom,
    node,
    clause: `the controller of ${shown(node.name)} has not seen its last change: the status is about generation ${behind.observed}, and the object has generation ${behind.generation}`,
    advice: ["if it lasts, check that the controller runs and may watch the object: look at its log"],
  };
}

/** A kind with a status that no controller has written: nothing else says why. */
function noStatus(node: Node, { nowMs }: Situation): Finding | undefined {
  if (node.relation.type !== "root" || node.object === undefined || node.health.reason !== "NoStatus") return undefined;
  const age = duration(nowMs - Date.parse(node.object.metadata.creationTimestamp ?? ""));
  return {
    code: "NoStatus",
    rank: RANK.symptom,
    node,
    clause: `no operator has written a status since it was created ${age} ago`,
    advice: ["check that the operator of this kind is installed, runs and watches this namespace: `kubectl get pods -A`"],
  };
}
