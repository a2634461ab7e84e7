/** The entry of an object that a pass did not reach: it follows the object in the cache. */
import { keyOf, type KubernetesObject, ownership, type Ref } from "@treadle/apimachinery";
import type { DependentState, NewEntry } from "./core/entries.ts";
import { UNKNOWN_INPUTS } from "./core/ask.ts";
import { identityOf } from "./core/marks.ts";
import { COMPLETED_REASON, refined, stateOf } from "./core/state.ts";
import type { UnreachedDependent } from "./extension/data.ts";
import type { Dependent } from "./dependent.ts";
import type { EachItem } from "./types.ts";
import type { Definition } from "./unit.ts";

/**
 * Returns the entry for the object in the cache; `undefined` if there is none, or it is not ours. It is judged by the author's
 * `readyWhen` if that uses the object and its owner alone: vars and reads are those of a step that runs. Else, if the cache has
 * its metadata only, and if a function of the author throws, its health decides. Never throws.
 */
export function unreachedEntry({ dependent, read }: Definition, { pass, entry }: UnreachedDependent): NewEntry | undefined {
  const { policy, options, name } = dependent;
  const { object: owner, handler } = pass;
  const ref: Ref = entry.namespace === undefined ? { name: entry.name } : { name: entry.name, namespace: entry.namespace };
  const live = cachedOrNone(pass, read, ref);
  // An object that runs once stays complete when it is deleted.
  if (live === undefined && options.once === true && entry.reason === COMPLETED_REASON) return entry;
  if (live === undefined || (policy.isOwned && ownership(live, owner, handler.names).type !== "ours")) return undefined;
  const named = { unit: name, unitNoun: "step" };
  const { readyWhen, status } = options;
  // A function that judges the content must not get the metadata alone.
  const isWhole = read.cacheKind === policy.kind;
  const isAskable = isWhole && readyWhen !== undefined;
  // A function that uses its inputs throws.
  const judge = (object: KubernetesObject): true | string =>
    (readyWhen as (...given: unknown[]) => true | string)(object, owner, UNKNOWN_INPUTS, itemOf(dependent, owner, ref));
  const refine =
    status === undefined
      ? undefined
      : (before: DependentState) => status(before, isWhole ? (live as never) : undefined, undefined, itemOf(dependent, owner, ref));
  const identity = identityOf(policy.kind, ref);
  try {
    const state = stateOf(named, { policy, readyWhen: isAskable ? judge : undefined }, live);
    return { ...identity, ...refined(named, { refine }, { state, live }) };
  } catch {
    return { ...identity, ...stateOf(named, { policy, readyWhen: undefined }, live) };
  }
}

/** The item of `each` that names the object; `undefined`: none does. */
function itemOf({ names }: Dependent, owner: KubernetesObject, ref: Ref): EachItem | undefined {
  return names(owner).list.find(({ target }) => keyOf(target) === keyOf(ref))?.item;
}

/** A cache without a watch of the kind throws. */
function cachedOrNone({ cache }: UnreachedDependent["pass"], { cacheKind }: Definition["read"], ref: Ref): KubernetesObject | undefined {
  try {
    return cache.get(cacheKind, ref);
  } catch {
    return undefined;
  }
}
