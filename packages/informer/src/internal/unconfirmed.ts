/**
 * Read-your-own-writes: pure functions that decide, for one key, which state an informer shows.
 *
 * An unconfirmed state is a state that is shown although the watch has not confirmed it. It arises from a write or removal
 * by this process. It also arises from an observation that is older than the shown state: a list from a lagging replica, or
 * a repeated event. While it lasts, older observations are stored but not shown. It ends when an observation confirms it
 * or is newer. After its deadline, the next list decides.
 *
 * Assumption: the writer knows every change between the state on which it based its write and the response. It sent a
 * resourceVersion, or it reads the response. The event of such a change is older than the response, so it is not reported.
 */
import { compareResourceVersions, type KubernetesObject } from "@treadle/apimachinery";
import type { Tombstones } from "./tombstones.ts";
import { isAtLeast, isOlder, isSameState } from "./version.ts";

/** A state that is shown although the watch has not confirmed it. */
export interface Unconfirmed<T> {
  /** Uid of the object that is shown or, after a removal, of the removed object. */
  readonly uid: string | undefined;
  /** The shown object; `undefined` after a removal. */
  readonly object: T | undefined;
  /** Observations of an older version do not count. After a removal: the last version of the removed object. */
  readonly version: string | undefined;
  /** Whether this process removed the object. Then no version of the uid is shown; otherwise only newer versions are. */
  readonly isOwnRemoval: boolean;
  /** The last observation of this key: the object, or `undefined` when it did not exist. */
  readonly watched: T | undefined;
  /** Time from which the next list decides, in milliseconds of the clock. */
  readonly deadline: number;
  /** Whether the deadline has passed. */
  readonly isExpired: boolean;
}

/** An observation of one key, by list or watch. */
export interface Observation<T> {
  /** The object, or `undefined` when it does not exist. */
  readonly object: T | undefined;
  /** Uid of the object, or of the object that an event reports as deleted. */
  readonly uid: string | undefined;
  /** Version of the observation: that of the object in an event, that of the list in a list. */
  readonly version: string | undefined;
  readonly from: "event" | "list";
}

/** The new state of a key: the shown object, and the unconfirmed state if there is one. */
export interface Decision<T> {
  readonly shown: T | undefined;
  readonly unconfirmed: Unconfirmed<T> | undefined;
}

/** The state of a key before an observation or write. */
export interface Known<T> {
  readonly shown: T | undefined;
  readonly unconfirmed: Unconfirmed<T> | undefined;
  readonly tombstones: Tombstones;
  /** Deadline of an unconfirmed state that arises now. */
  readonly deadline: number;
}

/** Decides after an observation. */
export function observe<T extends KubernetesObject>(seen: Observation<T>, known: Known<T>): Decision<T> {
  const { unconfirmed } = known;
  if (unconfirmed === undefined) return seen.object === undefined ? observeAbsent(seen, known) : observePresent(seen.object, seen, known);
  if (unconfirmed.object === undefined) return observeRemoved(seen, unconfirmed, known.tombstones);
  return seen.object === undefined
    ? observeUnconfirmedAbsent(seen, unconfirmed, unconfirmed.object)
    : observeUnconfirmedPresent(seen.object, seen, unconfirmed);
}

/** Decides after a write by this process. Nothing changes if the watch is ahead of the response. */
export function ownWrite<T extends KubernetesObject>(object: T, known: Known<T>): Decision<T> {
  const { shown, unconfirmed, tombstones, deadline } = known;
  const { uid, resourceVersion: version } = object.metadata;
  const unchanged = { shown, unconfirmed };
  if (tombstones.holds(uid, version)) return unchanged;
  const newest = unconfirmed?.version ?? shown?.metadata.resourceVersion;
  if (isOlder(version, newest) || (shown !== undefined && isSameState(shown, object))) return unchanged;
  return {
    shown: object,
    unconfirmed: { uid, object, version, isOwnRemoval: false, watched: watchedOf(known), deadline, isExpired: false },
  };
}

/** Decides after a removal by this process. */
export function ownRemoval<T extends KubernetesObject>(uid: string, known: Known<T>): Decision<T> {
  const { shown, unconfirmed, deadline } = known;
  // Another object is shown. The tombstone of the removed one hides late observations of it.
  if (shown === undefined || shown.metadata.uid !== uid) return { shown, unconfirmed };
  const version = shown.metadata.resourceVersion;
  return {
    shown: undefined,
    unconfirmed: { uid, object: undefined, version, isOwnRemoval: true, watched: watchedOf(known), deadline, isExpired: false },
  };
}

/** Decides after a write by this process with which the selectors no longer select the object. */
export function ownWriteOutside<T extends KubernetesObject>({ metadata }: T, known: Known<T>): Decision<T> {
  const { shown, unconfirmed, deadline } = known;
  const { uid, resourceVersion: version } = metadata;
  if (shown === undefined || shown.metadata.uid !== uid || isOlder(version, shown.metadata.resourceVersion)) return { shown, unconfirmed };
  return {
    shown: undefined,
    unconfirmed: { uid, object: undefined, version, isOwnRemoval: false, watched: watchedOf(known), deadline, isExpired: false },
  };
}

