/** Decides which kinds are listed to find the objects below an object: a bounded number, the likely ones first. */
import { groupKindOf } from "@treadle/apimachinery";
import type { DiscoveredKind } from "@treadle/client";
import { isBuiltIn, type ServedKinds } from "../cluster/served-kinds.ts";

/** A kind to list. */
export interface PlannedKind {
  readonly kind: DiscoveredKind;
  readonly isMetadataOnly: boolean;
}

/** Maximum number of kinds. Each is one request, and up to 32 run at once. */
const MAX_KINDS = 60;

/** Workloads and what they make, by the kind that is above them. Other kinds of Kubernetes own nothing. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  "Deployment.apps": ["ReplicaSet.apps", "Pod"],
  "ReplicaSet.apps": ["Pod"],
  "StatefulSet.apps": ["Pod", "PersistentVolumeClaim"],
  "DaemonSet.apps": ["Pod"],
  "Job.batch": ["Pod"],
  "CronJob.batch": ["Job.batch", "Pod"],
  ReplicationController: ["Pod"],
};

/** What operators create most. Their health needs the whole object. */
const FULL = [
  "Deployment.apps",
  "StatefulSet.apps",
  "DaemonSet.apps",
  "ReplicaSet.apps",
  "Job.batch",
  "CronJob.batch",
  "Pod",
  "PersistentVolumeClaim",
  "Service",
  "Ingress.networking.k8s.io",
  "HorizontalPodAutoscaler.autoscaling",
  "PodDisruptionBudget.policy",
];

/** They are ready when they exist. The contents of Secrets are never read. */
const METADATA = [
  "ConfigMap",
  "Secret",
  "ServiceAccount",
  "Role.rbac.authorization.k8s.io",
  "RoleBinding.rbac.authorization.k8s.io",
  "NetworkPolicy.networking.k8s.io",
];

/** Returns the kinds whose objects may be below an object of `kind`, and how many were left out. */
export function plannedKinds(
  kind: DiscoveredKind,
  kinds: ServedKinds,
): { readonly planned: readonly PlannedKind[]; readonly leftOut: number } {
  const byId = new Map(kinds.preferred().map((each) => [groupKindOf(each), each]));
  const known = (ids: readonly string[], isMetadataOnly: boolean): readonly PlannedKind[] =>
    ids.flatMap((id) => {
      const found = byId.get(id);
      return found === undefined || !found.verbs.includes("list") ? [] : [{ kind: found, isMetadataOnly }];
    });
  if (isBuiltIn(kind)) return { planned: known(BELOW[groupKindOf(kind)] ?? [], false), leftOut: 0 };
  // An object in a namespace owns only objects in it.
  const custom = kinds
    .preferred()
    .filter((each) => !isBuiltIn(each) && each.verbs.includes("list"))
    .filter((each) => kind.scope === "Cluster" || each.scope === "Namespaced")
    .toSorted((a, b) => Number(b.group === kind.group) - Number(a.group === kind.group));
  const all = [...known(FULL, false), ...known(METADATA, true), ...custom.map((each) => ({ kind: each, isMetadataOnly: false }))];
  return { planned: all.slice(0, MAX_KINDS), leftOut: Math.max(0, all.length - MAX_KINDS) };
}

/** Returns the kinds that show why a workload in another namespace is not ready. */
export function workloadKinds(kinds: ServedKinds): readonly PlannedKind[] {
  const ids = new Set(["ReplicaSet.apps", "Job.batch", "Pod", "PersistentVolumeClaim"]);
  return kinds
    .preferred()
    .filter((each) => ids.has(groupKindOf(each)))
    .map((kind) => ({ kind, isMetadataOnly: false }));
}

/** Tells whether pods decide about the health of a kind. */
export function hasPods({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  const isApps = apiVersion.startsWith("apps/") && ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"].includes(kind);
  return isApps || (apiVersion.startsWith("batch/") && ["Job", "CronJob"].includes(kind));
}
