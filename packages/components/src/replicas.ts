/** Who sets the number of replicas of a workload: its desired state, or a HorizontalPodAutoscaler of the component. */
import { groupKindOf, type Kind, keyOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { desiredByOwner } from "@treadle/dependents/unstable/step";
import type { Cache } from "@treadle/reconcile";
import type { Definition, Resource } from "./definition.ts";

/** Names an object by its kind and reference. */
export function targetKey(kind: Pick<Kind, "group" | "kind">, target: Ref): string {
  return `${groupKindOf(kind)} ${keyOf(target)}`;
}

/** Returns whether `key` names an object of `kind`. */
export function isOfKind(key: string, kind: Kind): boolean {
  return key.startsWith(`${groupKindOf(kind)} `);
}

/** Returns the workloads whose number of replicas an autoscaler of the component sets, by {@link targetKey}. */
export function autoscaledBy(
  { autoscalers }: Definition,
  req: { readonly object: KubernetesObject; readonly cache: Pick<Cache, "get"> },
): ReadonlySet<string> {
  return new Set(autoscalers.flatMap((resource) => objectsOf(resource, req).flatMap(targetOf)));
}

/** Returns the workload whose number of replicas `autoscaler` sets, by {@link targetKey}; empty if it names none. */
export function autoscaledIn(autoscaler: KubernetesObject): readonly string[] {
  return targetOf({ target: autoscaler.metadata, autoscaler });
}

/** The autoscalers as they are desired. Where another writer creates them, or that depends on more than the owner, as they are. */
function objectsOf(
  { dependent }: Resource,
  { object, cache }: { readonly object: KubernetesObject; readonly cache: Pick<Cache, "get"> },
): readonly { readonly target: Ref; readonly autoscaler: object }[] {
  const desired = dependent.policy.isCreated ? desiredByOwner(dependent, object) : undefined;
  if (desired !== undefined) return desired.map(({ target, desired: autoscaler }) => ({ target, autoscaler }));
  return dependent.names(object).list.flatMap(({ target }) => {
    const autoscaler: KubernetesObject | undefined = cache.get(dependent.policy.kind, target);
    return autoscaler === undefined ? [] : [{ target, autoscaler }];
  });
}

function targetOf({ target, autoscaler }: { readonly target: Ref; readonly autoscaler: object }): readonly string[] {
  const { apiVersion, kind, name } = (autoscaler as Autoscaler).spec?.scaleTargetRef ?? {};
  if (typeof kind !== "string" || typeof name !== "string") return [];
  const group = typeof apiVersion === "string" && apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return [targetKey({ group, kind }, target.namespace === undefined ? { name } : { name, namespace: target.namespace })];
}

interface Autoscaler {
  readonly spec?: { readonly scaleTargetRef?: { readonly apiVersion?: unknown; readonly kind?: unknown; readonly name?: unknown } };
}

/** Returns the number of replicas in an object, whatever it is. */
export function replicasIn(object: object): unknown {
  return (object as { readonly spec?: { readonly replicas?: unknown } | null }).spec?.replicas;
}

/** Returns a desired state without its number of replicas. */
export function withoutReplicas(desired: object): object {
  const { spec } = desired as { readonly spec?: Readonly<Record<string, unknown>> };
  if (spec === undefined || !("replicas" in spec)) return desired;
  const { replicas: _, ...rest } = spec;
  return { ...desired, spec: rest };
}
