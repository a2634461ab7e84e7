/**
 * The built-in kinds. Each name is a value, the kind, and an interface, the type of its objects:
 * `client.get(Secret, ref)` returns a `Secret | undefined`. Objects are plain JSON (see plain-json.ts).
 *
 * Only types come from client-node, so importing this module does not load it.
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
import { clusterScoped, namespaced } from "./kinds/built-in.ts";
import type { BuiltInKind } from "./plain-json.ts";
import type { CachedAsMetadata, ObjectOf } from "./kind.ts";

export { CustomResourceDefinition } from "./crd.ts";
export { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass } from "./kinds/storage.ts";
export {
  DeviceClass,
  LimitRange,
  PriorityClass,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceQuota,
  ResourceSlice,
  RuntimeClass,
} from "./kinds/scheduling.ts";
export { EndpointSlice, Endpoints, IPAddress, IngressClass, ServiceCIDR } from "./kinds/networking.ts";
export { ControllerRevision, PodTemplate, ReplicationController } from "./kinds/workloads.ts";
export {
  APIService,
  CertificateSigningRequest,
  FlowSchema,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  PriorityLevelConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "./kinds/control-plane.ts";
export type { CustomResourceDefinitionInput } from "./crd-types.ts";
export type { BuiltInInput, BuiltInKind, BuiltInObject, PlainJson } from "./plain-json.ts";

/** The built-in kind Secret. Caches hold only its metadata: see {@link CachedAsMetadata}. */
export const Secret: BuiltInKind<V1Secret> & CachedAsMetadata = {
  ...namespaced<V1Secret>("v1", "Secret", "secrets"),
  cachedAs: "metadata",
};
/** An object of kind Secret, as the server returns it. */
export interface Secret extends ObjectOf<typeof Secret> {}

/** The built-in kind ConfigMap. */
export const ConfigMap: BuiltInKind<V1ConfigMap> = namespaced("v1", "ConfigMap", "configmaps");
/** An object of kind ConfigMap, as the server returns it. */
export interface ConfigMap extends ObjectOf<typeof ConfigMap> {}

/** The built-in kind Service. */
export const Service: BuiltInKind<V1Service> = namespaced("v1", "Service", "services");
/** An object of kind Service, as the server returns it. */
export interface Service extends ObjectOf<typeof Service> {}

/** The built-in kind Pod. */
export const Pod: BuiltInKind<V1Pod> = namespaced("v1", "Pod", "pods");
/** An object of kind Pod, as the server returns it. */
export interface Pod extends ObjectOf<typeof Pod> {}

/** The built-in kind Node. */
export const Node: BuiltInKind<V1Node> = clusterScoped("v1", "Node", "nodes");
/** An object of kind Node, as the server returns it. */
export interface Node extends ObjectOf<typeof Node> {}

/** The built-in kind Namespace. */
export const Namespace: BuiltInKind<V1Namespace> = clusterScoped("v1", "Namespace", "namespaces");
/** An object of kind Namespace, as the server returns it. */
export interface Namespace extends ObjectOf<typeof Namespace> {}

/** The built-in kind ServiceAccount. */
export const ServiceAccount: BuiltInKind<V1ServiceAccount> = namespaced("v1", "ServiceAccount", "serviceaccounts");
/** An object of kind ServiceAccount, as the server returns it. */
export interface ServiceAccount extends ObjectOf<typeof ServiceAccount> {}

/** The built-in kind PersistentVolumeClaim. */
export const PersistentVolumeClaim: BuiltInKind<V1PersistentVolumeClaim> = namespaced(
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
);
/** An object of kind PersistentVolumeClaim, as the server returns it. */
export interface PersistentVolumeClaim extends ObjectOf<typeof PersistentVolumeClaim> {}

/** The built-in kind PersistentVolume. */
export const PersistentVolume: BuiltInKind<V1PersistentVolume> = clusterScoped("v1", "PersistentVolume", "persistentvolumes");
/** An object of kind PersistentVolume, as the server returns it. */
export interface PersistentVolume extends ObjectOf<typeof PersistentVolume> {}

/** The built-in kind Event, of events.k8s.io/v1. */
export const Event: BuiltInKind<EventsV1Event> = namespaced("events.k8s.io/v1", "Event", "events");
/** An object of kind Event, as the server returns it. */
export interface Event extends ObjectOf<typeof Event> {}

/** The built-in kind Deployment. */
export const Deployment: BuiltInKind<V1Deployment> = namespaced("apps/v1", "Deployment", "deployments");
/** An object of kind Deployment, as the server returns it. */
export interface Deployment extends ObjectOf<typeof Deployment> {}

/** The built-in kind StatefulSet. */
export const StatefulSet: BuiltInKind<V1StatefulSet> = namespaced("apps/v1", "StatefulSet", "statefulsets");
/** An object of kind StatefulSet, as the server returns it. */
export interface StatefulSet extends ObjectOf<typeof StatefulSet> {}

