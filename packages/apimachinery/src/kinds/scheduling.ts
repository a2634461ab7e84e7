/** The built-in kinds of priorities, quotas and devices. */
import type {
  ResourceV1ResourceClaim,
  V1DeviceClass,
  V1LimitRange,
  V1PriorityClass,
  V1ResourceClaimTemplate,
  V1ResourceQuota,
  V1ResourceSlice,
  V1RuntimeClass,
} from "@kubernetes/client-node";
import type { ObjectOf } from "../kind.ts";
import type { BuiltInKind } from "../plain-json.ts";
import { clusterScoped, namespaced } from "./built-in.ts";

/** The built-in kind PriorityClass, of scheduling.k8s.io/v1. */
export const PriorityClass: BuiltInKind<V1PriorityClass> = clusterScoped("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses");
/** An object of kind PriorityClass, as the server returns it. */
export interface PriorityClass extends ObjectOf<typeof PriorityClass> {}

/** The built-in kind RuntimeClass, of node.k8s.io/v1. */
export const RuntimeClass: BuiltInKind<V1RuntimeClass> = clusterScoped("node.k8s.io/v1", "RuntimeClass", "runtimeclasses");
/** An object of kind RuntimeClass, as the server returns it. */
export interface RuntimeClass extends ObjectOf<typeof RuntimeClass> {}

/** The built-in kind LimitRange. */
export const LimitRange: BuiltInKind<V1LimitRange> = namespaced("v1", "LimitRange", "limitranges");
/** An object of kind LimitRange, as the server returns it. */
export interface LimitRange extends ObjectOf<typeof LimitRange> {}

/** The built-in kind ResourceQuota. */
export const ResourceQuota: BuiltInKind<V1ResourceQuota> = namespaced("v1", "ResourceQuota", "resourcequotas");
/** An object of kind ResourceQuota, as the server returns it. */
export interface ResourceQuota extends ObjectOf<typeof ResourceQuota> {}

/** The built-in kind DeviceClass, of resource.k8s.io/v1. Kubernetes 1.34 and later serve it. */
export const DeviceClass: BuiltInKind<V1DeviceClass> = clusterScoped("resource.k8s.io/v1", "DeviceClass", "deviceclasses");
/** An object of kind DeviceClass, as the server returns it. */
export interface DeviceClass extends ObjectOf<typeof DeviceClass> {}

/** The built-in kind ResourceClaim, of resource.k8s.io/v1. Kubernetes 1.34 and later serve it. */
export const ResourceClaim: BuiltInKind<ResourceV1ResourceClaim> = namespaced("resource.k8s.io/v1", "ResourceClaim", "resourceclaims");
/** An object of kind ResourceClaim, as the server returns it. */
export interface ResourceClaim extends ObjectOf<typeof ResourceClaim> {}

/** The built-in kind ResourceClaimTemplate, of resource.k8s.io/v1. Kubernetes 1.34 and later serve it. */
export const ResourceClaimTemplate: BuiltInKind<V1ResourceClaimTemplate> = namespaced(
  "resource.k8s.io/v1",
  "ResourceClaimTemplate",
  "resourceclaimtemplates",
);
/** An object of kind ResourceClaimTemplate, as the server returns it. */
export interface ResourceClaimTemplate extends ObjectOf<typeof ResourceClaimTemplate> {}

/** The built-in kind ResourceSlice, of resource.k8s.io/v1. Kubernetes 1.34 and later serve it. */
export const ResourceSlice: BuiltInKind<V1ResourceSlice> = clusterScoped("resource.k8s.io/v1", "ResourceSlice", "resourceslices");
/** An object of kind ResourceSlice, as the server returns it. */
export interface ResourceSlice extends ObjectOf<typeof ResourceSlice> {}
