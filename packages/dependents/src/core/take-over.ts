/**
 * Makes the fields of other field managers our own: their entries of managedFields become part of our entry, in one write that
 * changes nothing else. From then on our writes remove such a field when it is not desired. Without this the server would
 * keep the fields forever, under the name of a removed program (client-go's `csaupgrade` does the same).
 */
import type { KubernetesObject, ManagedFieldsEntry, Ref } from "@treadle/apimachinery";
import type { Context } from "./context.ts";
import { claimedNames, withManagedFields } from "./difference.ts";
import { managerOf, ownerUidIn, refTo } from "./marks.ts";
import { appliedFields, isObject } from "./owned-fields.ts";
import { formerUnits, hasOurMarks, isOfNamesake } from "./ownership.ts";
import type { Policy } from "./plan.ts";

/**
 * Takes the fields that our next write has to remove where they are not desired. Safe to repeat. Besides a list it sends a request
 * only where there are such fields.
 *
 * @param fresh the object as it was just read, if it was
 * @returns the object as stored; `known` where nothing was taken
 * @throws the error of the server; 409 when another writer was faster
 */
export async function takenOver(
  context: Context,
  policy: Policy,
  { known, fresh }: { readonly known: KubernetesObject; readonly fresh?: KubernetesObject | undefined },
): Promise<KubernetesObject> {
  const { client } = context;
  const { kind, writes } = policy;
  if (!mayHaveOthers(context, policy, withManagedFields(context, policy, known))) return known;
  const live = fresh ?? (await readLive(context, { kind }, refTo(known)));
  if (live === undefined || live.metadata.uid !== known.metadata.uid) return known;
  const theirs = writes === "replace" ? appliersIn(context, policy, live) : writersIn(context, policy, live);
  const managedFields = transferred(live.metadata.managedFields ?? [], { theirs, to: entryOf(context, policy) });
  if (managedFields === undefined) return known;
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

type Entries = readonly ManagedFieldsEntry[];
/** What tells our entry from others. */
type Identity = Pick<ManagedFieldsEntry, "manager" | "operation">;

/** A PUT is made under the name of the handler. */
function entryOf(context: Context, { writes }: Policy): Identity {
  return writes === "replace" ? { manager: context.handlerName, operation: "Update" } : { manager: managerOf(context), operation: "Apply" };
}

/** Whether a request is worth it, as far as the cache knows. */
function mayHaveOthers(context: Context, policy: Policy, known: KubernetesObject): boolean {
  const { writes, reclaims = [], adoptsNamesake = false } = policy;
  if (writes === "replace") return appliersIn(context, policy, known).length > 0;
  if (reclaims.length > 0) return true;
  const isFirst = appliedFields(known, managerOf(context)) === undefined;
  return isFirst && (context.replacedManagers.length > 0 || adoptsNamesake || writes !== undefined);
}

/** What our apply takes: fields of listed managers, and before the first apply those of replaced operators and of our own updates. */
function writersIn(context: Context, { writes, reclaims = [], adoptsNamesake = false }: Policy, live: KubernetesObject): Entries {
  const { replacedManagers, handlerNames } = context;
  const isFirst = appliedFields(live, managerOf(context)) === undefined;
  const isNamesakes = adoptsNamesake && isFirst && isOfNamesake(context, live);
  const wasReplaced = writes !== undefined && isFirst && hasOurMarks(context, live);
  return ofWholeObject(live).filter((entry) => {
    const { manager = "", operation } = entry;
    if (reclaims.some((prefix) => manager.startsWith(prefix))) return true;
    if (isFirst && replacedManagers.includes(manager)) return true;
    if (wasReplaced && operation === "Update" && handlerNames.includes(manager)) return true;
    return isNamesakes && isOfEarlierOwner(context, entry);
  });
}

/** What our PUT takes: fields that the unit, or the earlier owner of an adopted object, has applied before. */
function appliersIn(context: Context, policy: Policy, live: KubernetesObject): Entries {
  const isNamesakes = policy.adoptsNamesake === true && isOfNamesake(context, live);
  const managers = [
    managerOf(context),
    ...claimedNames(context, live).map((handlerName) => managerOf(context, { handlerName })),
    ...formerUnits(context, policy, live).map((unit) => managerOf(context, { unit })),
  ];
  return ofWholeObject(live).filter(
    (entry) => entry.operation === "Apply" && (managers.includes(entry.manager ?? "") || (isNamesakes && isOfEarlierOwner(context, entry))),
  );
}

/** A write through a subresource, such as the status, is not part of an apply. */
function ofWholeObject({ metadata: { managedFields = [] } }: KubernetesObject): Entries {
  return managedFields.filter(({ subresource = "" }) => subresource === "");
}

function isOfEarlierOwner(context: Context, { manager = "", operation }: ManagedFieldsEntry): boolean {
  if (operation !== "Apply") return false;
  return context.handlerNames.some((handlerName) => {
    const uid = ownerUidIn(context, manager, { handlerName });
    return uid !== undefined && uid !== context.owner.metadata.uid;
  });
}

/** The entries with `theirs` united in one entry of `to`; `undefined` where no entry is theirs. */
function transferred(
  entries: Entries,
  { theirs, to }: { readonly theirs: Entries; readonly to: Identity },
): readonly ManagedFieldsEntry[] | undefined {
  const isOurs = ({ manager, operation, subresource = "" }: ManagedFieldsEntry): boolean =>
    subresource === "" && manager === to.manager && operation === to.operation;
  const others = theirs.filter((entry) => !isOurs(entry));
  const ours = entries.filter(isOurs);
  const [last] = [...others, ...ours].slice(-1);
  if (last === undefined || others.length === 0) return undefined;
  const fieldsV1 = [...ours, ...others].map((entry) => entry.fieldsV1 ?? {}).reduce(union);
  return [...entries.filter((entry) => !others.includes(entry) && !isOurs(entry)), { ...last, ...to, fieldsV1 }];
}

function union(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const both: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const other = both[key];
    both[key] = isObject(other) && isObject(value) ? union(other, value) : value;
  }
  return both;
}
