/** Kinds of rights, networks, storage and admission. */
import { jsonEqual } from "@treadle/apimachinery";
import { isObject, type JsonObject } from "../../internal/json.ts";
import type { Draft } from "../../storage/stored-object.ts";
import { prepareCertificateRequest } from "../certificate-requests.ts";
import { apiServiceErrors, leaseErrors } from "../validation/cluster.ts";
import { certificateRequestErrors } from "../validation/certificate-requests.ts";
import { ingressClassErrors, ingressErrors, ingressWarnings, networkPolicyErrors } from "../validation/network.ts";
import { clusterRoleBindingErrors, clusterRoleErrors, roleBindingErrors, roleErrors } from "../validation/rbac.ts";
import { sliceErrors, sliceWarnings } from "../validation/slices.ts";
import { storageClassErrors } from "../validation/storage.ts";
import { mutatingBindingErrors, mutatingPolicyErrors, validatingBindingErrors, validatingPolicyErrors } from "../validation/policies.ts";
import { webhookErrors } from "../validation/webhooks.ts";
import { ADDRESS_ROWS } from "./machinery.ts";
import type { Group } from "./row.ts";

export const CLUSTER_GROUPS: readonly Group[] = [
  {
    group: "rbac.authorization.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "Role", plural: "roles", name: "segment", createsOnUpdate: true, hooks: { validate: roleErrors, rechecksMetadata: true } },
      {
        kind: "RoleBinding",
        plural: "rolebindings",
        name: "segment",
        createsOnUpdate: true,
        hooks: { validate: roleBindingErrors, rechecksMetadata: true },
      },
      {
        kind: "ClusterRole",
        plural: "clusterroles",
        scope: "Cluster",
        name: "segment",
        createsOnUpdate: true,
        hooks: { validate: clusterRoleErrors, rechecksMetadata: true },
      },
      {
        kind: "ClusterRoleBinding",
        plural: "clusterrolebindings",
        scope: "Cluster",
        name: "segment",
        createsOnUpdate: true,
        hooks: { validate: clusterRoleBindingErrors, rechecksMetadata: true },
      },
    ],
  },
  {
    group: "authentication.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "SelfSubjectReview", plural: "selfsubjectreviews", scope: "Cluster", isReview: true },
      { kind: "TokenReview", plural: "tokenreviews", scope: "Cluster", isReview: true },
    ],
  },
  {
    group: "authorization.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "LocalSubjectAccessReview", plural: "localsubjectaccessreviews", isReview: true },
      { kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews", scope: "Cluster", isReview: true },
      { kind: "SelfSubjectRulesReview", plural: "selfsubjectrulesreviews", scope: "Cluster", isReview: true },
      { kind: "SubjectAccessReview", plural: "subjectaccessreviews", scope: "Cluster", isReview: true },
    ],
  },
  {
    group: "coordination.k8s.io",
    versions: ["v1"],
    rows: [{ kind: "Lease", plural: "leases", createsOnUpdate: true, needsVersion: true, hooks: { validate: leaseErrors } }],
  },
  {
    group: "discovery.k8s.io",
    versions: ["v1"],
    rows: [
      {
        kind: "EndpointSlice",
        plural: "endpointslices",
        generation: true,
        hooks: { prepare: countLabels, validate: sliceErrors, warn: sliceWarnings },
      },
    ],
  },
  {
    group: "networking.k8s.io",
    versions: ["v1"],
    rows: [
      {
        kind: "Ingress",
        plural: "ingresses",
        short: ["ing"],
        status: true,
        generation: true,
        hooks: { validate: ingressErrors, warn: ingressWarnings, rechecksMetadata: true },
      },
      { kind: "IngressClass", plural: "ingressclasses", scope: "Cluster", generation: true, hooks: { validate: ingressClassErrors } },
      { kind: "NetworkPolicy", plural: "networkpolicies", short: ["netpol"], generation: true, hooks: { validate: networkPolicyErrors } },
      ...ADDRESS_ROWS,
    ],
  },
  {
    group: "storage.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "StorageClass", plural: "storageclasses", scope: "Cluster", short: ["sc"], hooks: { validate: storageClassErrors } },
      { kind: "VolumeAttachment", plural: "volumeattachments", scope: "Cluster", status: true },
      { kind: "CSIDriver", plural: "csidrivers", scope: "Cluster" },
      { kind: "CSIStorageCapacity", plural: "csistoragecapacities", needsVersion: true },
      { kind: "VolumeAttributesClass", plural: "volumeattributesclasses", scope: "Cluster", short: ["vac"] },
      { kind: "CSINode", plural: "csinodes", scope: "Cluster", hooks: { convert: readDrivers, prepare: nullDrivers } },
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
        hooks: { validate: webhookErrors },
      },
      {
        kind: "MutatingWebhookConfiguration",
        plural: "mutatingwebhookconfigurations",
        scope: "Cluster",
        categories: ["api-extensions"],
        generation: true,
        hooks: { validate: webhookErrors },
      },
      {
        kind: "ValidatingAdmissionPolicy",
        plural: "validatingadmissionpolicies",
        scope: "Cluster",
        categories: ["api-extensions"],
        status: true,
        generation: true,
        hooks: { validate: validatingPolicyErrors },
      },
      {
        kind: "ValidatingAdmissionPolicyBinding",
        plural: "validatingadmissionpolicybindings",
        scope: "Cluster",
        categories: ["api-extensions"],
        generation: true,
        hooks: { validate: validatingBindingErrors },
      },
      {
        kind: "MutatingAdmissionPolicy",
        plural: "mutatingadmissionpolicies",
        scope: "Cluster",
        categories: ["api-extensions"],
        generation: true,
        needsVersion: true,
        hooks: { validate: mutatingPolicyErrors },
      },
      {
        kind: "MutatingAdmissionPolicyBinding",
        plural: "mutatingadmissionpolicybindings",
        scope: "Cluster",
        categories: ["api-extensions"],
        generation: true,
        needsVersion: true,
        hooks: { validate: mutatingBindingErrors },
      },
    ],
  },
  {
    group: "apiregistration.k8s.io",
    versions: ["v1"],
    rows: [
      {
        kind: "APIService",
        plural: "apiservices",
        scope: "Cluster",
        categories: ["api-extensions"],
        status: true,
        hooks: { validate: apiServiceErrors },
      },
    ],
  },
  {
    group: "certificates.k8s.io",
    versions: ["v1"],
    rows: [
      {
        kind: "CertificateSigningRequest",
        plural: "certificatesigningrequests",
        scope: "Cluster",
        name: "segment",
        short: ["csr"],
        status: true,
        fields: ["spec.signerName"],
        hooks: { convert: keepSpec, prepare: prepareCertificateRequest, validate: certificateRequestErrors, rechecksMetadata: true },
      },
    ],
  },
];

/** Counts changes of the labels of an EndpointSlice for its generation, too. */
function countLabels(draft: Draft, previous: JsonObject | undefined): void {
  const before = previous?.["metadata"];
  if (!isObject(before) || jsonEqual(before["labels"], draft.metadata["labels"])) return;
  draft.metadata["generation"] = Number(before["generation"] ?? 0) + 1;
}

/** Sets missing drivers to null, as the store has them. A client may send null, too. */
function nullDrivers(draft: Draft): void {
  const { spec } = draft;
  if (isObject(spec) && Array.isArray(spec["drivers"]) && spec["drivers"].length === 0) draft["spec"] = { ...spec, drivers: null };
}

function readDrivers(draft: Draft): void {
  if (isObject(draft["spec"])) draft["spec"] = { drivers: null, ...draft["spec"] };
}

/** Keeps the spec: an update cannot change it. */
function keepSpec(draft: Draft, previous: JsonObject | undefined): void {
  if (previous !== undefined) draft["spec"] = previous["spec"];
}
