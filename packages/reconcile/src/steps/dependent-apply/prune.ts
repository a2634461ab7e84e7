/** Removes what a step keeps no more. Found by owner and label, never by a computed name; deleted only by uid. */
import { isForbidden, isKindNotServed, type KubernetesObject, keyOf, type Ref, refOf } from "@treadle/apimachinery";
import { underPresentName } from "./extension.ts";
import { entryHandlerOf } from "../../build/names.ts";
import { KindNotInstalled, servedVersionOf } from "../../pass/served.ts";
import { inNamespaceOf, isSegment } from "../../reads.ts";
import { identityOf, marksOf, targetOf, titleOf } from "./dependent.ts";
import { type DependentEntry, dependentsOf, entriesOfStep, type NewEntry } from "./entries.ts";
import type { Unit } from "./unit.ts";
import { isMadeByUs } from "./whose.ts";

/** Entries for what is still there; empty when everything is gone. */
export async function prune(unit: Unit, given: { readonly keep: Ref | undefined; readonly isLive: boolean }): Promise<readonly NewEntry[]> {
  const { dependent, owner, req } = unit;
  if (!dependent.isOwned) return []; // It stays when it is wanted no more, as it stays when its owner goes.
  const isKept = ({ metadata }: KubernetesObject): boolean => given.keep !== undefined && keyOf(metadata) === keyOf(given.keep);
  const found = given.isLive ? await listed(unit) : cached(unit);
  const left = found.filter((object) => isMadeByUs(unit, object) && !isKept(object));
  for (const { metadata } of left) {
    if (metadata.deletionTimestamp !== undefined) continue;
    // Said, because the default of some kinds is to leave what belongs to them behind.
    await req.client.delete(dependent.kind, refOf(keyOf(metadata)), {
      // Of the version that was looked at: who takes the marks off an object meanwhile keeps it.
      preconditions: { uid: metadata.uid, resourceVersion: metadata.resourceVersion },
      propagationPolicy: "Background",
    });
  }
  return left.map(({ metadata }) => {
    const ref = refOf(keyOf(metadata));
    const message = `${titleOf(dependent, ref, owner)} is being deleted`;
    return { ...identityOf(dependent.kind, ref), type: "Pending", reason: "Deleting", message };
  });
}

/** Whether the step may have objects of this owner: without a watch it is known only that it has none. */
export function mayHaveObjects(unit: Unit): boolean {
  if (!unit.dependent.isOwned) return false;
  return unit.dependent.isWatched ? cached(unit).some((object) => isMadeByUs(unit, object)) : prunedFor(unit) !== "";
}

/** For which object, as `namespace/name`, all others were removed last; the empty text: for none. */
export function prunedFor({ dependent, ext }: Unit): string | undefined {
  return ext.memory.get(`${dependent.name}: pruned for`) as string | undefined; // Only what follows puts something there.
}

export function setPrunedFor({ dependent, ext }: Unit, key: string): void {
  ext.memory.set(`${dependent.name}: pruned for`, key);
}

function cached(unit: Unit): readonly KubernetesObject[] {
  const { dependent, handlerNames, owner, pass, read } = unit;
  const found = handlerNames.flatMap((name): readonly KubernetesObject[] =>
    pass.env.cache.list(read.cacheKind, { matchLabels: marksOf(name, dependent.name, owner) }),
  );
  return [...once(found), ...unlabelled(unit, found)];
}

/** An object may carry the labels of two names of the handler. */
function once(found: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...new Map(found.map((object) => [keyOf(object.metadata), object])).values()];
}

/** Those whose labels somebody took off: they are looked at by the names that are known. */
function unlabelled(unit: Unit, found: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const { pass, read } = unit;
  return namesOf(unit, found)
    .filter(({ namespace }) => isCovered(unit, namespace))
    .map((ref): KubernetesObject | undefined => pass.env.cache.get(read.cacheKind, ref))
    .filter((object) => object !== undefined);
}

