/** The built-in kinds of Kubernetes as data: names, scope, subresources and the few rules beyond storage. */
import { isObject, type JsonObject } from "./internal/json.ts";
import { prepareNamespace } from "./namespaces.ts";
import { type Hooks, idOf, type NameRule, type ResourceType, type ScalePaths, type ServedVersion } from "./registry.ts";
import type { StoredObject } from "./storage.ts";
import { EVENTS } from "./events.ts";

/** One row of the table below. */
interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly scope?: "Cluster";
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly status?: true;
  readonly keepsStatus?: true;
  readonly scale?: true;
  /** metadata.generation counts changes of the spec. */
  readonly generation?: true;
  readonly name?: NameRule;
  readonly fields?: readonly string[];
  readonly createsOnUpdate?: true;
  readonly returnsDeleted?: true;
  readonly needsVersion?: true;
  readonly marksDeletion?: true;
  readonly orphansDependents?: true;
  readonly graceSeconds?: ResourceType["graceSeconds"];
  readonly hooks?: Hooks;
}

interface Group {
  readonly group: string;
  /** The first one is stored. */
  readonly versions: readonly string[];
  readonly rows: readonly Row[];
}

/** Every built-in kind that the server serves. */
export function builtInResources(): readonly ResourceType[] {
  return [...GROUPS.flatMap(({ group, versions, rows }) => rows.map((row) => toType(group, versions, row))), EVENTS];
}

const SCALE: ScalePaths = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
};

const all = ["all"] as const;

const GROUPS: readonly Group[] = [
  {
    group: "",
    versions: ["v1"],
    rows: [
      { kind: "ConfigMap", plural: "configmaps", short: ["cm"] },
      { kind: "Secret", plural: "secrets", fields: ["type"], hooks: { prepare: prepareSecret } },
      {
        kind: "Namespace",
        plural: "namespaces",
        scope: "Cluster",
        short: ["ns"],
        status: true,
        name: "label",
        fields: ["status.phase"],
        marksDeletion: true,
        hooks: {
          prepare: prepareNamespace,
          fills: ["spec", "status"],
          prepareDelete: (draft) => void (draft["status"] = { phase: "Terminating" }),
        },
      },
      {
        kind: "Pod",
        plural: "pods",
        short: ["po"],
        categories: all,
        status: true,
        generation: true,
        fields: [
          "spec.nodeName",
          "spec.restartPolicy",
          "spec.schedulerName",
          "spec.serviceAccountName",
          "spec.hostNetwork",
          "status.phase",
          "status.podIP",
          "status.nominatedNodeName",
        ],
        returnsDeleted: true,
        graceSeconds: podGrace,
        hooks: { prepare: preparePod },
      },
      {
        kind: "Service",
        plural: "services",
        short: ["svc"],
        categories: all,
        status: true,
        name: "service",
        fields: ["spec.clusterIP", "spec.type"],
        returnsDeleted: true,
      },
      { kind: "ServiceAccount", plural: "serviceaccounts", short: ["sa"], returnsDeleted: true },
      { kind: "Endpoints", plural: "endpoints", short: ["ep"] },
      { kind: "Node", plural: "nodes", scope: "Cluster", short: ["no"], status: true, keepsStatus: true, fields: ["spec.unschedulable"] },
      {
        kind: "PersistentVolume",
        plural: "persistentvolumes",
        scope: "Cluster",
        short: ["pv"],
        status: true,
        fields: ["name"],
        returnsDeleted: true,
      },
      {
        kind: "PersistentVolumeClaim",
        plural: "persistentvolumeclaims",
        short: ["pvc"],
        status: true,
        fields: ["name"],
        returnsDeleted: true,
      },
      {
        kind: "ReplicationController",
        plural: "replicationcontrollers",
        short: ["rc"],
        categories: all,
        status: true,
        scale: true,
        generation: true,
        fields: ["status.replicas"],
        orphansDependents: true,
      },
      { kind: "ResourceQuota", plural: "resourcequotas", short: ["quota"], status: true, returnsDeleted: true },
      { kind: "LimitRange", plural: "limitranges", short: ["limits"] },
      { kind: "PodTemplate", plural: "podtemplates", generation: true, returnsDeleted: true },
    ],
  },
  {
    group: "apps",
    versions: ["v1"],
    rows: [
      { kind: "Deployment", plural: "deployments", short: ["deploy"], categories: all, status: true, scale: true, generation: true },
      {
        kind: "ReplicaSet",
        plural: "replicasets",
        short: ["rs"],
        categories: all,
        status: true,
        scale: true,
        generation: true,
        fields: ["status.replicas"],
      },
      { kind: "StatefulSet", plural: "statefulsets", short: ["sts"], categories: all, status: true, scale: true, generation: true },
      { kind: "DaemonSet", plural: "daemonsets", short: ["ds"], categories: all, status: true, generation: true },
      { kind: "ControllerRevision", plural: "controllerrevisions" },
    ],
  },
  {
    group: "batch",
    versions: ["v1"],
    rows: [
      {
        kind: "Job",
        plural: "jobs",
        categories: all,
        status: true,
        generation: true,
        fields: ["status.successful"],
        orphansDependents: true,
      },
      { kind: "CronJob", plural: "cronjobs", short: ["cj"], categories: all, status: true, generation: true },
    ],
  },
  {
    group: "rbac.authorization.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "Role", plural: "roles", name: "segment", createsOnUpdate: true },
      { kind: "RoleBinding", plural: "rolebindings", name: "segment", createsOnUpdate: true },
      { kind: "ClusterRole", plural: "clusterroles", scope: "Cluster", name: "segment", createsOnUpdate: true },
      { kind: "ClusterRoleBinding", plural: "clusterrolebindings", scope: "Cluster", name: "segment", createsOnUpdate: true },
    ],
  },
  {
    group: "coordination.k8s.io",
    versions: ["v1"],
    rows: [{ kind: "Lease", plural: "leases", createsOnUpdate: true, needsVersion: true }],
  },
  {
    group: "discovery.k8s.io",
    versions: ["v1"],
    rows: [{ kind: "EndpointSlice", plural: "endpointslices", generation: true }],
  },
  {
    group: "networking.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "Ingress", plural: "ingresses", short: ["ing"], status: true, generation: true },
      { kind: "IngressClass", plural: "ingressclasses", scope: "Cluster", generation: true },
      { kind: "NetworkPolicy", plural: "networkpolicies", short: ["netpol"], generation: true },
    ],
  },
  {
    group: "policy",
    versions: ["v1"],
    rows: [
      { kind: "PodDisruptionBudget", plural: "poddisruptionbudgets", short: ["pdb"], status: true, generation: true, needsVersion: true },
    ],
  },
  {
    group: "autoscaling",
    versions: ["v2"],
    rows: [{ kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers", short: ["hpa"], categories: all, status: true }],
  },
  {
    group: "scheduling.k8s.io",
    versions: ["v1"],
    rows: [{ kind: "PriorityClass", plural: "priorityclasses", scope: "Cluster", short: ["pc"], generation: true }],
  },
  {
    group: "storage.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "StorageClass", plural: "storageclasses", scope: "Cluster", short: ["sc"] },
      { kind: "VolumeAttachment", plural: "volumeattachments", scope: "Cluster", status: true },
      { kind: "CSIDriver", plural: "csidrivers", scope: "Cluster" },
      { kind: "CSINode", plural: "csinodes", scope: "Cluster" },
    ],
  },
  {
    group: "admissionregistration.k8s.io",
    versions: ["v1"],
    rows: [
      {
        kind: "ValidatingWebhookConfiguration",
        plural: "validatingwebhookconfigurations",
        scope: "Cluster",
        categories: ["api-extensions"],
        generation: true,
      },
      {
        kind: "MutatingWebhookConfiguration",
        plural: "mutatingwebhookconfigurations",
        scope: "Cluster",
        categories: ["api-extensions"],
        generation: true,
      },
      {
        kind: "ValidatingAdmissionPolicy",
        plural: "validatingadmissionpolicies",
        scope: "Cluster",
        categories: ["api-extensions"],
        status: true,
        generation: true,
      },
      {
        kind: "ValidatingAdmissionPolicyBinding",
        plural: "validatingadmissionpolicybindings",
        scope: "Cluster",
        categories: ["api-extensions"],
        generation: true,
      },
    ],
  },
  {
    group: "apiregistration.k8s.io",
    versions: ["v1"],
    rows: [{ kind: "APIService", plural: "apiservices", scope: "Cluster", categories: ["api-extensions"], status: true }],
  },
  {
    group: "certificates.k8s.io",
    versions: ["v1"],
    rows: [
      {
        kind: "CertificateSigningRequest",
        plural: "certificatesigningrequests",
        scope: "Cluster",
        short: ["csr"],
        status: true,
        fields: ["spec.signerName"],
      },
    ],
  },
];

