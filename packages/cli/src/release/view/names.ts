/** Names of releases in output. */
import type { Ref } from "@treadle/apimachinery";

/** A release as `-o json` names it. */
export interface ReleaseName {
  readonly name: string;
  /** Where the release is stored. */
  readonly namespace: string;
  /** Namespace of objects that name none. */
  readonly targetNamespace: string;
}

export function releaseName({ name, namespace = "" }: Ref, targetNamespace: string): ReleaseName {
  return { name, namespace, targetNamespace };
}

/** Returns the name as texts show it. */
export function releaseTitle({ name, namespace = "" }: Ref): string {
  return `release ${namespace}/${name}`;
}
