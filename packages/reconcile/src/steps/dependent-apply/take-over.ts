/**
 * What another operator wrote of a dependent becomes ours: its entries of managedFields, by apply or by update, are made part of
 * our own, in one write that changes nothing else. From then on an apply removes of it what is wanted no more. Without this the
 * server would keep such fields for ever, in the name of a program that is gone (client-go `csaupgrade` does the same).
 */
import type { KubernetesObject, ManagedFieldsEntry } from "@treadle/apimachinery";
import { isObject } from "../../internal/is-object.ts";
import { unitManager } from "../../pass/req-client.ts";
import { appliedFields } from "./owned-fields.ts";
import type { Unit } from "./unit.ts";

/** Once for each object: when the step has not applied it yet. @throws what the server answers; 409 when somebody else wrote */
export async function takenOver(unit: Unit, known: KubernetesObject): Promise<KubernetesObject> {
  const { pass, dependent, req } = unit;
  const { fieldManagers } = pass.pipeline.before;
  const ours = unitManager(pass, dependent);
  if (fieldManagers.length === 0 || appliedFields(known, ours) !== undefined) return known;
  const { name, namespace } = known.metadata;
  const ref = namespace === undefined ? { name } : { name, namespace };
  // Live, for caches keep no entries of others; a list, because the right to list is there.
  const within = namespace === undefined ? {} : { namespace };
  const [live] = (await req.client.list(dependent.kind, { ...within, fieldSelector: `metadata.name=${name}` })) as KubernetesObject[];
  const managedFields = live === undefined ? undefined : transferred(live.metadata.managedFields ?? [], { to: ours, from: fieldManagers });
  if (live === undefined || managedFields === undefined) return known;
  const { uid, resourceVersion } = live.metadata;
  return await req.client.patch(dependent.kind, ref, { type: "merge", body: { metadata: { uid, resourceVersion, managedFields } } });
}

/** The entries with those of `from` united in one apply of `to`; undefined where there are none. */
function transferred(
  entries: readonly ManagedFieldsEntry[],
  { from, to }: { readonly from: readonly string[]; readonly to: string },
): readonly ManagedFieldsEntry[] | undefined {
  // What is written through a subresource, such as the status, is no part of an apply.
  const isTheirs = ({ manager = "", subresource = "" }: ManagedFieldsEntry): boolean => subresource === "" && from.includes(manager);
  const isOurs = ({ manager, operation, subresource = "" }: ManagedFieldsEntry): boolean =>
    subresource === "" && manager === to && operation === "Apply";
  const theirs = entries.filter(isTheirs);
  const [last] = theirs.slice(-1);
  if (last === undefined) return undefined;
  const fieldsV1 = [...entries.filter(isOurs), ...theirs].map((entry) => entry.fieldsV1 ?? {}).reduce(union);
  return [...entries.filter((entry) => !isTheirs(entry) && !isOurs(entry)), { ...last, manager: to, operation: "Apply", fieldsV1 }];
}

function union(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const both: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const other = both[key];
    both[key] = isObject(other) && isObject(value) ? union(other, value) : value;
  }
  return both;
}
