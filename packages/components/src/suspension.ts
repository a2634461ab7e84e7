/** Suspends the objects of a component, and remembers the numbers of replicas that nothing else has. */
import { keyOf, type KubernetesObject } from "@treadle/apimachinery";
import { replicasAreOurs } from "@treadle/dependents/unstable/step";
import type { CleanupReq } from "@treadle/reconcile";
import type { Definition, Resource } from "./definition.ts";
import type { Run } from "./extension.ts";
import type { Suspend } from "./kinds/kind-record.ts";
import { replicasIn, targetKey } from "./replicas.ts";
import type { State } from "./state.ts";

/** Returns the desired state of a suspended object. */
export function suspended(desired: object, { merge }: Suspend): object {
  return merge === undefined ? desired : (merged(desired, merge) as object);
}

function merged(target: unknown, part: unknown): unknown {
  if (!isRecord(target) || !isRecord(part)) return part;
  const keys = Object.keys(part).map((key) => [key, merged(target[key], part[key])] as const);
  return { ...target, ...Object.fromEntries(keys) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type SuspendingReq = Pick<CleanupReq<KubernetesObject>, "object" | "cache" | "handlerName" | "checkpoint"> & { readonly state: State };

/**
 * Stores the numbers of replicas of the workloads that another writer has set, before 0 replaces them. It is stored before the first
 * write: no crash loses a number.
 */
export async function rememberReplicas(definition: Definition, req: SuspendingReq, run: Run): Promise<void> {
  const found = definition.resources.flatMap((resource) => numbersOf(req, resource, run));
  const known = req.state.replicas ?? {};
  const added = found.filter(([key]) => known[key] === undefined);
  if (added.length === 0) return;
  req.state.replicas = { ...known, ...Object.fromEntries(added) };
  await req.checkpoint();
}

function numbersOf(req: SuspendingReq, { hasReplicas, dependent, name }: Resource, run: Run): readonly (readonly [string, number])[] {
  const { kind, isCreated, isUpdated } = dependent.policy;
  if (!hasReplicas || !isCreated || !isUpdated) return [];
  const { object, handlerName } = req;
  const given = { handlerName, unit: name, uid: object.metadata.uid ?? "" };
  return dependent.names(object).list.flatMap(({ target }) => {
    const live: KubernetesObject | undefined = req.cache.get(kind, target);
    const replicas = live === undefined ? undefined : replicasIn(live);
    if (live === undefined || typeof replicas !== "number" || replicas === 0) return [];
    const isForeign = run.autoscaled.has(targetKey(kind, target)) || !replicasAreOurs(live, given);
    return isForeign ? [[keyOf(target), replicas] as const] : [];
  });
}
