/** Finds the operator that writes the status of an object, by the names that operators of Treadle leave: field managers, finalizers, leases. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { FoundObject } from "../cluster/find-object.ts";
import type { ClusterReader } from "../cluster/reader.ts";
import { isBuiltIn } from "../cluster/served-kinds.ts";
import { numberAt, textAt, valueAt } from "../json.ts";
import type { LeaseNote, Situation } from "./situation.ts";

/** On a lease: the handlers of its holder, separated by commas. */
const OPERATOR_ANNOTATION = "treadle.dev/operator";
/** The duration of client-go, for a lease that names none. */
const DEFAULT_DURATION_S = 15;

/** Reads the leases of the operator of an object. Kinds of Kubernetes have controllers that leases do not tell about. */
export async function operatorOf(
  reader: ClusterReader,
  { kind, object }: FoundObject,
  withLeases: boolean,
): Promise<Pick<Situation, "leases" | "isOfTreadle">> {
  if (isBuiltIn(kind)) return { leases: [], isOfTreadle: false };
  const names = new Set([`${kind.plural}.${kind.group}`, ...writersOf(object)]);
  const lease = reader.kinds.of({ apiVersion: "coordination.k8s.io/v1", kind: "Lease" });
  // Each node has a lease of its own, in a namespace of their own.
  const fieldSelector = "metadata.namespace!=kube-node-lease";
  const all = withLeases && lease !== undefined ? await reader.list(lease, { fieldSelector }) : [];
  const leases = all.filter((each) => namesOf(each).some((name) => names.has(name)));
  const isOfTreadle = leases.length > 0 || hasEngineStatus(object) || writersOf(object).includes(`${kind.plural}.${kind.group}`);
  return { leases: leases.map(noteOf), isOfTreadle };
}

/** The name of a handler is its field manager, and a part of its finalizer. */
function writersOf({ metadata: { managedFields = [], finalizers = [] } }: KubernetesObject): readonly string[] {
  const managers = managedFields.map(({ manager = "" }) => manager.split("/")[0] ?? "");
  return [...managers, ...finalizers.flatMap((finalizer) => finalizer.split("/"))].filter((name) => name.includes("."));
}

function namesOf({ metadata: { name, annotations = {} } }: KubernetesObject): readonly string[] {
  return [name, ...(annotations[OPERATOR_ANNOTATION] ?? "").split(",")];
}

function noteOf(lease: KubernetesObject): LeaseNote {
  const renewedMs = Date.parse(textAt(lease, "spec", "renewTime"));
  return {
    namespace: lease.metadata.namespace ?? "",
    name: lease.metadata.name,
    holder: textAt(lease, "spec", "holderIdentity"),
    renewedMs: Number.isNaN(renewedMs) ? undefined : renewedMs,
    durationMs: (numberAt(lease, "spec", "leaseDurationSeconds") ?? DEFAULT_DURATION_S) * 1000,
  };
}

/** Fields of a status that only the engine writes. */
function hasEngineStatus(object: KubernetesObject): boolean {
  const steps = valueAt(object, "status", "dependents");
  const hasSteps = Array.isArray(steps) && steps.some((each) => textAt(each, "step") !== "");
  return hasSteps || valueAt(object, "status", "steps") !== undefined || textAt(object, "status", "lastHandledReconcileAt") !== "";
}
