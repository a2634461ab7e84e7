/** Kinds of the cluster's own rules: rights, networks, storage, admission. */
import { jsonEqual } from "@treadle/apimachinery";
import { answerAccess, answerRules, answerSelf, answerToken } from "../../authorization/reviews.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import type { Draft } from "../../storage.ts";
import { roleRefErrors } from "../validate.ts";
import type { Group } from "./row.ts";

export const CLUSTER_GROUPS: readonly Group[] = [
  {
    group: "rbac.authorization.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "Role", plural: "roles", name: "segment", createsOnUpdate: true },
      { kind: "RoleBinding", plural: "rolebindings", name: "segment", createsOnUpdate: true, hooks: { validate: roleRefErrors } },
      { kind: "ClusterRole", plural: "clusterroles", scope: "Cluster", name: "segment", createsOnUpdate: true },
      {
        kind: "ClusterRoleBinding",
        plural: "clusterrolebindings",
        scope: "Cluster",
        name: "segment",
        createsOnUpdate: true,
        hooks: { validate: roleRefErrors },
      },
    ],
  },
  {
    group: "authentication.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "SelfSubjectReview", plural: "selfsubjectreviews", scope: "Cluster", answer: answerSelf },
      { kind: "TokenReview", plural: "tokenreviews", scope: "Cluster", answer: answerToken },
    ],
  },
  {
    group: "authorization.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "LocalSubjectAccessReview", plural: "localsubjectaccessreviews", answer: answerAccess },
      { kind: "SelfSubjectAccessReview", plural: "selfsubjectaccessreviews", scope: "Cluster", answer: answerAccess },
      { kind: "SelfSubjectRulesReview", plural: "selfsubjectrulesreviews", scope: "Cluster", answer: answerRules },
      { kind: "SubjectAccessReview", plural: "subjectaccessreviews", scope: "Cluster", answer: answerAccess },
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
    rows: [{ kind: "EndpointSlice", plural: "endpointslices", generation: true, hooks: { prepare: countLabels } }],
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
    group: "storage.k8s.io",
    versions: ["v1"],
    rows: [
      { kind: "StorageClass", plural: "storageclasses", scope: "Cluster", short: ["sc"] },
      { kind: "VolumeAttachment", plural: "volumeattachments", scope: "Cluster", status: true },
      { kind: "CSIDriver", plural: "csidrivers", scope: "Cluster" },
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

/** The generation of an EndpointSlice counts changes of its labels, too. */
function countLabels(draft: Draft, previous: JsonObject | undefined): void {
  const before = previous?.["metadata"];
  if (!isObject(before) || jsonEqual(before["labels"], draft.metadata["labels"])) return;
  draft.metadata["generation"] = Number(before["generation"] ?? 0) + 1;
}

/** No drivers are null in the store, and may be sent so. */
function nullDrivers(draft: Draft): void {
  const { spec } = draft;
  if (isObject(spec) && Array.isArray(spec["drivers"]) && spec["drivers"].length === 0) draft["spec"] = { ...spec, drivers: null };
}

function readDrivers(draft: Draft): void {
  if (isObject(draft["spec"])) draft["spec"] = { drivers: null, ...draft["spec"] };
}
