/** The read of the Secret with the kubeconfig of a step. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { OneRead } from "@treadle/reconcile/unstable/engine";
import type { TargetDefinition } from "../types.ts";

/** The name of the read. Authors cannot use it. */
export const TARGET_READ = "target:kubeconfig";

/** Returns the read to add to those of the step. */
export function targetReads(target: TargetDefinition | undefined): Readonly<Record<string, OneRead>> {
  return target?.kubeconfig === undefined ? {} : { [TARGET_READ]: target.kubeconfig };
}

/** Returns the Secret, if it exists. */
export function secretIn(reads: object): KubernetesObject | undefined {
  return (reads as Readonly<Record<string, unknown>>)[TARGET_READ] as KubernetesObject | undefined; // What the read of a Secret gives.
}

/** Returns the reads as authors and digests see them: a rotated credential changes no input. */
export function withoutTargetRead(reads: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { [TARGET_READ]: _secret, ...others } = reads;
  return Object.freeze(others);
}
