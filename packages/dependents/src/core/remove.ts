/**
 * Removes the objects of a unit that are not desired any more, and releases objects that are to stay. Objects are found by
 * owner and label, never by a computed name, and deleted only at the version that was looked at.
 */
import { isForbidden, isKindNotServed, type KubernetesObject, keyOf, type Ref } from "@treadle/apimachinery";
import { isSegment } from "@treadle/reconcile/unstable/engine";
import type { Context } from "./context.ts";
import type { NewEntry } from "./entries.ts";
import { identityOf, marksOf, refTo, titleOf } from "./marks.ts";
import { isMadeByUs } from "./ownership.ts";
import type { Policy } from "./plan.ts";
import { release } from "./release.ts";

/** What is to be removed. */
export interface Removal {
  /** Kind and switches of the objects. */
  readonly policy: Policy;
  /** The objects that stay. */
  readonly keep: Kept;
  /** Names under which objects of the unit are or were, as far as is known: users may have removed their labels. */
  readonly known: () => readonly Ref[];
  /** Namespaces in which objects of the unit may be, besides those of the known names and of the cache; `"*"`: all, by one list. */
  readonly namespaces: () => readonly (string | undefined)[];
  /** Objects are listed from the server: the cache may lack what the last pass of another process created. */
  readonly isLive: boolean;
}

/** The objects that a removal leaves. */
export interface Kept {
  /** Whether the object stays. */
  has(ref: Ref): boolean;
  /** The same text for the same objects. */
  readonly id: string;
}

/** Keeps no object. */
export const NONE: Kept = Object.freeze({ has: () => false, id: "" });

/** Keeps these objects. */
export function keptOf(refs: readonly Ref[]): Kept {
  const [first, second] = refs;
  if (first === undefined) return NONE;
  if (second === undefined) return { has: (ref) => isSameRef(ref, first), id: keyOf(first) };
  const keys = new Set(refs.map(keyOf));
  return { has: (ref) => keys.has(keyOf(ref)), id: [...keys].join(" ") };
}

/** What a removal did. */
export interface Removed {
  /** Entries for the objects that still exist; empty when none does. */
  readonly left: readonly NewEntry[];
  /** The objects for which a delete was sent. */
  readonly deleted: readonly Ref[];
}

/** The part of a removal that says which objects are looked for. */
type Sought = Pick<Removal, "policy" | "keep" | "known">;

const NOTHING: Removed = Object.freeze({ left: [], deleted: [] });

/** Deletes all objects of the unit but those of `keep`. @throws the error of the server */
export async function remove(context: Context, removal: Removal): Promise<Removed> {
  const { policy } = removal;
  // An object that the owner does not own stays when it is not desired, as it stays when the owner is deleted.
  if (!policy.isOwned) return NOTHING;
  const left = await found(context, removal);
  for (const object of left) await deleteObject(context, policy, object);
  const deleted = left.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(refTo);
  return left.length === 0 ? NOTHING : { left: left.map((object) => deletingEntry(context, policy, refTo(object))), deleted };
}

/** Deletes an object that a removal found, at that version. An object that is being deleted already gets no request. @throws the error of the server */
export async function deleteObject(context: Context, { kind }: Pick<Policy, "kind">, object: KubernetesObject): Promise<void> {
  const { uid, resourceVersion, deletionTimestamp } = object.metadata;
  const ref = refTo(object);
  context.memory.unit(context.unit).forget(kind, ref);
  if (deletionTimestamp !== undefined) return;
  await context.client.delete(kind, ref, {
    // If a user removes the marks meanwhile, the object stays.
    preconditions: { uid, resourceVersion },
    // The default of some kinds leaves what belongs to them behind.
    propagationPolicy: "Background",
  });
}

/**
 * Releases all objects of the unit but those of `keep`: they stay, without its marks. Returns the objects that it released.
 * @throws the error of the server; 409 when another writer was faster
 */
export async function releaseAll(context: Context, removal: Removal): Promise<readonly Ref[]> {
  const { policy } = removal;
  if (!policy.isOwned) return [];
  const released: Ref[] = [];
  for (const object of await found(context, removal))
    if ((await release(context, policy, object)) !== undefined) released.push(refTo(object));
  return released;
}

/** Returns the objects of the unit but those of `keep`, as far as the cache knows; none for objects that are not watched. */
export function objectsLeft(context: Context, removal: Omit<Removal, "isLive">): readonly KubernetesObject[] {
  const { policy } = removal;
  return policy.isOwned && policy.isWatched ? leftIn(context, removal, cached(context, removal)) : [];
}

/**
 * Returns the objects of the unit but those of `keep`, as the server has them: also objects that are not watched, and those that
 * the cache does not show yet. @throws the error of the server
 */
export async function objectsListed(context: Context, removal: Omit<Removal, "isLive">): Promise<readonly KubernetesObject[]> {
  return removal.policy.isOwned ? leftIn(context, removal, await listed(context, removal)) : [];
}

/** Whether {@link remove} would find objects, as far as the cache knows, or for objects that are not watched the memory. */
export function mayHaveObjects(context: Context, removal: Omit<Removal, "isLive">): boolean {
  const { policy, keep } = removal;
  if (!policy.isOwned) return false;
  if (!policy.isWatched) return context.memory.unit(context.unit).prunedFor !== keep.id;
  return objectsLeft(context, removal).length > 0;
}