/** Where the object is, and where it was as far as the entries say; without those that were found. */
function namesOf(unit: Unit, found: readonly KubernetesObject[]): readonly Ref[] {
  const { dependent } = unit;
  const known = new Set(found.map(({ metadata }) => keyOf(metadata)));
  const entries = entriesBefore(unit);
  const refs = [targetNow(unit), ...entries.map(({ name, namespace }) => (namespace === undefined ? { name } : { name, namespace }))];
  const isName = (ref: Ref | undefined): ref is Ref =>
    typeof ref?.name === "string" &&
    ref.name !== "" &&
    isSegment(ref.name) &&
    isSegment(ref.namespace ?? "") &&
    (ref.namespace === undefined) === (dependent.kind.scope === "Cluster");
  const byKey = new Map(refs.filter(isName).map((ref) => [keyOf(ref), ref]));
  return [...byKey].filter(([key]) => !known.has(key)).map(([, ref]) => ref);
}

/** What the status says of the step. */
function entriesBefore({ dependent, owner, pass, ext }: Unit): readonly DependentEntry[] {
  const entries = underPresentName(ext.handler, dependentsOf(owner));
  return entriesOfStep(entries, { handler: entryHandlerOf(pass.pipeline), step: dependent.name });
}

/**
 * From the server: the cache may lack what the last pass of another process made. Only in namespaces in which something
 * may be, so that an operator with rights in some namespaces can do it: that of the owner unless the author names another,
 * the one that is named now, those of the entries and those of what the cache has.
 */
async function listed(unit: Unit): Promise<readonly KubernetesObject[]> {
  const { dependent, handlerNames, owner, req } = unit;
  let found: readonly KubernetesObject[] = [];
  for (const namespace of namespacesOf(unit)) {
    try {
      for (const name of handlerNames) {
        const labelSelector = marksOf(name, dependent.name, owner);
        const options = namespace === undefined ? { labelSelector } : { labelSelector, namespace };
        found = once([...found, ...(await req.client.list(dependent.kind, options))]);
      }
    } catch (error) {
      if (isKindNotServed(error)) return await noneOf(unit);
      if (!isForbidden(error) || isCovered(unit, namespace)) throw error;
      req.log.warn({ namespace }, `objects in namespace ${namespace} stay, if there are any: it is not watched, and ${error.message}`);
    }
  }
  if (dependent.isWatched) return [...found, ...unlabelled(unit, found)];
  // A list of one, because who prunes may list; the right to get would be needed for this alone.
  for (const { name, namespace } of namesOf(unit, found)) {
    const fieldSelector = `metadata.name=${name}`;
    try {
      const within = namespace === undefined ? { fieldSelector } : { fieldSelector, namespace };
      found = [...found, ...(await req.client.list(dependent.kind, within))];
    } catch (error) {
      if (!isForbidden(error) && !isKindNotServed(error)) throw error; // Said by the list above.
    }
  }
  return found;
}

/** With a CRD go all of its objects: what is to be cleaned up is gone. With a version of it nothing goes. */
async function noneOf({ dependent, req, pass }: Unit): Promise<readonly KubernetesObject[]> {
  const servedAs = await servedVersionOf(pass.env.client, dependent.kind, req.signal);
  if (servedAs !== undefined) throw new KindNotInstalled(dependent, dependent.kind, servedAs);
  return [];
}

/** Without a watch of its own: whether the primaries of the namespace are watched. */
function isCovered({ dependent, pass, read }: Unit, namespace: string | undefined): boolean {
  if (namespace === undefined) return true;
  try {
    pass.env.cache.list(dependent.isWatched ? read.cacheKind : pass.pipeline.kind, { namespace });
    return true;
  } catch {
    return false;
  }
}

function namespacesOf(unit: Unit): ReadonlySet<string | undefined> {
  const { dependent, owner } = unit;
  const { kind, options } = dependent;
  if (kind.scope === "Cluster") return new Set([undefined]);
  const entries = entriesBefore(unit);
  const objects = dependent.isWatched ? cached(unit).map(({ metadata }) => metadata.namespace) : [];
  const named = options.namespace === undefined ? inNamespaceOf(owner, kind, { name: "" }).namespace : targetNow(unit)?.namespace;
  return new Set([named, ...entries.map(({ namespace }) => namespace), ...objects].filter((each) => each !== undefined && isSegment(each)));
}

/** A function of the author that throws must not keep the object from being cleaned up. */
function targetNow({ dependent, owner }: Unit): Ref | undefined {
  try {
    return targetOf(dependent, owner);
  } catch {
    return undefined;
  }
}
