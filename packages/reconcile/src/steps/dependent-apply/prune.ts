/** Removes what a step keeps no more. Found by owner and label, never by a computed name; deleted only by uid. */
import { isKindNotServed, type KubernetesObject, keyOf, type Ref, refOf } from "@treadle/apimachinery";
import { entryHandlerOf } from "../../internal/names.ts";
import { inNamespaceOf } from "../../reads.ts";
import { identityOf, marksOf, targetOf, titleOf } from "./dependent.ts";
import { dependentsOf, entriesOfStep, type NewEntry } from "./entries.ts";
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
      preconditions: { uid: metadata.uid },
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
export function prunedFor({ dependent, pass }: Unit): string | undefined {
  return pass.memory.dependents?.get(`${dependent.name}: pruned for`) as string | undefined; // Only what follows puts something there.
}

export function setPrunedFor({ dependent, pass }: Unit, key: string): void {
  pass.memory.dependents ??= new Map();
  pass.memory.dependents.set(`${dependent.name}: pruned for`, key);
}

function cached({ dependent, handlerName, owner, pass, read }: Unit): readonly KubernetesObject[] {
  return pass.env.cache.list(read.cacheKind, { matchLabels: marksOf(handlerName, dependent.name, owner) });
}

/**
 * From the server: the cache may lack what the last pass of another process made. Only in namespaces in which something
 * may be, so that an operator with rights in some namespaces can do it: that of the owner unless the author names another,
 * the one that is named now, those of the entries and those of what the cache has.
 */
async function listed(unit: Unit): Promise<readonly KubernetesObject[]> {
  const { dependent, handlerName, owner, req } = unit;
  const labelSelector = marksOf(handlerName, dependent.name, owner);
  const found: KubernetesObject[] = [];
  try {
    for (const namespace of namespacesOf(unit)) {
      const options = namespace === undefined ? { labelSelector } : { labelSelector, namespace };
      found.push(...(await req.client.list(dependent.kind, options)));
    }
  } catch (error) {
    // With a CRD go all of its objects: what is to be cleaned up is gone.
    if (isKindNotServed(error)) return [];
    throw error;
  }
  return found;
}

function namespacesOf(unit: Unit): ReadonlySet<string | undefined> {
  const { dependent, owner } = unit;
  const { kind, options } = dependent;
  if (kind.scope === "Cluster") return new Set([undefined]);
  const entries = entriesOfStep(dependentsOf(owner), { handler: entryHandlerOf(unit.pass.pipeline), step: dependent.name });
  const objects = dependent.isWatched ? cached(unit).map(({ metadata }) => metadata.namespace) : [];
  const named = options.namespace === undefined ? inNamespaceOf(owner, kind, { name: "" }).namespace : namedNow(unit);
  return new Set([named, ...entries.map(({ namespace }) => namespace), ...objects].filter((namespace) => namespace !== undefined));
}

/** A function of the author that throws must not keep the object from being cleaned up. */
function namedNow({ dependent, owner }: Unit): string | undefined {
  try {
    return targetOf(dependent, owner).namespace;
  } catch {
    return undefined;
  }
}
