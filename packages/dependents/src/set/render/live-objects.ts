/**
 * The objects of a set that exist, for a renderer with the option `live`. Each counts by uid and resourceVersion. They are no part of the
 * digest of the inputs: neither the revision nor the time limit follows from them.
 */
import { groupKindOf, type Kind, keyOf as keyOfRef, type KubernetesObject, type Ref, refOf } from "@treadle/apimachinery";
import { deepFreeze } from "@treadle/reconcile/unstable/engine";
import { ownershipOf } from "../../core/ownership.ts";
import { refTo } from "../../core/marks.ts";
import { readLive } from "../../core/take-over.ts";
import { leftoversOf, listedLeftovers, type LooseObject, noteOf } from "../pass/leftovers.ts";
import { othersOf } from "../pass/others.ts";
import type { Run } from "../pass/run.ts";
import { leftoverPolicy } from "../plan/core-policy.ts";
import { isReported } from "../plan/make-plan.ts";
import { storedKinds } from "../plan/kind-table.ts";
import { defaultId, memberKey } from "../plan/member.ts";
import type { PlannedMember } from "../plan/plan.ts";
import type { RenderContext } from "../types.ts";
import { isSameVersions, NO_OBJECTS, type ObjectVersions, type SeenObjects, versionOf } from "./seen-objects.ts";

/** The live objects of a set in one pass. */
export interface OwnObjects {
  readonly objects: readonly LooseObject[];
  readonly seen: SeenObjects;
}

const NONE: OwnObjects = { objects: [], seen: NO_OBJECTS };

/** Returns the objects of the set that exist: those with its marks, and those that it does not own. @throws the error of the server */
export async function ownObjects(run: Run): Promise<OwnObjects> {
  if (run.definition.options.live !== true) return NONE;
  const watched = watchedObjects(run);
  const known = new Set(watched.map(keyOf));
  const read = [...(await listedLeftovers(run, { of: "uncovered" })), ...(await readNamed(run))].filter((each) => !known.has(keyOf(each)));
  return { objects: [...watched, ...read], seen: { watched: versionsOf(watched), read: versionsOf(read) } };
}

/** Returns whether a renderer that got `seen` would get the same objects now, without a request; `false` where only a request could say. */
export function isCertainlySeen(run: Run, seen: SeenObjects): boolean {
  if (run.definition.options.live !== true) return true;
  return seen.read.size === 0 && isSameVersions(seen.watched, versionsOf(watchedObjects(run)));
}

/** Returns whether the renderer got the present version of each object, after a pass that ended with these outcomes. */
export function hasSeen(
  run: Run,
  seen: SeenObjects,
  outcomes: readonly { readonly member: PlannedMember; readonly live: KubernetesObject | undefined }[],
): boolean {
  if (run.definition.options.live !== true) return true;
  if (!isSameVersions(seen.watched, versionsOf(watchedObjects(run)))) return false;
  const { plan } = run.memory;
  return outcomes.every(({ member: { key, kind, ref, policy }, live }) => {
    if (live === undefined || seen.read.get(key) === versionOf(live)) return true;
    const isWatched = plan?.kinds.get(groupKindOf(kind))?.type === "watched";
    if (isWatched && isReported(run, { kind, namespace: ref.namespace, isOwned: policy.isOwned })) return true;
    return !isOwn(run, { kind, isForeign: !policy.isOwned && !policy.isCreated }, live);
  });
}

/**
 * Returns `live` for a renderer. Objects of which the cache has only metadata are read through the client of the pass, which hides what is
 * in Secrets. @throws the error of the server
 */
export async function liveRecord(run: Run, { objects }: OwnObjects, namespace: string | undefined): Promise<RenderContext["live"]> {
  const { context, memory } = run;
  const whole = await Promise.all(
    objects.map(async ({ kind, isWatched, object }) => {
      if (!isWatched || kind.cachedAs !== "metadata") return object;
      const read = await readLive(context, { kind }, refTo(object));
      return read?.metadata.uid === object.metadata.uid ? read : undefined;
    }),
  );
  const record = Object.create(null) as Record<string, KubernetesObject>; // An id may be "constructor".
  const found = objects.flatMap((each, i) => {
    const object = whole[i];
    if (object === undefined) return [];
    const member = memory.plan?.byKey.get(keyOf(each));
    const id = member?.id ?? storedId(run, each) ?? defaultId(each.kind, refTo(object), namespace);
    return [{ id, object, isPlanned: member !== undefined }];
  });
  // An object that is not rendered any more may have the id of its successor.
  found.sort((a, b) => Number(a.isPlanned) - Number(b.isPlanned) || ageOf(a.object).localeCompare(ageOf(b.object)));
  // Objects of the cache are frozen already.
  for (const { id, object } of found) record[id] = Object.isFrozen(object) ? object : deepFreeze(object);
  return Object.freeze(record);
}

