/**
 * The built-in kinds as values, each with the interface of its objects under the same name:
 * `client.get(Secret, ref)` gives a `Secret | undefined`. Objects are plain JSON (see plain-json.ts).
 *
 * Only types come from client-node; importing this module loads nothing of it.
 */
import type {
  EventsV1Event,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1ConfigMap,
  V1CronJob,
  V1DaemonSet,
  V1Deployment,
  V1Ingress,
  V1Job,
  V1Lease,
  V1MutatingWebhookConfiguration,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1ReplicaSet,
  V1Role,
  V1RoleBinding,
  V1Secret,
  V1Service,
  V1ServiceAccount,
  V1StatefulSet,
  V1ValidatingWebhookConfiguration,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";
import { parseApiVersion } from "./gvk.ts";
import type { BuiltInKind } from "./plain-json.ts";
import type { CachedAsMetadata, ObjectOf } from "./kind.ts";

export { CustomResourceDefinition } from "./crd.ts";
export type { CustomResourceDefinitionInput } from "./crd-types.ts";
export type { BuiltInInput, BuiltInKind, BuiltInObject, PlainJson } from "./plain-json.ts";

/** Its contents are in no cache: see {@link CachedAsMetadata}. */
export const Secret: BuiltInKind<V1Secret> & CachedAsMetadata = {
  ...namespaced<V1Secret>("v1", "Secret", "secrets"),
  cachedAs: "metadata",
};
export interface Secret extends ObjectOf<typeof Secret> {}

export const ConfigMap: BuiltInKind<V1ConfigMap> = namespaced("v1", "ConfigMap", "configmaps");
export interface ConfigMap extends ObjectOf<typeof ConfigMap> {}

export const Service: BuiltInKind<V1Service> = namespaced("v1", "Service", "services");
export interface Service extends ObjectOf<typeof Service> {}

export const Pod: BuiltInKind<V1Pod> = namespaced("v1", "Pod", "pods");
export interface Pod extends ObjectOf<typeof Pod> {}

export const Node: BuiltInKind<V1Node> = clusterScoped("v1", "Node", "nodes");
export interface Node extends ObjectOf<typeof Node> {}

export const Namespace: BuiltInKind<V1Namespace> = clusterScoped("v1", "Namespace", "namespaces");
export interface Namespace extends ObjectOf<typeof Namespace> {}

export const ServiceAccount: BuiltInKind<V1ServiceAccount> = namespaced("v1", "ServiceAccount", "serviceaccounts");
export interface ServiceAccount extends ObjectOf<typeof ServiceAccount> {}

export const PersistentVolumeClaim: BuiltInKind<V1PersistentVolumeClaim> = namespaced(
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
);
export interface PersistentVolumeClaim extends ObjectOf<typeof PersistentVolumeClaim> {}

export const PersistentVolume: BuiltInKind<V1PersistentVolume> = clusterScoped("v1", "PersistentVolume", "persistentvolumes");
export interface PersistentVolume extends ObjectOf<typeof PersistentVolume> {}

export const Event: BuiltInKind<EventsV1Event> = namespaced("events.k8s.io/v1", "Event", "events");
export interface Event extends ObjectOf<typeof Event> {}

export const Deployment: BuiltInKind<V1Deployment> = namespaced("apps/v1", "Deployment", "deployments");
export interface Deployment extends ObjectOf<typeof Deployment> {}

export const StatefulSet: BuiltInKind<V1StatefulSet> = namespaced("apps/v1", "StatefulSet", "statefulsets");
export interface StatefulSet extends ObjectOf<typeof StatefulSet> {}

export const DaemonSet: BuiltInKind<V1DaemonSet> = namespaced("apps/v1", "DaemonSet", "daemonsets");
export interface DaemonSet extends ObjectOf<typeof DaemonSet> {}

export const ReplicaSet: BuiltInKind<V1ReplicaSet> = namespaced("apps/v1", "ReplicaSet", "replicasets");
export interface ReplicaSet extends ObjectOf<typeof ReplicaSet> {}

export const Job: BuiltInKind<V1Job> = namespaced("batch/v1", "Job", "jobs");
export interface Job extends ObjectOf<typeof Job> {}

export const CronJob: BuiltInKind<V1CronJob> = namespaced("batch/v1", "CronJob", "cronjobs");
export interface CronJob extends ObjectOf<typeof CronJob> {}

export const Ingress: BuiltInKind<V1Ingress> = namespaced("networking.k8s.io/v1", "Ingress", "ingresses");
export interface Ingress extends ObjectOf<typeof Ingress> {}

export const NetworkPolicy: BuiltInKind<V1NetworkPolicy> = namespaced("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies");
export interface NetworkPolicy extends ObjectOf<typeof NetworkPolicy> {}

export const Role: BuiltInKind<V1Role> = namespaced("rbac.authorization.k8s.io/v1", "Role", "roles");
export interface Role extends ObjectOf<typeof Role> {}

export const RoleBinding: BuiltInKind<V1RoleBinding> = namespaced("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings");
export interface RoleBinding extends ObjectOf<typeof RoleBinding> {}

export const ClusterRole: BuiltInKind<V1ClusterRole> = clusterScoped("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles");
export interface ClusterRole extends ObjectOf<typeof ClusterRole> {}

export const ClusterRoleBinding: BuiltInKind<V1ClusterRoleBinding> = clusterScoped(
  "rbac.authorization.k8s.io/v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
);
export interface ClusterRoleBinding extends ObjectOf<typeof ClusterRoleBinding> {}

export const Lease: BuiltInKind<V1Lease> = namespaced("coordination.k8s.io/v1", "Lease", "leases");
export interface Lease extends ObjectOf<typeof Lease> {}

export const HorizontalPodAutoscaler: BuiltInKind<V2HorizontalPodAutoscaler> = namespaced(
  "autoscaling/v2",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
);
export interface HorizontalPodAutoscaler extends ObjectOf<typeof HorizontalPodAutoscaler> {}

export const PodDisruptionBudget: BuiltInKind<V1PodDisruptionBudget> = namespaced(
  "policy/v1",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
);
export interface PodDisruptionBudget extends ObjectOf<typeof PodDisruptionBudget> {}

export const MutatingWebhookConfiguration: BuiltInKind<V1MutatingWebhookConfiguration> = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
);
export interface MutatingWebhookConfiguration extends ObjectOf<typeof MutatingWebhookConfiguration> {}

export const ValidatingWebhookConfiguration: BuiltInKind<V1ValidatingWebhookConfiguration> = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
);
export interface ValidatingWebhookConfiguration extends ObjectOf<typeof ValidatingWebhookConfiguration> {}

function namespaced<Model>(apiVersion: string, kind: string, plural: string): BuiltInKind<Model> {
  return { ...parseApiVersion(apiVersion), kind, plural, scope: "Namespaced" };
}

function clusterScoped<Model>(apiVersion: string, kind: string, plural: string): BuiltInKind<Model> {
  return { ...parseApiVersion(apiVersion), kind, plural, scope: "Cluster" };
}