function toType(group: string, versionNames: readonly string[], row: Row): ResourceType {
  const versions = versionNames.map((version) => toVersion(group, version, row));
  const [storage] = versions;
  if (storage === undefined) throw new Error(`no version of ${row.kind}`);
  return {
    id: idOf(group, row.plural),
    group,
    plural: row.plural,
    singular: row.kind.toLowerCase(),
    kind: row.kind,
    listKind: `${row.kind}List`,
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    isNamespaced: row.scope !== "Cluster",
    isCustom: false,
    versions,
    storage,
    keepsStatus: row.keepsStatus === true,
    countsGenerations: row.generation === true,
    nameRule: row.name ?? "subdomain",
    isUnconditional: row.needsVersion !== true,
    createsOnUpdate: row.createsOnUpdate === true,
    returnsDeleted: row.returnsDeleted === true,
    heldWhileDeleting: undefined,
    marksDeletion: row.marksDeletion === true,
    orphansDependents: row.orphansDependents === true,
    ...(row.graceSeconds === undefined ? {} : { graceSeconds: row.graceSeconds }),
    hooks: row.hooks ?? {},
  };
}

function toVersion(group: string, version: string, row: Row): ServedVersion {
  return {
    group,
    version,
    apiVersion: group === "" ? version : `${group}/${version}`,
    served: true,
    status: row.status === true,
    ...(row.scale === true ? { scale: SCALE } : {}),
    selectableFields: row.fields ?? [],
  };
}

/** `stringData` is written into `data` and never stored. */
function prepareSecret(draft: JsonObject): void {
  draft["type"] ??= "Opaque";
  const { stringData } = draft;
  if (!isObject(stringData)) return;
  const data: JsonObject = { ...(isObject(draft["data"]) ? draft["data"] : {}) };
  for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(String(value)).toString("base64");
  delete draft["stringData"];
  draft["data"] = data;
}

function preparePod(draft: JsonObject, previous: JsonObject | undefined): void {
  if (previous === undefined) draft["status"] = { phase: "Pending" };
}

/** A pod that runs on a node stays until its kubelet deletes it with a grace period of zero. */
function podGrace(pod: StoredObject, requested: number | undefined): number {
  const spec = isObject(pod["spec"]) ? pod["spec"] : {};
  if (!spec["nodeName"]) return 0;
  if (requested !== undefined) return Math.max(0, requested);
  const own = spec["terminationGracePeriodSeconds"];
  return typeof own === "number" ? own : 30;
}
