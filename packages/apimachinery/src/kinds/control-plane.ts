/** The built-in kinds that configure the API server. */
import type {
  V1APIService,
  V1CertificateSigningRequest,
  V1FlowSchema,
  V1MutatingAdmissionPolicy,
  V1MutatingAdmissionPolicyBinding,
  V1PriorityLevelConfiguration,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
} from "@kubernetes/client-node";
import type { ObjectOf } from "../kind.ts";
import type { BuiltInKind } from "../plain-json.ts";
import { clusterScoped } from "./built-in.ts";

/** The built-in kind APIService, of apiregistration.k8s.io/v1. */
export const APIService: BuiltInKind<V1APIService> = clusterScoped("apiregistration.k8s.io/v1", "APIService", "apiservices");
/** An object of kind APIService, as the server returns it. */
export interface APIService extends ObjectOf<typeof APIService> {}

/** The built-in kind CertificateSigningRequest, of certificates.k8s.io/v1. */
export const CertificateSigningRequest: BuiltInKind<V1CertificateSigningRequest> = clusterScoped(
  "certificates.k8s.io/v1",
  "CertificateSigningRequest",
  "certificatesigningrequests",
);
/** An object of kind CertificateSigningRequest, as the server returns it. */
export interface CertificateSigningRequest extends ObjectOf<typeof CertificateSigningRequest> {}

/** The built-in kind FlowSchema, of flowcontrol.apiserver.k8s.io/v1. */
export const FlowSchema: BuiltInKind<V1FlowSchema> = clusterScoped("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flowschemas");
/** An object of kind FlowSchema, as the server returns it. */
export interface FlowSchema extends ObjectOf<typeof FlowSchema> {}

/** The built-in kind PriorityLevelConfiguration, of flowcontrol.apiserver.k8s.io/v1. */
export const PriorityLevelConfiguration: BuiltInKind<V1PriorityLevelConfiguration> = clusterScoped(
  "flowcontrol.apiserver.k8s.io/v1",
  "PriorityLevelConfiguration",
  "prioritylevelconfigurations",
);
/** An object of kind PriorityLevelConfiguration, as the server returns it. */
export interface PriorityLevelConfiguration extends ObjectOf<typeof PriorityLevelConfiguration> {}

/** The built-in kind ValidatingAdmissionPolicy, of admissionregistration.k8s.io/v1. */
export const ValidatingAdmissionPolicy: BuiltInKind<V1ValidatingAdmissionPolicy> = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "ValidatingAdmissionPolicy",
  "validatingadmissionpolicies",
);
/** An object of kind ValidatingAdmissionPolicy, as the server returns it. */
export interface ValidatingAdmissionPolicy extends ObjectOf<typeof ValidatingAdmissionPolicy> {}

/** The built-in kind ValidatingAdmissionPolicyBinding, of admissionregistration.k8s.io/v1. */
export const ValidatingAdmissionPolicyBinding: BuiltInKind<V1ValidatingAdmissionPolicyBinding> = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "ValidatingAdmissionPolicyBinding",
  "validatingadmissionpolicybindings",
);
/** An object of kind ValidatingAdmissionPolicyBinding, as the server returns it. */
export interface ValidatingAdmissionPolicyBinding extends ObjectOf<typeof ValidatingAdmissionPolicyBinding> {}

/** The built-in kind MutatingAdmissionPolicy, of admissionregistration.k8s.io/v1. Kubernetes 1.36 and later serve it. */
export const MutatingAdmissionPolicy: BuiltInKind<V1MutatingAdmissionPolicy> = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "MutatingAdmissionPolicy",
  "mutatingadmissionpolicies",
);
/** An object of kind MutatingAdmissionPolicy, as the server returns it. */
export interface MutatingAdmissionPolicy extends ObjectOf<typeof MutatingAdmissionPolicy> {}

/** The built-in kind MutatingAdmissionPolicyBinding, of admissionregistration.k8s.io/v1. Kubernetes 1.36 and later serve it. */
export const MutatingAdmissionPolicyBinding: BuiltInKind<V1MutatingAdmissionPolicyBinding> = clusterScoped(
  "admissionregistration.k8s.io/v1",
  "MutatingAdmissionPolicyBinding",
  "mutatingadmissionpolicybindings",
);
/** An object of kind MutatingAdmissionPolicyBinding, as the server returns it. */
export interface MutatingAdmissionPolicyBinding extends ObjectOf<typeof MutatingAdmissionPolicyBinding> {}