function watchedOf<T>({ unconfirmed, shown }: Known<T>): T | undefined {
  return unconfirmed === undefined ? shown : unconfirmed.watched;
}

function observePresent<T extends KubernetesObject>(object: T, seen: Observation<T>, known: Known<T>): Decision<T> {
  const { shown, tombstones, deadline } = known;
  const { uid, resourceVersion: version } = object.metadata;
  const doubt = { isOwnRemoval: false, watched: object, deadline, isExpired: false };
  if (tombstones.holds(uid, version)) {
    const tombstone = { version: tombstones.versionOf(uid) ?? version, isOwnRemoval: tombstones.isOwn(uid) };
    if (shown === undefined) return { shown, unconfirmed: { ...doubt, uid, object: undefined, ...tombstone } };
  }
  if (shown === undefined) return { shown: object, unconfirmed: undefined };
  if (isSameState(shown, object)) return { shown, unconfirmed: undefined };
  const shownVersion = shown.metadata.resourceVersion;
  if (!isOlder(version, shownVersion) && !tombstones.holds(uid, version)) return { shown: object, unconfirmed: undefined };
  return { shown, unconfirmed: { ...doubt, uid: shown.metadata.uid, object: shown, version: shownVersion } };
}

function observeAbsent<T extends KubernetesObject>(seen: Observation<T>, { shown, deadline }: Known<T>): Decision<T> {
  if (shown === undefined) return { shown, unconfirmed: undefined };
  const { uid, resourceVersion: version } = shown.metadata;
  // The event of an earlier object of this name says nothing about the present one.
  if (seen.from === "event") return { shown: seen.uid === uid || seen.uid === undefined ? undefined : shown, unconfirmed: undefined };
  if (!isOlder(seen.version, version)) return { shown: undefined, unconfirmed: undefined };
  return { shown, unconfirmed: { uid, object: shown, version, isOwnRemoval: false, watched: undefined, deadline, isExpired: false } };
}

function observeUnconfirmedPresent<T extends KubernetesObject>(object: T, seen: Observation<T>, unconfirmed: Unconfirmed<T>): Decision<T> {
  const shown = unconfirmed.object;
  if (shown !== undefined && isSameState(shown, object)) return { shown, unconfirmed: undefined };
  const order = compareResourceVersions(seen.version, unconfirmed.version);
  const isNewer = order !== undefined && (seen.from === "list" ? order >= 0 : order > 0);
  if (isNewer || (seen.from === "list" && unconfirmed.isExpired)) return { shown: object, unconfirmed: undefined };
  return { shown, unconfirmed: { ...unconfirmed, watched: object } };
}

function observeUnconfirmedAbsent<T extends KubernetesObject>(seen: Observation<T>, unconfirmed: Unconfirmed<T>, shown: T): Decision<T> {
  if (seen.from === "list") {
    const isOver = unconfirmed.isExpired || isAtLeast(seen.version, unconfirmed.version);
    return isOver ? { shown: undefined, unconfirmed: undefined } : { shown, unconfirmed: { ...unconfirmed, watched: undefined } };
  }
  const isOther = seen.uid !== undefined && seen.uid !== unconfirmed.uid;
  if (!isOther && !isOlder(seen.version, unconfirmed.version)) return { shown: undefined, unconfirmed: undefined };
  // An earlier object of this name was deleted. Or this object left the selection before our write brought it back.
  return { shown, unconfirmed: { ...unconfirmed, watched: undefined } };
}

function observeRemoved<T extends KubernetesObject>(
  seen: Observation<T>,
  unconfirmed: Unconfirmed<T>,
  tombstones: Tombstones,
): Decision<T> {
  const isDecidedByList = seen.from === "list" && unconfirmed.isExpired;
  if (seen.object === undefined) {
    const isConfirmed =
      seen.from === "event"
        ? seen.uid === undefined || seen.uid === unconfirmed.uid
        : isDecidedByList || isAtLeast(seen.version, unconfirmed.version);
    return { shown: undefined, unconfirmed: isConfirmed ? undefined : { ...unconfirmed, watched: undefined } };
  }
  const { uid, resourceVersion: version } = seen.object.metadata;
  const isAlive =
    uid === unconfirmed.uid
      ? !unconfirmed.isOwnRemoval && isOlder(unconfirmed.version, version) // It is in the selection again.
      : !isOlder(seen.version, unconfirmed.version) && !tombstones.holds(uid, version);
  if (isAlive || isDecidedByList) return { shown: seen.object, unconfirmed: undefined };
  return { shown: undefined, unconfirmed: { ...unconfirmed, watched: seen.object } };
}

/**
 * Whether the response of a write is the last state of a deleted object: the write removed the last finalizer. A namespace
 * also has finalizers in its spec, and a pod stays for its grace period.
 */
export function isRemoved(object: KubernetesObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0) return false;
  const spec = (object as { readonly spec?: unknown }).spec;
  const inSpec = typeof spec === "object" && spec !== null && "finalizers" in spec ? spec.finalizers : undefined;
  return !Array.isArray(inSpec) || inSpec.length === 0;
}
