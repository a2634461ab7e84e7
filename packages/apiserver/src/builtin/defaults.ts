/** Defaults of built-in kinds, by definition: constants, and rules that depend on other fields. */
import { cloneJson, type JsonObject } from "../internal/json.ts";
import { RULES } from "./default-rules.ts";
import { definition } from "./schemas.ts";

/** Fills in the defaults of one struct. Those of structs inside it must be filled in before. */
export function fillDefaults(name: string, struct: JsonObject): void {
  const { properties = {} } = definition(name);
  for (const [field, value] of constantsOf(name)) {
    const given = struct[field];
    if (given === undefined || given === null || given === properties[field]?.zero) struct[field] = cloneJson(value);
  }
  RULES[name]?.(struct);
}

const CACHE = new Map<string, readonly (readonly [string, unknown])[]>();

/** Returns the constants of the table and of OpenAPI. There, a zero value is a default only for a pointer. */
function constantsOf(name: string): readonly (readonly [string, unknown])[] {
  let constants = CACHE.get(name);
  if (constants === undefined) {
    const { properties = {} } = definition(name);
    const published = Object.entries(properties).flatMap(([field, { default: value, go = "" }]): [string, unknown][] =>
      value === undefined || ((value === "" || value === 0 || value === false) && !go.startsWith("*")) ? [] : [[field, value]],
    );
    constants = [...published, ...Object.entries(CONSTANTS[name] ?? {})];
    CACHE.set(name, constants);
  }
  return constants;
}

const FILE_MODE = 0o644;
const HOUR_SECONDS = 3600;
const POD_DEFAULTS = { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" } as const;
const WEBHOOK = {
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
} as const;

/** pkg/apis/.../defaults.go of Kubernetes. */
const CONSTANTS: Readonly<Record<string, JsonObject>> = {
  "core.v1.PodSpec": {
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: "default-scheduler",
  },
  "core.v1.Container": POD_DEFAULTS,
  "core.v1.EphemeralContainer": POD_DEFAULTS,
  "core.v1.Probe": { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  "core.v1.HTTPGetAction": { path: "/", scheme: "HTTP" },
  "core.v1.ObjectFieldSelector": { apiVersion: "v1" },
  "core.v1.SecretVolumeSource": { defaultMode: FILE_MODE },
  "core.v1.ConfigMapVolumeSource": { defaultMode: FILE_MODE },
  "core.v1.DownwardAPIVolumeSource": { defaultMode: FILE_MODE },
  "core.v1.ProjectedVolumeSource": { defaultMode: FILE_MODE },
  "core.v1.ServiceAccountTokenProjection": { expirationSeconds: HOUR_SECONDS },
  "authentication.v1.TokenRequestSpec": { expirationSeconds: HOUR_SECONDS },
  "core.v1.HostPathVolumeSource": { type: "" },
  "core.v1.PersistentVolumeSpec": { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
  "core.v1.PersistentVolumeStatus": { phase: "Pending" },
  "core.v1.PersistentVolumeClaimSpec": { volumeMode: "Filesystem" },
  "core.v1.PersistentVolumeClaimStatus": { phase: "Pending" },
  "core.v1.EndpointPort": { protocol: "TCP" },
  "core.v1.NamespaceStatus": { phase: "Active" },
  "core.v1.Secret": { type: "Opaque" },
  "core.v1.ServiceSpec": { sessionAffinity: "None", type: "ClusterIP" },
  "apps.v1.DeploymentSpec": { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
  "apps.v1.DeploymentStrategy": { type: "RollingUpdate" },
  "apps.v1.DaemonSetSpec": { revisionHistoryLimit: 10 },
  "apps.v1.DaemonSetUpdateStrategy": { type: "RollingUpdate" },
  "apps.v1.ReplicaSetSpec": { replicas: 1 },
  "apps.v1.StatefulSetSpec": {
    podManagementPolicy: "OrderedReady",
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
    replicas: 1,
    revisionHistoryLimit: 10,
  },
  "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy": { whenDeleted: "Retain", whenScaled: "Retain" },
  "batch.v1.CronJobSpec": { concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
  "batch.v1.PodFailurePolicyOnPodConditionsPattern": { status: "True" },
  "autoscaling.v1.HorizontalPodAutoscalerSpec": { minReplicas: 1 },
  "autoscaling.v2.HorizontalPodAutoscalerSpec": { minReplicas: 1 },
  "flowcontrol.v1.FlowSchemaSpec": { matchingPrecedence: 1000 },
  "flowcontrol.v1.ExemptPriorityLevelConfiguration": { nominalConcurrencyShares: 0, lendablePercent: 0 },
  "flowcontrol.v1.LimitedPriorityLevelConfiguration": { nominalConcurrencyShares: 30, lendablePercent: 0 },
  "flowcontrol.v1.QueuingConfiguration": { queues: 64, handSize: 8, queueLengthLimit: 50 },
  "resource.v1.ExactDeviceRequest": { allocationMode: "ExactCount" },
  "resource.v1.DeviceSubRequest": { allocationMode: "ExactCount" },
  "resource.v1.DeviceToleration": { operator: "Equal" },
  "networking.v1.NetworkPolicyPort": { protocol: "TCP" },
  "networking.v1.IngressClassParametersReference": { scope: "Cluster" },
  "rbac.v1.RoleRef": { apiGroup: "rbac.authorization.k8s.io" },
  "storage.v1.StorageClass": { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" },
  "storage.v1.CSIDriverSpec": {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: "ReadWriteOnceWithFSType",
    volumeLifecycleModes: ["Persistent"],
    requiresRepublish: false,
    seLinuxMount: false,
  },
  "admissionregistration.v1.ValidatingWebhook": WEBHOOK,
  "admissionregistration.v1.MutatingWebhook": { ...WEBHOOK, reinvocationPolicy: "Never" },
  "admissionregistration.v1.RuleWithOperations": { scope: "*" },
  "admissionregistration.v1.NamedRuleWithOperations": { scope: "*" },
  "admissionregistration.v1.ServiceReference": { port: 443 },
  "admissionregistration.v1.ValidatingAdmissionPolicySpec": { failurePolicy: "Fail" },
  "admissionregistration.v1.MutatingAdmissionPolicySpec": { failurePolicy: "Fail" },
  "admissionregistration.v1.MatchResources": { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} },
  "apiregistration.v1.ServiceReference": { port: 443 },
  "apiextensions.v1.ServiceReference": { port: 443 },
  "scheduling.v1.PriorityClass": { preemptionPolicy: "PreemptLowerPriority" },
  "discovery.v1.EndpointPort": { name: "", protocol: "TCP" },
};
