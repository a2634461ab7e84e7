/**
 * The controller of PersistentVolumeClaims. It binds claims to matching volumes, or to new ones if their class has a
 * provisioner, whatever its name. It keeps claims while a pod uses them.
 */
import { CLAIM_PROTECTION } from "../objects/deletion.ts";
import { keyOf } from "@treadle/apimachinery";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "@treadle/apimachinery/kinds";
import { type Context, type Controller, watch } from "./controller.ts";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, defaultClass, findVolume, hasProvisioner, StorageClass, volumeFor } from "./volumes.ts";

export function claims({ objects, as }: Context): Controller {
  const write = as("persistent-volume-binder");
  const guard = as("pvc-protection-controller");
  const using = objects.grouped(Pod, claimsIn);
  const waiting = (): readonly string[] =>
    objects
      .list(PersistentVolumeClaim)
      .filter(({ status }) => status?.phase !== "Bound")
      .map(({ metadata }) => keyOf(metadata));
  return {
    name: "persistent-volume-binder",
    kind: PersistentVolumeClaim,
    watches: [
      watch(PersistentVolume, ({ spec }) => [
        ...waiting(),
        ...(spec?.claimRef === undefined ? [] : [`${spec.claimRef.namespace}/${spec.claimRef.name}`]),
      ]),
      watch(StorageClass, () => waiting()),
      watch(Pod, claimsIn),
    ],
    async sync(key) {
      const found = objects.get(PersistentVolumeClaim, key);
      if (found === undefined) return undefined;
      const claim = await protect(found);
      if (claim.metadata.deletionTimestamp === undefined) await bind(claim);
      return undefined;
    },
  };

  /** Adds the finalizer that protects a claim while a pod on a node uses it. */
  async function protect(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const { metadata } = claim;
    const { finalizers = [], deletionTimestamp } = metadata;
    const isProtected = finalizers.includes(CLAIM_PROTECTION);
    if (deletionTimestamp === undefined)
      return isProtected
        ? claim
        : await guard.patch(PersistentVolumeClaim, claim, { metadata: { finalizers: [...finalizers, CLAIM_PROTECTION] } });
    if (!isProtected || usersOf(claim).some(({ spec }) => spec?.nodeName)) return claim;
    const left = finalizers.filter((one) => one !== CLAIM_PROTECTION);
    return await guard.patch(PersistentVolumeClaim, claim, { metadata: { finalizers: left.length === 0 ? null : left } });
  }

  function usersOf({ metadata }: PersistentVolumeClaim): readonly Pod[] {
    return using(`${metadata.namespace}/${metadata.name}`);
  }

  async function bind(given: PersistentVolumeClaim): Promise<void> {
    const { volumeName } = given.spec ?? {};
    if (volumeName && given.metadata.annotations?.[BIND_COMPLETED] !== undefined) return await tell(given, volumeName);
    const claim = await classify(given);
    const storageClass = classOf(claim);
    const isEarly = storageClass?.volumeBindingMode === "WaitForFirstConsumer" && usersOf(claim).length === 0;
    if (isEarly && !claim.spec?.volumeName) return;
    const volume = findVolume(claim, objects.list(PersistentVolume));
    if (volume !== undefined) await join(claim, volume);
    else if (storageClass !== undefined && hasProvisioner(storageClass) && !claim.spec?.volumeName) await provision(claim, storageClass);
  }

  /** Gives a claim without a class the default class, as soon as there is one. */
  async function classify(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    const standard = claim.spec?.storageClassName === undefined ? defaultClass(objects.list(StorageClass)) : undefined;
    if (standard === undefined) return claim;
    return await write.patch(PersistentVolumeClaim, claim, { spec: { storageClassName: standard.metadata.name } });
  }

  function classOf({ spec }: PersistentVolumeClaim): StorageClass | undefined {
    return spec?.storageClassName ? objects.get(StorageClass, spec.storageClassName) : undefined;
  }

  async function provision(claim: PersistentVolumeClaim, storageClass: StorageClass): Promise<void> {
    const annotations = {
      "volume.beta.kubernetes.io/storage-provisioner": storageClass.provisioner,
      "volume.kubernetes.io/storage-provisioner": storageClass.provisioner,
    };
    const asked = await write.patch(PersistentVolumeClaim, claim, { metadata: { annotations } });
    await join(asked, await write.create(PersistentVolume, undefined, volumeFor(asked, storageClass)));
  }

  /** Binds a claim to a volume. The volume is written first: if the second write fails, the volume stays reserved for this claim. */
  async function join(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { name, namespace, uid, resourceVersion } = claim.metadata;
    const isByController = volume.spec?.claimRef === undefined;
    if (volume.spec?.claimRef?.uid !== uid || !uid) {
      const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid, resourceVersion };
      const annotations = isByController ? { annotations: { [BOUND_BY_CONTROLLER]: "yes" } } : {};
      await write.patch(PersistentVolume, volume, { metadata: annotations, spec: { claimRef } });
    }
    const annotations = { [BIND_COMPLETED]: "yes", ...(claim.spec?.volumeName ? {} : { [BOUND_BY_CONTROLLER]: "yes" }) };
    const volumeName = volume.metadata.name;
    const bound = await write.patch(PersistentVolumeClaim, claim, { metadata: { annotations }, spec: { volumeName } });
    await tell(bound, volumeName);
  }

  async function tell(claim: PersistentVolumeClaim, volumeName: string): Promise<void> {
    const volume = objects.get(PersistentVolume, volumeName);
    const { phase } = claim.status ?? {};
    if (volume === undefined || volume.spec?.claimRef?.uid !== claim.metadata.uid) {
      if (phase !== "Lost") await write.patchStatus(PersistentVolumeClaim, claim, { phase: "Lost", accessModes: null, capacity: null });
      return;
    }
    if (phase === "Bound") return;
    const { accessModes, capacity } = volume.spec ?? {};
    await write.patchStatus(PersistentVolumeClaim, claim, { phase: "Bound", accessModes, capacity: { storage: capacity?.["storage"] } });
  }
}

/** Returns the keys of the claims that a pod uses. */
function claimsIn({ metadata, spec }: Pod): readonly string[] {
  const names = (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim !== undefined ? [persistentVolumeClaim.claimName] : ephemeral === undefined ? [] : [`${metadata.name}-${name}`],
  );
  return names.map((name) => `${metadata.namespace}/${name}`);
}
