/** The built-in kinds of volumes. */
import type {
  V1CSIDriver,
  V1CSINode,
  V1CSIStorageCapacity,
  V1StorageClass,
  V1VolumeAttachment,
  V1VolumeAttributesClass,
} from "@kubernetes/client-node";
import type { ObjectOf } from "../kind.ts";
import type { BuiltInKind } from "../plain-json.ts";
import { clusterScoped, namespaced } from "./built-in.ts";

/** The built-in kind StorageClass, of storage.k8s.io/v1. */
export const StorageClass: BuiltInKind<V1StorageClass> = clusterScoped("storage.k8s.io/v1", "StorageClass", "storageclasses");
/** An object of kind StorageClass, as the server returns it. */
export interface StorageClass extends ObjectOf<typeof StorageClass> {}

/** The built-in kind VolumeAttributesClass, of storage.k8s.io/v1. Kubernetes 1.34 and later serve it. */
export const VolumeAttributesClass: BuiltInKind<V1VolumeAttributesClass> = clusterScoped(
  "storage.k8s.io/v1",
  "VolumeAttributesClass",
  "volumeattributesclasses",
);
/** An object of kind VolumeAttributesClass, as the server returns it. */
export interface VolumeAttributesClass extends ObjectOf<typeof VolumeAttributesClass> {}

/** The built-in kind VolumeAttachment, of storage.k8s.io/v1. */
export const VolumeAttachment: BuiltInKind<V1VolumeAttachment> = clusterScoped(
  "storage.k8s.io/v1",
  "VolumeAttachment",
  "volumeattachments",
);
/** An object of kind VolumeAttachment, as the server returns it. */
export interface VolumeAttachment extends ObjectOf<typeof VolumeAttachment> {}

/** The built-in kind CSIDriver, of storage.k8s.io/v1. */
export const CSIDriver: BuiltInKind<V1CSIDriver> = clusterScoped("storage.k8s.io/v1", "CSIDriver", "csidrivers");
/** An object of kind CSIDriver, as the server returns it. */
export interface CSIDriver extends ObjectOf<typeof CSIDriver> {}

/** The built-in kind CSINode, of storage.k8s.io/v1. */
export const CSINode: BuiltInKind<V1CSINode> = clusterScoped("storage.k8s.io/v1", "CSINode", "csinodes");
/** An object of kind CSINode, as the server returns it. */
export interface CSINode extends ObjectOf<typeof CSINode> {}

/** The built-in kind CSIStorageCapacity, of storage.k8s.io/v1. */
export const CSIStorageCapacity: BuiltInKind<V1CSIStorageCapacity> = namespaced(
  "storage.k8s.io/v1",
  "CSIStorageCapacity",
  "csistoragecapacities",
);
/** An object of kind CSIStorageCapacity, as the server returns it. */
export interface CSIStorageCapacity extends ObjectOf<typeof CSIStorageCapacity> {}
