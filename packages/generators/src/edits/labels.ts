/** An edit that adds labels. */
import { type KubernetesObject, labelKeyProblems, labelValueProblems, parseApiVersion } from "@treadle/apimachinery";
import type { Edit, Manifest } from "@treadle/dependents";
import { givenFor } from "./given.ts";
import { refusalsOf, type Refuse, whatIs } from "./mistake.ts";
import { changedAt, isFields, parsedPath } from "../fields.ts";
import type { AnyContext, Given } from "./types.ts";

/** Options of {@link labels}. */
export interface LabelsOptions {
  /** Whether the labels are added to the templates of pods and Jobs as well. @defaultValue false */
  readonly templates?: boolean;
  /**
   * Whether the labels are added to templates, to claim templates and to selectors as well. Selectors of workloads cannot be changed: the
   * server refuses the update of objects that exist without these labels. Objects outside of the set lose what they selected. So set it
   * for new applications only. @defaultValue false
   */
  readonly selectors?: boolean;
}

/**
 * Returns an edit that adds labels to all objects, as `labels` of a kustomization. A label with the same key is replaced.
 *
 * @throws TypeError for labels that are not valid; from a function, when the edit runs
 */
export function labels<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  pairs: Given<Readonly<Record<string, string>>, T, R, V>,
  options: LabelsOptions = {},
): Edit<T, R, V> {
  const refuse = refusalsOf("labels");
  const pairsFor = givenFor(pairs, (value) => requireLabels(value, refuse));
  return (each, owner, context) => {
    const given = pairsFor(owner, context);
    const places = placesOf(each, options);
    return places.reduce<unknown>((object, { path, create }) => added(object, path, given, create), each) as Manifest; // Only labels change.
  };
}

function added(object: unknown, path: string, pairs: Readonly<Record<string, string>>, create: boolean): unknown {
  return changedAt(object, parsedPath(path), (present) => ({ ...(isFields(present) ? present : {}), ...pairs }), create);
}

function requireLabels(pairs: unknown, refuse: Refuse): void {
  if (!isFields(pairs)) throw refuse(`got ${whatIs(pairs)}: give an object of texts, such as { team: "a" }`);
  for (const [key, value] of Object.entries(pairs)) {
    const [problem] = labelKeyProblems(key);
    if (problem !== undefined) throw refuse(`${JSON.stringify(key)} is not a key of a label: ${problem}`);
    if (typeof value !== "string") throw refuse(`the label ${key} is ${whatIs(value)}: write a text`);
    const [wrong] = labelValueProblems(value);
    if (wrong !== undefined) throw refuse(`the label ${key} has a value that is not valid: ${wrong}`);
  }
}

interface Place {
  readonly path: string;
  /** Whether missing objects on the path are made. */
  readonly create: boolean;
}

function placesOf(each: Manifest, { templates = false, selectors = false }: LabelsOptions): readonly Place[] {
  const { group, version } = parseApiVersion(each.apiVersion);
  const rules = [{ path: "metadata/labels", create: true }, ...(templates || selectors ? TEMPLATES : []), ...(selectors ? SELECTORS : [])];
  return rules.filter((rule: Rule) => {
    const isKind = rule.kinds === undefined || rule.kinds.includes(each.kind);
    return isKind && (rule.group === undefined || rule.group === group) && (rule.version === undefined || rule.version === version);
  });
}

/** Where a kind has labels. A field that is absent fits every value. */
interface Rule extends Place {
  readonly kinds?: readonly string[];
  readonly group?: string;
  readonly version?: string;
}

const POD_TEMPLATE = "spec/template/metadata/labels";

const TEMPLATES: readonly Rule[] = [
  { kinds: ["ReplicationController"], version: "v1", path: POD_TEMPLATE, create: true },
  { kinds: ["Deployment", "ReplicaSet", "DaemonSet"], path: POD_TEMPLATE, create: true },
  { kinds: ["StatefulSet"], group: "apps", path: POD_TEMPLATE, create: true },
  { kinds: ["Job"], group: "batch", path: POD_TEMPLATE, create: true },
  { kinds: ["CronJob"], group: "batch", path: "spec/jobTemplate/metadata/labels", create: true },
  { kinds: ["CronJob"], group: "batch", path: "spec/jobTemplate/spec/template/metadata/labels", create: true },
];

const AFFINITIES: readonly Rule[] = [
  "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
  "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
  "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
  "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
  "topologySpreadConstraints/labelSelector/matchLabels",
].map((path) => ({ kinds: ["Deployment", "StatefulSet"], group: "apps", path: `spec/template/spec/${path}`, create: false }));

const NETWORK: readonly Rule[] = [
  "spec/podSelector/matchLabels",
  "spec/ingress/from/podSelector/matchLabels",
  "spec/egress/to/podSelector/matchLabels",
].map((path) => ({ kinds: ["NetworkPolicy"], group: "networking.k8s.io", path, create: false }));

const SELECTORS: readonly Rule[] = [
  { kinds: ["Service", "ReplicationController"], version: "v1", path: "spec/selector", create: true },
  { kinds: ["Deployment", "ReplicaSet", "DaemonSet"], path: "spec/selector/matchLabels", create: true },
  { kinds: ["StatefulSet"], group: "apps", path: "spec/selector/matchLabels", create: true },
  { kinds: ["StatefulSet"], group: "apps", path: "spec/volumeClaimTemplates[]/metadata/labels", create: true },
  { kinds: ["Job"], group: "batch", path: "spec/selector/matchLabels", create: false },
  { kinds: ["CronJob"], group: "batch", path: "spec/jobTemplate/spec/selector/matchLabels", create: false },
  { kinds: ["PodDisruptionBudget"], group: "policy", path: "spec/selector/matchLabels", create: false },
  ...AFFINITIES,
  ...NETWORK,
];
