/** The keys of lists, from the OpenAPI of Kubernetes v1.36.3. Written by `tools/merge-keys/main.ts`; not to be edited by hand. */

/** The type of the objects of each kind, by `apiVersion/kind`. Kinds without a list that has keys are left out. */
export const KINDS: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy": "admissionregistration.v1.MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration": "admissionregistration.v1.MutatingWebhookConfiguration",
  "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy": "admissionregistration.v1.ValidatingAdmissionPolicy",
  "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration": "admissionregistration.v1.ValidatingWebhookConfiguration",
  "apps/v1/DaemonSet": "apps.v1.DaemonSet",
  "apps/v1/Deployment": "apps.v1.Deployment",
  "apps/v1/ReplicaSet": "apps.v1.ReplicaSet",
  "apps/v1/StatefulSet": "apps.v1.StatefulSet",
  "autoscaling/v2/HorizontalPodAutoscaler": "autoscaling.v2.HorizontalPodAutoscaler",
  "batch/v1/CronJob": "batch.v1.CronJob",
  "batch/v1/Job": "batch.v1.Job",
  "rbac.authorization.k8s.io/v1/ClusterRoleBinding": "rbac.v1.ClusterRoleBinding",
  "rbac.authorization.k8s.io/v1/RoleBinding": "rbac.v1.RoleBinding",
  "storage.k8s.io/v1/CSINode": "storage.v1.CSINode",
  "v1/Pod": "core.v1.Pod",
  "v1/PodTemplate": "core.v1.PodTemplate",
  "v1/ReplicationController": "core.v1.ReplicationController",
  "v1/Service": "core.v1.Service",
  "v1/ServiceAccount": "core.v1.ServiceAccount",
};

/**
 * The fields of each type that have keys, or have lists with keys below them:
 * - `Type`: an object of that type,
 * - `[key,other=default]Type`: a list of them. The entries are told apart by these fields, which may be paths,
 * - `[name|key]Type`: by name if both entries have one, else by the key.
 */
export const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "admissionregistration.v1.MutatingAdmissionPolicy": {
    spec: "admissionregistration.v1.MutatingAdmissionPolicySpec",
  },
  "admissionregistration.v1.MutatingAdmissionPolicySpec": {
    matchConditions: "[name]",
  },
  "admissionregistration.v1.MutatingWebhook": {
    matchConditions: "[name]",
  },
  "admissionregistration.v1.MutatingWebhookConfiguration": {
    webhooks: "[name]admissionregistration.v1.MutatingWebhook",
  },
  "admissionregistration.v1.ValidatingAdmissionPolicy": {
    spec: "admissionregistration.v1.ValidatingAdmissionPolicySpec",
  },
  "admissionregistration.v1.ValidatingAdmissionPolicySpec": {
    matchConditions: "[name]",
    variables: "[name]",
  },
  "admissionregistration.v1.ValidatingWebhook": {
    matchConditions: "[name]",
  },
  "admissionregistration.v1.ValidatingWebhookConfiguration": {
    webhooks: "[name]admissionregistration.v1.ValidatingWebhook",
  },
  "apps.v1.DaemonSet": {
    spec: "apps.v1.DaemonSetSpec",
  },
  "apps.v1.DaemonSetSpec": {
    template: "core.v1.PodTemplateSpec",
  },
  "apps.v1.Deployment": {
    spec: "apps.v1.DeploymentSpec",
  },
  "apps.v1.DeploymentSpec": {
    template: "core.v1.PodTemplateSpec",
  },
  "apps.v1.ReplicaSet": {
    spec: "apps.v1.ReplicaSetSpec",
  },
  "apps.v1.ReplicaSetSpec": {
    template: "core.v1.PodTemplateSpec",
  },
  "apps.v1.StatefulSet": {
    spec: "apps.v1.StatefulSetSpec",
  },
  "apps.v1.StatefulSetSpec": {
    template: "core.v1.PodTemplateSpec",
  },
  "autoscaling.v2.HorizontalPodAutoscaler": {
    spec: "autoscaling.v2.HorizontalPodAutoscalerSpec",
  },
  "autoscaling.v2.HorizontalPodAutoscalerSpec": {
    metrics:
      "[type,resource.name,containerResource.name,containerResource.container,pods.metric.name,pods.metric.selector,object.describedObject.apiVersion,object.describedObject.kind,object.describedObject.name,object.metric.name,object.metric.selector,external.metric.name,external.metric.selector]",
  },
  "batch.v1.CronJob": {
    spec: "batch.v1.CronJobSpec",
  },
  "batch.v1.CronJobSpec": {
    jobTemplate: "batch.v1.JobTemplateSpec",
  },
  "batch.v1.Job": {
    spec: "batch.v1.JobSpec",
  },
  "batch.v1.JobSpec": {
    template: "core.v1.PodTemplateSpec",
  },
  "batch.v1.JobTemplateSpec": {
    spec: "batch.v1.JobSpec",
  },
  "core.v1.Container": {
    env: "[name]",
    ports: "[name|containerPort,protocol=TCP]",
    resources: "core.v1.ResourceRequirements",
    volumeDevices: "[devicePath]",
    volumeMounts: "[mountPath]",
  },
  "core.v1.EphemeralContainer": {
    env: "[name]",
    ports: "[name|containerPort,protocol=TCP]",
    resources: "core.v1.ResourceRequirements",
    volumeDevices: "[devicePath]",
    volumeMounts: "[mountPath]",
  },
  "core.v1.Pod": {
    spec: "core.v1.PodSpec",
  },
  "core.v1.PodSpec": {
    containers: "[name]core.v1.Container",
    ephemeralContainers: "[name]core.v1.EphemeralContainer",
    hostAliases: "[ip]",
    imagePullSecrets: "[name]",
    initContainers: "[name]core.v1.Container",
    resourceClaims: "[name]",
    resources: "core.v1.ResourceRequirements",
    schedulingGates: "[name]",
    tolerations: "[key,operator=Equal,value,effect]",
    topologySpreadConstraints: "[topologyKey,whenUnsatisfiable]",
    volumes: "[name]",
  },
  "core.v1.PodTemplate": {
    template: "core.v1.PodTemplateSpec",
  },
  "core.v1.PodTemplateSpec": {
    spec: "core.v1.PodSpec",
  },
  "core.v1.ReplicationController": {
    spec: "core.v1.ReplicationControllerSpec",
  },
  "core.v1.ReplicationControllerSpec": {
    template: "core.v1.PodTemplateSpec",
  },
  "core.v1.ResourceRequirements": {
    claims: "[name]",
  },
  "core.v1.Service": {
    spec: "core.v1.ServiceSpec",
  },
  "core.v1.ServiceAccount": {
    secrets: "[name]",
  },
  "core.v1.ServiceSpec": {
    ports: "[name|port,protocol=TCP]",
  },
  "rbac.v1.ClusterRoleBinding": {
    subjects: "[kind,name,namespace]",
  },
  "rbac.v1.RoleBinding": {
    subjects: "[kind,name,namespace]",
  },
  "storage.v1.CSINode": {
    spec: "storage.v1.CSINodeSpec",
  },
  "storage.v1.CSINodeSpec": {
    drivers: "[name]",
  },
};
