/** The pods of a DaemonSet: their nodes and their specs. Pure. */
import { DaemonSet, type Node, type Pod } from "@treadle/apimachinery/kinds";
import { controllerReference } from "./adoption.ts";
import type { ControllerRevision } from "./controller-revisions.ts";
import { isWanted, untolerated } from "./placement.ts";
import type { Draft } from "./writer.ts";

export const HASH = "controller-revision-hash";
const GENERATION = "pod-template-generation";
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

type PodSpec = NonNullable<Pod["spec"]>;
type Toleration = NonNullable<PodSpec["tolerations"]>[number];

/** Tolerations that kube-controller-manager adds to each daemon pod (`AddOrUpdateDaemonPodTolerations`). */
const TOLERATIONS: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
const NO_NETWORK: Toleration = { key: "node.kubernetes.io/network-unavailable", operator: "Exists", effect: "NoSchedule" };

export interface Fit {
  /** Whether the node needs a pod. */
  readonly shouldRun: boolean;
  /** Whether an existing pod may stay. */
  readonly mayStay: boolean;
}

export function fitOf(set: DaemonSet, node: Node): Fit {
  const spec = specOf(set);
  const pod = { metadata: { name: "" }, spec } as Pod; // placement looks into nothing else
  if (!isWanted(pod, node) || (spec.nodeName && spec.nodeName !== node.metadata.name)) return { shouldRun: false, mayStay: false };
  return {
    shouldRun: untolerated(pod, node, ["NoSchedule", "NoExecute"]) === undefined,
    mayStay: untolerated(pod, node, ["NoExecute"]) === undefined,
  };
}

/** Returns the spec of the pods, without the node. */
function specOf({ spec }: DaemonSet): PodSpec {
  const pod = (spec?.template.spec ?? { containers: [] }) as PodSpec;
  const own = [...TOLERATIONS, ...(pod.hostNetwork === true ? [NO_NETWORK] : [])];
  const given = (pod.tolerations ?? []).filter((one) => !own.some(({ key, effect }) => key === one.key && effect === one.effect));
  return { ...pod, tolerations: [...given, ...own] };
}

export function daemonPod(set: DaemonSet, node: string, revision: ControllerRevision): Draft {
  const { labels, annotations, finalizers } = set.spec?.template.metadata ?? {};
  const spec = specOf(set);
  const terms = { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }] };
  const nodeAffinity = { ...spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: terms };
  return {
    metadata: {
      generateName: `${set.metadata.name}-`,
      labels: { ...labels, [HASH]: revision.metadata.labels?.[HASH], [GENERATION]: set.metadata.annotations?.[TEMPLATE_GENERATION] ?? "1" },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(DaemonSet, set)],
    },
    spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity } },
  };
}

/** Returns the node of a pod, or the node that it is meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields = [] }) => matchFields.filter(({ key }) => key === "metadata.name"))[0]?.values?.[0];
}
