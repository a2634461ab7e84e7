/** Objects and fields that are not compared with the reference, because they are not work of the operator. */
import type { IgnoredPath } from "./snapshot.ts";

/** Objects by which operators report about themselves, and CRDs. */
export const NOT_COMPARED: ReadonlySet<string> = new Set(["events", "leases", "customresourcedefinitions"]);

/** Objects that the controllers of workloads create; their number and order is not the operator's work. */
export const MADE_BY_WORKLOADS: ReadonlySet<string> = new Set([
  "controllerrevisions",
  "endpoints",
  "endpointslices",
  "nodes",
  "pods",
  "replicasets",
]);

/** A count of the template changes that the controllers saw. */
export const COUNTED_BY_WORKLOADS: readonly IgnoredPath[] = [["metadata", "annotations", "deployment.kubernetes.io/revision"]];
