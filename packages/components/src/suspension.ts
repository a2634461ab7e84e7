/** Suspends the objects of a component, and remembers the numbers of replicas that nothing else has. */
import { type KubernetesObject, ownership } from "@treadle/apimachinery";
import { partReportOf, refsOrNone, replicasAreOurs, withPartial } from "@treadle/dependents/unstable/step";
import type { CleanupReq } from "@treadle/reconcile";
import type { Definition, Resource } from "./definition.ts";
import { components, type Run } from "./extension.ts";
import type { Suspend } from "./kinds/kind-record.ts";
import { replicasIn, targetKey } from "./replicas.ts";
import type { State } from "./state.ts";

/** Returns whether a suspension changes the objects of a resource. Others stay applied. */
export function isSuspendable({ record, dependent }: Resource): boolean {
  return record.suspend !== undefined && dependent.policy.isCreated && dependent.policy.isUpdated;
}

/** Returns the desired state of a suspended object. The fields of its record are merged as those of a last layer. */
export function suspended({ name, dependent }: Resource, desired: object, { merge }: Suspend): object {
  if (merge === undefined) return desired;
  return withPartial(dependent.policy.kind, desired, { partial: merge, where: `step "${name}": the suspension` });
}

type SuspendingReq = Pick<CleanupReq<KubernetesObject>, "object" | "cache" | "handlerNames" | "checkpoint"> & {
  readonly state: State;
};

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
  // A dry run ends a step at its checkpoint. It is to show the writes of the resources, too.
  if (!components.of(req).isDryRun) await req.checkpoint();
}

function numbersOf(req: SuspendingReq, { hasReplicas, dependent, name }: Resource, run: Run): readonly (readonly [string, number])[] {
  const { kind, isCreated, isUpdated, isOwned, adopt } = dependent.policy;
  if (!hasReplicas || !isCreated || !isUpdated) return [];
  const { object, handlerNames } = req;
  const uid = object.metadata.uid ?? "";
  // A resource whose name cannot be computed fails by itself.
  return refsOrNone(dependent, object).flatMap((target) => {
    const live: KubernetesObject | undefined = req.cache.get(kind, target);
    const replicas = live === undefined ? undefined : replicasIn(live);
    if (live === undefined || typeof replicas !== "number") return [];
    // The object of another owner is not suspended.
    if (isOwned && adopt === "never" && ownership(live, object, handlerNames).type !== "ours") return [];
    const key = targetKey(kind, target);
    const isOurs = handlerNames.some((handlerName) => replicasAreOurs(live, { handlerName, unit: name, uid }));
    // A 0 of ours is the one of the suspension.
    return !isOurs || (run.autoscaled.has(key) && replicas !== 0) ? [[key, replicas] as const] : [];
  });
}

/** Forgets the numbers of workloads that have them again, and of those that are no longer kept. */
export function forgetReplicas({ resources }: Definition, req: Pick<SuspendingReq, "object" | "state">): void {
  const { replicas } = req.state;
  if (replicas === undefined) return;
  const waiting = new Set(resources.flatMap((resource) => unsettledIn(req, resource)));
  const left = Object.entries(replicas).filter(([key]) => waiting.has(key));
  if (left.length === 0) delete req.state.replicas;
  else if (left.length < Object.keys(replicas).length) req.state.replicas = Object.fromEntries(left);
}

/** The workloads of a resource that the pass has not converged. */
function unsettledIn(req: Pick<SuspendingReq, "object">, { hasReplicas, dependent, name }: Resource): readonly string[] {
  if (!hasReplicas) return [];
  const { kind } = dependent.policy;
  const report = partReportOf(req, name);
  if (report.type === "none") return [];
  const targets =
    report.type === "objects"
      ? report.objects.filter(({ cause }) => cause !== "judged").map(({ target }) => target)
      : dependent.names(req.object).list.map(({ target }) => target);
  return targets.map((target) => targetKey(kind, target));
}
