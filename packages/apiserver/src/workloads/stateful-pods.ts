/** The pods of a StatefulSet and their claims: names, ordinals and specs. Pure. */
import { type PersistentVolumeClaim, type Pod, StatefulSet } from "@treadle/apimachinery/kinds";
import { controllerReference } from "./adoption.ts";
import type { ControllerRevision, Template } from "./controller-revisions.ts";
import type { Draft } from "./writer.ts";

export const REVISION = "controller-revision-hash";

export function replicasOf({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1;
}

export function startOf({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`;
}

/** Returns the ordinal of a pod, or `undefined` when its name is not that of a pod of the set. */
export function ordinalOf({ metadata: { name } }: StatefulSet, pod: Pod): number | undefined {
  const [, parent, ordinal] = /^(.*)-(\d{1,9})$/.exec(pod.metadata.name) ?? [];
  return parent === name ? Number(ordinal) : undefined;
}

/** Returns the pod of an ordinal in a revision. */
export function podOf(set: StatefulSet, ordinal: number, revision: ControllerRevision): Draft {
  const { metadata = {}, spec } = (revision.data?.spec?.template ?? {}) as Template;
  const name = podName(set, ordinal);
  const claims = (set.spec?.volumeClaimTemplates ?? []).map((claim) => claim.metadata?.name ?? "");
  const mounted = claims.map((claim) => ({ name: claim, persistentVolumeClaim: { claimName: `${claim}-${name}` } }));
  const others = (spec?.volumes ?? []).filter((volume) => !claims.includes(volume.name));
  const volumes = [...mounted, ...others];
  const { annotations, finalizers } = metadata;
  return {
    metadata: {
      name,
      generateName: `${set.metadata.name}-`,
      labels: {
        ...metadata.labels,
        "apps.kubernetes.io/pod-index": String(ordinal),
        "statefulset.kubernetes.io/pod-name": name,
        [REVISION]: revision.metadata.name,
      },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference(StatefulSet, set)],
    },
    spec: {
      ...spec,
      hostname: name,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** Returns the claims of an ordinal. The set owns them only if they are deleted with it. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly (Draft & { readonly metadata: { readonly name: string } })[] {
  const isOwned = set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete";
  return (set.spec?.volumeClaimTemplates ?? []).map(({ metadata = {}, spec }) => ({
    metadata: {
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      name: `${metadata.name}-${podName(set, ordinal)}`,
      labels: { ...metadata.labels, ...set.spec?.selector.matchLabels },
      ...(isOwned ? { ownerReferences: [controllerReference(StatefulSet, set)] } : {}),
    },
    spec,
  }));
}

/** Returns the owner of a claim by the retention policy: the set, a pod that is scaled away, or none. */
export function claimOwners(set: StatefulSet, pod: Pod | undefined, claim: PersistentVolumeClaim): readonly object[] {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const others = (claim.metadata.ownerReferences ?? []).filter(
    ({ kind, name, uid }) => uid !== set.metadata.uid && !(kind === "Pod" && claim.metadata.name.endsWith(`-${name}`)),
  );
  const isCondemned = pod !== undefined && whenScaled === "Delete" && !isWanted(set, ordinalOf(set, pod));
  if (isCondemned) return [...others, { apiVersion: "v1", kind: "Pod", name: pod.metadata.name, uid: pod.metadata.uid }];
  return whenDeleted === "Delete" ? [...others, controllerReference(StatefulSet, set)] : others;
}

export function isWanted(set: StatefulSet, ordinal: number | undefined): boolean {
  return ordinal !== undefined && ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}
