/** What of the end of a run is no work of the operator, and so is not compared with the reference. */
import type { IgnoredPath } from "./snapshot.ts";

/** What operators tell about themselves, and what is only there to make others possible. */
export const NOT_COMPARED: ReadonlySet<string> = new Set(["events", "leases", "customresourcedefinitions"]);

/** What the controllers of workloads make on their way: how many there were of them, and in which order, is not the operator's. */
export const MADE_BY_WORKLOADS: ReadonlySet<string> = new Set([
  "controllerrevisions",
  "endpoints",
  "endpointslices",
  "nodes",
  "pods",
  "replicasets",
]);

/** How often they saw a template change tells of the way, not of the end. */
export const COUNTED_BY_WORKLOADS: readonly IgnoredPath[] = [["metadata", "annotations", "deployment.kubernetes.io/revision"]];
