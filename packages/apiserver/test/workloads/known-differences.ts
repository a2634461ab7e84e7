/** Where the simulation does not leave what the real controllers leave, and why. */
export interface KnownDifference {
  readonly scenario: RegExp;
  /** Of lines as `differences` makes them. */
  readonly line: RegExp;
  readonly reason: string;
  /** The real controllers do not leave the same each time, either. */
  readonly varies?: true;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    scenario: /paused and resumed/,
    line: /^resumed: replicasets.*[gG]eneration recorded/,
    reason: "in how many steps a rollout gets to its end depends on the order in which pods become ready",
    varies: true,
  },
  {
    scenario: /^service names ready pods/,
    line: /: endpointslices\..*\.generation recorded/,
    reason:
      "how often a slice is written depends on how many pods become ready between two looks; here those that start together are ready together",
    varies: true,
  },
  {
    scenario: /^(claim|statefulset)/,
    line: /: persistentvolume(claim)?s\..*\.managers/,
    reason: "the finalizers that protect claims and volumes are set by their controllers, not while they are created",
  },
  {
    scenario: /^service shows pods/,
    line: /^not ready: endpointslices.*\.annotations/,
    reason:
      "a simulated kubelet says that a pod is not ready before it gives it an address, as kubelets do; the stand-in says both at once",
  },
];
