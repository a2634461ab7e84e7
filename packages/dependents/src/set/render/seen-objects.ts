/** The versions of the objects that a renderer with the option `live` got. Pure. */
import type { KubernetesObject } from "@treadle/apimachinery";

/** The versions of live objects, by the keys of the objects: `uid resourceVersion`. */
export type ObjectVersions = ReadonlyMap<string, string>;

/** The versions of the objects that a renderer got. */
export interface SeenObjects {
  /** Those that the operator watches. */
  readonly watched: ObjectVersions;
  /** Those that it reads by requests. */
  readonly read: ObjectVersions;
}

/** What a renderer without the option sees. */
export const NO_OBJECTS: SeenObjects = Object.freeze({ watched: new Map(), read: new Map() });

/** Returns whether the renderer would get the same objects. */
export function isSameSeen(before: SeenObjects, now: SeenObjects): boolean {
  return isSameVersions(before.watched, now.watched) && isSameVersions(before.read, now.read);
}

/** Returns whether the renderer got this version of the object of a member. */
export function isSeen({ watched, read }: SeenObjects, { key }: { readonly key: string }, live: KubernetesObject): boolean {
  return (watched.get(key) ?? read.get(key)) === versionOf(live);
}

/** Returns the version of an object. */
export function versionOf({ metadata: { uid = "", resourceVersion = "" } }: KubernetesObject): string {
  return `${uid} ${resourceVersion}`;
}

/** Returns whether two sets of versions are the same. */
export function isSameVersions(a: ObjectVersions, b: ObjectVersions): boolean {
  if (a.size !== b.size) return false;
  for (const [key, version] of a) if (b.get(key) !== version) return false;
  return true;
}
