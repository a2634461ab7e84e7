/** The controller of PersistentVolumes: their phases, and their deletion when their claim is deleted. */
import { formatTime } from "@treadle/apimachinery";
import { PersistentVolume, PersistentVolumeClaim } from "@treadle/apimachinery/kinds";
import { type Context, type Controller, watch } from "./controller.ts";
import { VOLUME_PROTECTION } from "../objects/deletion.ts";

export function persistentVolumes({ clock, objects, as }: Context): Controller {
  const write = as("persistent-volume-binder");
  const guard = as("pv-protection-controller");
  return {
    name: "persistent-volume-phases",
    kind: PersistentVolume,
    watches: [watch(PersistentVolumeClaim, ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []))],
    async sync(key) {
      const found = objects.get(PersistentVolume, key);
      if (found === undefined) return undefined;
      const phase = phaseOf(found);
      const volume = await protect(found, phase);
      if (phase !== volume.status?.phase && volume.metadata.deletionTimestamp === undefined)
        await write.patchStatus(PersistentVolume, volume, { phase, lastPhaseTransitionTime: formatTime(clock.now()) });
      if (
        phase === "Released" &&
        volume.spec?.persistentVolumeReclaimPolicy === "Delete" &&
        volume.metadata.deletionTimestamp === undefined
      )
        await write.delete(PersistentVolume, volume);
      return undefined;
    },
  };

  function phaseOf({ metadata, spec }: PersistentVolume): string {
    const { claimRef } = spec ?? {};
    if (!claimRef?.uid) return "Available";
    const claim = objects.get(PersistentVolumeClaim, `${claimRef.namespace}/${claimRef.name}`);
    if (claim === undefined || claim.metadata.uid !== claimRef.uid) return "Released";
    return claim.spec?.volumeName === metadata.name ? "Bound" : "Available";
  }

  /** Adds the finalizer that protects a volume while a claim is bound to it. */
  async function protect(volume: PersistentVolume, phase: string): Promise<PersistentVolume> {
    const { finalizers = [], deletionTimestamp } = volume.metadata;
    const isProtected = finalizers.includes(VOLUME_PROTECTION);
    if (deletionTimestamp === undefined)
      return isProtected
        ? volume
        : await guard.patch(PersistentVolume, volume, { metadata: { finalizers: [...finalizers, VOLUME_PROTECTION] } });
    if (!isProtected || phase === "Bound") return volume;
    const left = finalizers.filter((one) => one !== VOLUME_PROTECTION);
    return await guard.patch(PersistentVolume, volume, { metadata: { finalizers: left.length === 0 ? null : left } });
  }
}
