/** Matches claims, volumes and classes. Pure. */
import { VOLUME_PROTECTION } from "../objects/deletion.ts";
import { type Kind, type KubernetesObject, type LabelSelector, matchesLabels } from "@treadle/apimachinery";
import type { PersistentVolume, PersistentVolumeClaim } from "@treadle/apimachinery/kinds";
import { quantityNanos } from "../builtin/quantity.ts";

export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
const NO_PROVISIONER = "kubernetes.io/no-provisioner";

export interface StorageClass extends KubernetesObject {
  readonly provisioner: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
}

export const StorageClass: Kind<StorageClass> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  scope: "Cluster",
};

/** Returns the class of claims without a class: the youngest default class. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const all = classes.filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true");
  return all.toSorted((a, b) => Date.parse(b.metadata.creationTimestamp ?? "") - Date.parse(a.metadata.creationTimestamp ?? ""))[0];
}

export function hasProvisioner({ provisioner }: StorageClass): boolean {
  return provisioner !== NO_PROVISIONER;
}

/** Reports whether the volume is bound to the claim or reserved for it. */
function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { name, namespace, uid } = spec?.claimRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}

/** Returns the smallest matching volume. A reserved one comes first. */
export function findVolume(claim: PersistentVolumeClaim, volumes: readonly PersistentVolume[]): PersistentVolume | undefined {
  const wanted = claim.spec?.volumeName;
  const fitting = volumes.filter((volume) => {
    if (volume.metadata.deletionTimestamp !== undefined) return false;
    if (volume.spec?.claimRef !== undefined) return isFor(volume, claim) && isLargeEnough(claim, volume);
    if (wanted) return volume.metadata.name === wanted;
    return volume.status?.phase === "Available" && fits(claim, volume);
  });
  const kept = fitting.find((volume) => volume.spec?.claimRef !== undefined);
  return kept ?? fitting.toSorted((a, b) => Number(sizeOf(a) - sizeOf(b)))[0];
}

function fits(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  const { accessModes = [], selector, storageClassName = "", volumeMode = "Filesystem" } = claim.spec ?? {};
  const { accessModes: offered = [], storageClassName: own = "", volumeMode: mode = "Filesystem" } = volume.spec ?? {};
  return (
    storageClassName === own &&
    volumeMode === mode &&
    accessModes.every((one) => offered.includes(one)) &&
    (selector === undefined || matchesLabels(selector as LabelSelector, volume.metadata.labels)) &&
    isLargeEnough(claim, volume)
  );
}

function isLargeEnough({ spec }: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  return sizeOf(volume) >= quantityNanos(spec?.resources?.requests?.["storage"] ?? "0");
}

function sizeOf({ spec }: PersistentVolume): bigint {
  return quantityNanos(spec?.capacity?.["storage"] ?? "0");
}

/** Returns the volume that a provisioner of the class would create for the claim. */
export function volumeFor({ metadata, spec }: PersistentVolumeClaim, storageClass: StorageClass): { metadata: object; spec: object } {
  const { provisioner, reclaimPolicy = "Delete" } = storageClass;
  const name = `pvc-${metadata.uid}`;
  return {
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": provisioner }, finalizers: [VOLUME_PROTECTION] },
    spec: {
      accessModes: spec?.accessModes,
      capacity: { storage: spec?.resources?.requests?.["storage"] },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
      // Provisioners such as rancher.io/local-path are not CSI drivers.
      ...(provisioner.includes("/")
        ? { hostPath: { path: `/var/volumes/${name}` } }
        : { csi: { driver: provisioner, volumeHandle: name } }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
      volumeMode: spec?.volumeMode ?? "Filesystem",
    },
  };
}
