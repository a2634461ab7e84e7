/** The objects of a step in one pass: a list, with one element for most steps. */
import { keyOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { type Dependent, LIVE } from "./dependent.ts";
import { type LiveObjects, METADATA_ONLY } from "./objects.ts";
import type { EachItem } from "./types.ts";
import type { AnyDoReq, Unit } from "./unit.ts";

/** One object of a step in one pass. */
export interface Subject {
  /** The item of `each`; `undefined` without `each`. */
  readonly item: EachItem | undefined;
  /** The object as the pass read it; `undefined`: it does not exist. */
  readonly live: KubernetesObject | undefined;
  /** Returns its name and namespace. @throws what the author's functions throw */
  target(): Ref;
}

/** Returns the objects that the step keeps, whether or not each of them is desired. @throws what the author's functions throw */
export function subjectsOf({ dependent, context, req, remote }: Unit<AnyDoReq>): readonly Subject[] {
  if (remote !== undefined)
    return dependent
      .names(context.owner)
      .list.map(({ item, target }) => ({ item, live: remote.live.get(keyOf(target)), target: () => target }));
  const read: unknown = req.reads[LIVE as never]; // The read under this name returns the object, or all objects.
  // The name of a single object is computed when it is desired.
  if (!dependent.isEach)
    return [
      {
        item: undefined,
        live: read as KubernetesObject | undefined,
        target: () => (dependent.names(context.owner).list[0] as { target: Ref }).target,
      },
    ];
  // The read and this list follow from the same names.
  const live = read as readonly (KubernetesObject | undefined)[];
  return dependent.names(context.owner).list.map(({ item, target }, i) => ({ item, live: live[i], target: () => target }));
}

/**
 * Returns the live objects of a step in the cache; `METADATA_ONLY` if there are any, and the cache has no more of them.
 * @throws what the author's functions throw
 */
export function cachedObjects(
  { isEach, names }: Dependent,
  owner: KubernetesObject,
  get: (ref: Ref) => KubernetesObject | undefined,
  isReduced: boolean,
): LiveObjects | typeof METADATA_ONLY {
  const objects = names(owner).list.map(({ item, target }) => ({ item, live: get(target) }));
  return isReduced && objects.some(({ live }) => live !== undefined) ? METADATA_ONLY : liveObjects(isEach, objects);
}

/** Returns the live objects as those that depend on the step get them. */
export function liveObjects(isEach: boolean, objects: readonly Pick<Subject, "item" | "live">[]): LiveObjects {
  if (!isEach) return objects[0]?.live;
  return Object.freeze(
    Object.fromEntries(objects.flatMap(({ item, live }) => (item === undefined || live === undefined ? [] : [[item.key, live]]))),
  );
}