/** The id of an earlier rendering, if it is not the default. */
function storedId(run: Run, { kind, object }: LooseObject): string | undefined {
  return run.state.others?.[groupKindOf(kind)]?.[keyOfRef(refTo(object))]?.id ?? noteOf(run, kind, object).id;
}

/** Sorts an object that is being deleted before one that stays, and an older one before a younger one. */
function ageOf({ metadata: { deletionTimestamp, creationTimestamp = "" } }: KubernetesObject): string {
  return `${deletionTimestamp === undefined ? 1 : 0} ${creationTimestamp}`;
}

/** Returns `live` for a set without the option: reading it throws. No promise may resolve to it, because that would read it. */
export function refusingLive(set: string): RenderContext["live"] {
  const refuse = (): never => {
    throw new TypeError(`step "${set}": the renderer reads context.live: set live: true in the options of dependentSet()`);
  };
  return new Proxy(Object.freeze({}), {
    get: (target, name) => (typeof name === "symbol" ? Reflect.get(target, name) : refuse()),
    has: refuse,
    ownKeys: refuse,
  });
}

function watchedObjects(run: Run): readonly LooseObject[] {
  const marked = leftoversOf(run);
  const known = new Set(marked.map(keyOf));
  const named = namedObjects(run).flatMap(({ kind, ref, isForeign, isCached }) => {
    if (!isCached || known.has(memberKey(kind, ref))) return [];
    const object: KubernetesObject | undefined = run.context.cache.get(kind, ref);
    return object === undefined || !isOwn(run, { kind, isForeign }, object) ? [] : [{ kind, isWatched: true, object }];
  });
  return named.length === 0 ? marked : [...marked, ...named];
}

async function readNamed(run: Run): Promise<readonly LooseObject[]> {
  const found: LooseObject[] = [];
  for (const { kind, ref, isForeign, isCached } of namedObjects(run)) {
    if (isCached) continue;
    const object = await readLive(run.context, { kind }, ref);
    if (object !== undefined && isOwn(run, { kind, isForeign }, object)) found.push({ kind, isWatched: false, object });
  }
  return found;
}

/** An object without the marks by which the others are found. */
interface NamedObject {
  readonly kind: Kind;
  readonly ref: Ref;
  /** Another writer creates it. */
  readonly isForeign: boolean;
  /** Its events lead to passes, so that the cache counts. */
  readonly isCached: boolean;
}

/** The objects that the last plan names and the owner does not own; in the first pass after a start, those that the state names. */
function namedObjects(run: Run): readonly NamedObject[] {
  const { plan } = run.memory;
  const others = plan === undefined ? run.state.others : othersOf(plan);
  if (others === undefined) return [];
  const kinds = plan === undefined ? storedKinds(run) : [...plan.kinds.values()];
  return kinds.flatMap((state) => {
    if (state.type !== "watched" && state.type !== "unwatched") return [];
    const { kind, type } = state;
    return Object.entries(others[groupKindOf(kind)] ?? {}).map(([key, { isForeign = false }]) => {
      const ref = refOf(key);
      return { kind, ref, isForeign, isCached: type === "watched" && isReported(run, { kind, namespace: ref.namespace, isOwned: false }) };
    });
  });
}

/** Whether an object is the set's own. An object that another writer creates is so by its name. */
function isOwn({ context }: Run, { kind, isForeign }: Pick<NamedObject, "kind" | "isForeign">, live: KubernetesObject): boolean {
  return isForeign || ownershipOf(context, leftoverPolicy(kind, { isWatched: true, update: "apply" }), live).type === "ours";
}

function keyOf({ kind, object }: LooseObject): string {
  return memberKey(kind, refTo(object));
}

function versionsOf(objects: readonly LooseObject[]): ObjectVersions {
  return new Map(objects.map((each) => [keyOf(each), versionOf(each.object)]));
}
