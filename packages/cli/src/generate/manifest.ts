/** Manifests: what is written, in a stable form. */

/** An object of Kubernetes as plain data, in the order of its keys in a file. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** A manifest with the comments of its rules. */
export interface Commented {
  readonly manifest: Manifest;
  /** The lines above each rule, by its index. */
  readonly ruleComments?: readonly (readonly string[])[];
}

/** The parts of the manifests of an operator. Each layout puts them into files of its own. */
export interface Parts {
  readonly namespace: readonly Commented[];
  readonly crds: readonly Commented[];
  readonly rbac: readonly Commented[];
  /** What runs and is reached: Deployment, Services, PodDisruptionBudget. */
  readonly operator: readonly Commented[];
  /** The webhook configurations and the source of their certificate. */
  readonly webhooks: readonly Commented[];
  readonly networkPolicy: readonly Commented[];
  /** Needs the CRDs of the Prometheus Operator. */
  readonly monitoring: readonly Commented[];
}

/** Returns manifests without comments. */
export function plain(manifests: readonly object[]): readonly Commented[] {
  return manifests.map((manifest) => ({ manifest: manifest as Manifest })); // each builder gives objects with these fields
}
