/**
 * Objects of the kinds of what a cluster is made of. Not FlowSchemas, of which the real server reports at some time that their
 * level is missing, nor VolumeAttributesClasses, which get a finalizer there.
 */
import type { Sample } from "./builtin-objects.ts";

const limitResponse = { type: "Queue", queuing: { queues: 8 } };
const matchConstraints = {
  resourceRules: [{ apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["x"] }],
};
const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }];
const requests = [
  { name: "one", exactly: { deviceClassName: "gpu.example.com", tolerations: [{ key: "a", value: "b" }] } },
  { name: "either", firstAvailable: [{ name: "small", deviceClassName: "small.example.com" }] },
];
const devices = { requests };

export const MACHINERY_SAMPLES: Readonly<Record<string, Sample>> = {
  PriorityLevelConfiguration: {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    plural: "prioritylevelconfigurations",
    isClusterWide: true,
    objects: {
      minimal: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
      rich: { spec: { type: "Limited", limited: { nominalConcurrencyShares: 2, limitResponse } } },
    },
  },
  RuntimeClass: {
    apiVersion: "node.k8s.io/v1",
    plural: "runtimeclasses",
    isClusterWide: true,
    objects: { minimal: { handler: "h" }, rich: { handler: "h", overhead: { podFixed: { cpu: "1000m" } } } },
  },
  DeviceClass: { apiVersion: "resource.k8s.io/v1", plural: "deviceclasses", isClusterWide: true, objects: { minimal: { spec: {} } } },
  ResourceClaim: {
    apiVersion: "resource.k8s.io/v1",
    plural: "resourceclaims",
    objects: { minimal: { spec: {} }, rich: { spec: { devices } } },
  },
  ResourceClaimTemplate: {
    apiVersion: "resource.k8s.io/v1",
    plural: "resourceclaimtemplates",
    objects: { minimal: { spec: { spec: { devices } } } },
  },
  ResourceSlice: {
    apiVersion: "resource.k8s.io/v1",
    plural: "resourceslices",
    isClusterWide: true,
    objects: {
      minimal: { spec: { driver: "d.example.com", nodeName: "n", pool: { name: "p", generation: 1, resourceSliceCount: 1 } } },
    },
  },
  ServiceCIDR: {
    apiVersion: "networking.k8s.io/v1",
    plural: "servicecidrs",
    isClusterWide: true,
    objects: { minimal: { spec: { cidrs: ["192.0.2.0/24"] } } },
  },
  CSIStorageCapacity: {
    apiVersion: "storage.k8s.io/v1",
    plural: "csistoragecapacities",
    objects: { minimal: { storageClassName: "s" }, rich: { storageClassName: "s", capacity: "1024Mi", nodeTopology: {} } },
  },
  MutatingAdmissionPolicy: {
    apiVersion: "admissionregistration.k8s.io/v1",
    plural: "mutatingadmissionpolicies",
    isClusterWide: true,
    objects: { minimal: { spec: { matchConstraints, mutations, reinvocationPolicy: "Never" } } },
  },
  MutatingAdmissionPolicyBinding: {
    apiVersion: "admissionregistration.k8s.io/v1",
    plural: "mutatingadmissionpolicybindings",
    isClusterWide: true,
    objects: { minimal: { spec: { policyName: "none" } } },
  },
};
