/** Decides whether a pod may run on a node: readiness, cordons, node selectors, required node affinity, taints. */
import type { Node, Pod } from "@treadle/apimachinery/kinds";

type Affinity = NonNullable<NonNullable<NonNullable<Pod["spec"]>["affinity"]>["nodeAffinity"]>;
type Term = NonNullable<Affinity["requiredDuringSchedulingIgnoredDuringExecution"]>["nodeSelectorTerms"][number];
type Requirement = NonNullable<Term["matchExpressions"]>[number];
type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

/** Returns the reason why the pod cannot run on the node, in the words of the scheduler, or `undefined`. */
export function obstacle(pod: Pod, node: Node): string | undefined {
  const taint = untolerated(pod, node, ["NoSchedule", "NoExecute"]);
  const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  if (node.spec?.unschedulable === true && !isTolerated(pod, cordon)) return "node(s) were unschedulable";
  if (taint !== undefined) return `node(s) had untolerated taint(s)`;
  if (node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") !== true)
    return "node(s) had untolerated taint(s)";
  return isWanted(pod, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

/** Returns the first taint with one of these effects that the pod does not tolerate. */
export function untolerated(pod: Pod, { spec }: Node, effects: readonly string[]): Taint | undefined {
  return (spec?.taints ?? []).find((taint) => effects.includes(taint.effect) && !isTolerated(pod, taint));
}

function isTolerated({ spec }: Pod, taint: Taint): boolean {
  return (spec?.tolerations ?? []).some(({ key, operator, value, effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (!key) return operator === "Exists";
    return key === taint.key && (operator === "Exists" || (value ?? "") === (taint.value ?? ""));
  });
}

/** Reports whether the node selector and one of the required terms match. */
export function isWanted({ spec }: Pod, { metadata }: Node): boolean {
  const labels = metadata.labels ?? {};
  if (Object.entries(spec?.nodeSelector ?? {}).some(([label, value]) => labels[label] !== value)) return false;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined) return true;
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    // An empty term matches nothing.
    if (matchExpressions.length + matchFields.length === 0) return false;
    const fields = { "metadata.name": metadata.name };
    return matchExpressions.every((one) => fits(one, labels)) && matchFields.every((one) => fits(one, fields));
  });
}

function fits({ key, operator, values = [] }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}