/** The built-in kind DaemonSet. */
export const DaemonSet: BuiltInKind<V1DaemonSet> = namespaced("apps/v1", "DaemonSet", "daemonsets");
/** An object of kind DaemonSet, as the server returns it. */
export interface DaemonSet extends ObjectOf<typeof DaemonSet> {}

/** The built-in kind ReplicaSet. */
export const ReplicaSet: BuiltInKind<V1ReplicaSet> = namespaced("apps/v1", "ReplicaSet", "replicasets");
/** An object of kind ReplicaSet, as the server returns it. */
export interface ReplicaSet extends ObjectOf<typeof ReplicaSet> {}

/** The built-in kind Job. */
export const Job: BuiltInKind<V1Job> = namespaced("batch/v1", "Job", "jobs");
/** An object of kind Job, as the server returns it. */
export interface Job extends ObjectOf<typeof Job> {}

/** The built-in kind CronJob. */
export const CronJob: BuiltInKind<V1CronJob> = namespaced("batch/v1", "CronJob", "cronjobs");
/** An object of kind CronJob, as the server returns it. */
export interface CronJob extends ObjectOf<typeof CronJob> {}

/** The built-in kind Ingress. */
export const Ingress: BuiltInKind<V1Ingress> = namespaced("networking.k8s.io/v1", "Ingress", "ingresses");
/** An object of kind Ingress, as the server returns it. */
export interface Ingress extends ObjectOf<typeof Ingress> {}

/** The built-in kind NetworkPolicy. */
export const NetworkPolicy: BuiltInKind<V1NetworkPolicy> = namespaced("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies");
/** An object of kind NetworkPolicy, as the server returns it. */
export interface NetworkPolicy extends ObjectOf<typeof NetworkPolicy> {}

/** The built-in kind Role. */
export const Role: BuiltInKind<V1Role> = namespaced("rbac.authorization.k8s.io/v1", "Role", "roles");
/** An object of kind Role, as the server returns it. */
export interface Role extends ObjectOf<typeof Role> {}

/** The built-in kind RoleBinding. */
export const RoleBinding: BuiltInKind<V1RoleBinding> = namespaced("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings");
/** An object of kind RoleBinding, as the server returns it. */
export interface RoleBinding extends ObjectOf<typeof RoleBinding> {}

/** The built-in kind ClusterRole. */
export const ClusterRole: BuiltInKind<V1ClusterRole> = clusterScoped("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles");
/** An object of kind ClusterRole, as the server returns it. */
export interface ClusterRole extends ObjectOf<typeof ClusterRole> {}

/** The built-in kind ClusterRoleBinding. */
export const ClusterRoleBinding: BuiltInKind<V1ClusterRoleBinding> = clusterScoped(
  "rbac.authorization.k8s.io/v1",
  "ClusterRoleBinding",
  "clusterrolebindings",
);
/** An object of kind ClusterRoleBinding, as the server returns it. */
export interface ClusterRoleBinding extends ObjectOf<typeof ClusterRoleBinding> {}

/** The built-in kind Lease. */
export const Lease: BuiltInKind<V1Lease> = namespaced("coordination.k8s.io/v1", "Lease", "leases");
/** An object of kind Lease, as the server returns it. */
export interface Lease extends ObjectOf<typeof Lease> {}

/** The built-in kind HorizontalPodAutoscaler. */
export const HorizontalPodAutoscaler: BuiltInKind<V2HorizontalPodAutoscaler> = namespaced(
  "autoscaling/v2",
  "HorizontalPodAutoscaler",
  "horizontalpodautoscalers",
);
/** An object of kind HorizontalPodAutoscaler, as the server returns it. */
export interface HorizontalPodAutoscaler extends ObjectOf<typeof HorizontalPodAutoscaler> {}

/** The built-in kind PodDisruptionBudget. */
export const PodDisruptionBudget: BuiltInKind<V1PodDisruptionBudget> = namespaced(
  "policy/v1",
  "PodDisruptionBudget",
  "poddisruptionbudgets",
);
/** An object of kind PodDisruptionBudget, as the server returns it. */
export interface PodDisruptionBudget extends ObjectOf<typeof PodDisruptionBudget> {}

/** The built-in kind MutatingWebhookConfiguration. */
export const MutatingWebhookConfiguration: BuiltInKind<V1MutatingWebhookConfiguration> = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "MutatingWebhookConfiguration",
  "mutatingwebhookconfigurations",
);
/** An object of kind MutatingWebhookConfiguration, as the server returns it. */
export interface MutatingWebhookConfiguration extends ObjectOf<typeof MutatingWebhookConfiguration> {}

/** The built-in kind ValidatingWebhookConfiguration. */
export const ValidatingWebhookConfiguration: BuiltInKind<V1ValidatingWebhookConfiguration> = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "ValidatingWebhookConfiguration",
  "validatingwebhookconfigurations",
);
/** An object of kind ValidatingWebhookConfiguration, as the server returns it. */
export interface ValidatingWebhookConfiguration extends ObjectOf<typeof ValidatingWebhookConfiguration> {}
