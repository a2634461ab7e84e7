/** Hands the number of replicas of a workload to other writers, such as a HorizontalPodAutoscaler, without a change by the server. */
import type { KubernetesObject, ManagedFieldsEntry } from "@treadle/apimachinery";
import type { Context } from "./context.ts";
import { withManagedFields } from "./difference.ts";
import { managerOf, refTo } from "./marks.ts";
import { appliedFields, isObject } from "./owned-fields.ts";
import type { Policy } from "./plan.ts";
import { readLive } from "./take-over.ts";

/**
 * Takes `spec.replicas` out of our entries of managedFields, and sets it to the value that `replicasOf` returns, in one write. If our
 * next apply only left the field out, the server would remove it, and the workload would have one replica by default. The same holds
 * for an entry of a former name of the handler, which is removed later.
 *
 * @returns the object as stored; `live` if the field is not ours
 * @throws the error of the server; 409 when another writer was faster
 */
export async function releaseReplicas(
  context: Context,
  policy: Policy,
  given: { readonly live: KubernetesObject; readonly replicasOf: (live: KubernetesObject) => { readonly value: number | undefined } },
): Promise<KubernetesObject> {
  const managers = context.handlerNames.map((handlerName) => managerOf(context, { handlerName }));
  const isOurs = (object: KubernetesObject): boolean => managers.some((manager) => ownsReplicas(object, manager));
  if (!isOurs(withManagedFields(context, policy, given.live))) return given.live;
  // Caches keep no entries of other managers, and the write must not lose them.
  const live = await readLive(context, policy, refTo(given.live));
  if (live === undefined || live.metadata.uid !== given.live.metadata.uid || !isOurs(live)) return live ?? given.live;
  const { uid, resourceVersion, managedFields = [] } = live.metadata;
  const { value } = given.replicasOf(live);
  const body = {
    metadata: { uid, resourceVersion, managedFields: managedFields.map((entry) => withoutReplicas(entry, managers)) },
    ...(value === undefined ? {} : { spec: { replicas: value } }),
  };
  return await context.client.patch(policy.kind, refTo(live), { type: "merge", body });
}

/** Whether `manager` applied the number of replicas. */
export function ownsReplicas(live: KubernetesObject, manager: string): boolean {
  const spec = appliedFields(live, manager)?.["f:spec"];
  return isObject(spec) && "f:replicas" in spec;
}

function withoutReplicas(entry: ManagedFieldsEntry, managers: readonly string[]): ManagedFieldsEntry {
  const { fieldsV1 = {}, manager = "" } = entry;
  const spec = (fieldsV1 as Readonly<Record<string, unknown>>)["f:spec"];
  if (!managers.includes(manager) || entry.operation !== "Apply" || (entry.subresource ?? "") !== "" || !isObject(spec)) return entry;
  const { "f:replicas": _, ...rest } = spec;
  return { ...entry, fieldsV1: { ...fieldsV1, "f:spec": rest } };
}