/** The objects that a removal is about. */
async function found(context: Context, removal: Removal): Promise<readonly KubernetesObject[]> {
  return removal.isLive ? await objectsListed(context, removal) : leftIn(context, removal, cached(context, removal));
}

function leftIn(
  context: Context,
  { policy, keep }: Pick<Removal, "policy" | "keep">,
  found: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  return found.filter((object) => !keep.has(object.metadata) && isMadeByUs(context, policy, object));
}

function isSameRef(a: Ref, b: Ref): boolean {
  return a.name === b.name && (a.namespace ?? "") === (b.namespace ?? "");
}

function deletingEntry({ owner }: Context, policy: Policy, ref: Ref): NewEntry {
  const message = `${titleOf(policy, ref, owner)} is being deleted`;
  return { ...identityOf(policy.kind, ref), type: "Pending", reason: "Deleting", message };
}

function cached(context: Context, removal: Sought): readonly KubernetesObject[] {
  const found = labelled(context, removal.policy);
  const others = unlabelled(context, removal, found);
  return others.length === 0 ? found : [...found, ...others];
}

/** An object may carry the labels of two names of the handler. */
function labelled(context: Context, { kind }: Policy): readonly KubernetesObject[] {
  const { cache, handlerName, handlerNames } = context;
  if (handlerNames.length === 1) return cache.list(kind, { matchLabels: marksOf(context, handlerName) });
  return once(handlerNames.flatMap((name): readonly KubernetesObject[] => cache.list(kind, { matchLabels: marksOf(context, name) })));
}

function once(found: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...new Map(found.map((object) => [keyOf(object.metadata), object])).values()];
}

/** Objects whose labels a user removed: they are looked up by the known names. */
function unlabelled(context: Context, removal: Sought, found: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const { policy } = removal;
  return namesOf(removal, found)
    .filter(({ namespace }) => isCovered(context, policy, namespace))
    .map((ref): KubernetesObject | undefined => context.cache.get(policy.kind, ref))
    .filter((object) => object !== undefined);
}

/** The known names that could exist, without those that were found, and without those that stay. */
function namesOf({ policy, keep, known }: Sought, found: readonly KubernetesObject[]): readonly Ref[] {
  const names = known().filter((ref) => !keep.has(ref) && isName(policy, ref));
  if (names.length === 0) return names;
  const byKey = new Map(names.map((ref) => [keyOf(ref), ref]));
  for (const { metadata } of found) byKey.delete(keyOf(metadata));
  return [...byKey.values()];
}

function isName({ kind }: Policy, { name, namespace }: Ref): boolean {
  if (typeof name !== "string" || name === "" || (namespace === undefined) !== (kind.scope === "Cluster")) return false;
  return isSegment(name) && isSegment(namespace ?? "");
}

/** The server is asked only about namespaces in which objects may be, so that an operator with rights in some of them can ask. */
async function listed(context: Context, removal: Omit<Removal, "isLive">): Promise<readonly KubernetesObject[]> {
  const { client, handlerNames, log } = context;
  const { policy } = removal;
  let found: readonly KubernetesObject[] = [];
  for (const namespace of namespacesOf(context, removal)) {
    try {
      for (const name of handlerNames) {
        const labelSelector = marksOf(context, name);
        const options = namespace === undefined ? { labelSelector } : { labelSelector, namespace };
        found = once([...found, ...(await client.list(policy.kind, options))]);
      }
    } catch (error) {
      if (isKindNotServed(error)) {
        await context.requireKindGone(policy.kind);
        return []; // With a CRD all of its objects are deleted.
      }
      if (!isForbidden(error) || isCovered(context, policy, namespace)) throw error;
      log.warn({ namespace }, `objects in namespace ${namespace} stay, if there are any: it is not watched, and ${error.message}`);
    }
  }
  return [...found, ...(policy.isWatched ? unlabelled(context, removal, found) : await unlabelledLive(context, removal, found))];
}

/** As {@link unlabelled}, from the server. A list of one object, because the right to get would be needed for this alone. */
async function unlabelledLive(
  { client }: Context,
  removal: Sought,
  found: readonly KubernetesObject[],
): Promise<readonly KubernetesObject[]> {
  const objects: KubernetesObject[] = [];
  for (const { name, namespace } of namesOf(removal, found)) {
    const fieldSelector = `metadata.name=${name}`;
    try {
      const within = namespace === undefined ? { fieldSelector } : { fieldSelector, namespace };
      objects.push(...(await client.list(removal.policy.kind, within)));
    } catch (error) {
      if (!isForbidden(error) && !isKindNotServed(error)) throw error; // The list by label has reported it.
    }
  }
  return objects;
}

/** For objects that are not watched the question is whether the owners of the namespace are. */
function isCovered({ cache, ownerKind }: Context, { kind, isWatched }: Policy, namespace: string | undefined): boolean {
  return namespace === undefined || cache.covers(isWatched ? kind : ownerKind, namespace);
}

function namespacesOf(context: Context, { policy, known, namespaces }: Omit<Removal, "isLive">): ReadonlySet<string | undefined> {
  if (policy.kind.scope === "Cluster") return new Set([undefined]);
  const given = namespaces();
  if (given.includes("*")) return new Set(["*"]);
  const objects = policy.isWatched ? cached(context, { policy, known, keep: NONE }).map(({ metadata }) => metadata.namespace) : [];
  const all = [...given, ...known().map(({ namespace }) => namespace), ...objects];
  return new Set(all.filter((each) => each !== undefined && isSegment(each)));
}
