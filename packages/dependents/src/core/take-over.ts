/**
 * Makes the fields of a replaced operator our own: its entries of managedFields, from apply or update, become part of our
 * entry, in one write that changes nothing else. From then on our apply removes such a field when it is not desired.
 * Without this the server would keep the fields forever, under the name of a removed program (client-go's `csaupgrade`
 * does the same).
 */
import type { KubernetesObject, ManagedFieldsEntry, Ref } from "@treadle/apimachinery";
import type { Context } from "./context.ts";
import { managerOf, refTo } from "./marks.ts";
import { appliedFields, isObject } from "./owned-fields.ts";
import type { Policy } from "./plan.ts";

/** Runs once for each object, before the unit applies it first. @throws the error of the server; 409 when another writer was faster */
export async function takenOver(context: Context, { kind }: Policy, known: KubernetesObject): Promise<KubernetesObject> {
  const { replacedManagers: from, client } = context;
  const to = managerOf(context);
  if (from.length === 0 || appliedFields(known, to) !== undefined) return known;
  const live = await readLive(context, { kind }, refTo(known));
  const managedFields = live === undefined ? undefined : transferred(live.metadata.managedFields ?? [], { to, from });
  if (live === undefined || managedFields === undefined) return known;
  const { uid, resourceVersion } = live.metadata;
  return await client.patch(kind, refTo(known), { type: "merge", body: { metadata: { uid, resourceVersion, managedFields } } });
}

/** The object from the server: caches keep no entries of others. A list, because the right to list is there. */
export async function readLive(
  { client }: Pick<Context, "client">,
  { kind }: Pick<Policy, "kind">,
  { name, namespace }: Ref,
): Promise<KubernetesObject | undefined> {
  const within = namespace === undefined ? {} : { namespace };
  const [live]: readonly KubernetesObject[] = await client.list(kind, { ...within, fieldSelector: `metadata.name=${name}` });
  return live;
}

/** The entries with those of `from` united in one apply of `to`; `undefined` where `from` has no entry. */
function transferred(
  entries: readonly ManagedFieldsEntry[],
  { from, to }: { readonly from: readonly string[]; readonly to: string },
): readonly ManagedFieldsEntry[] | undefined {
  // A write through a subresource, such as the status, is not part of an apply.
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
