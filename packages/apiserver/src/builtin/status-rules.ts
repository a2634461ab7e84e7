/** The fields that a write of a status must not change (`GetResetFields` of the real server's status strategies). */
import type { ResourceType } from "../storage/registry.ts";

const SPEC: readonly (readonly string[])[] = [["spec"]];
const ALL: readonly (readonly string[])[] = [["metadata"], ["spec"]];

/** By {@link ResourceType.id}. Other built-in kinds keep their spec, custom kinds also their metadata. */
const KEPT: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "deployments.apps": [["spec"], ["metadata", "labels"]],
  pods: [["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]],
  "apiservices.apiregistration.k8s.io": ALL,
  "volumeattachments.storage.k8s.io": ALL,
  "validatingadmissionpolicies.admissionregistration.k8s.io": ALL,
};

/** Returns the fields that a write of the status does not change. */
export function keptByStatus({ id, isCustom }: ResourceType): readonly (readonly string[])[] {
  return isCustom ? ALL : (KEPT[id] ?? SPEC);
}
