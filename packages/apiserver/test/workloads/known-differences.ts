/** Known differences between the results of the simulation and of the real controllers, with their reasons. */
export interface KnownDifference {
  readonly scenario: RegExp;
  /** Matches lines of `differences`. */
  readonly line: RegExp;
  readonly reason: string;
  /** Whether the results of the real controllers vary, too. */
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
    scenario: /^service shows pods/,
    line: /^not ready: endpointslices.*\.annotations/,
    reason:
      "a simulated kubelet says that a pod is not ready before it gives it an address, as kubelets do; the stand-in says both at once",
  },
  {
    scenario: /^autoscalers share their pods/,
    line: /^two: horizontalpodautoscalers.*ScalingActive\.message recorded "pods by selector/,
    reason: "the real controller lists the autoscalers in a random order",
    varies: true,
  },
];
