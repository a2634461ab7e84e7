/**
 * Read-your-own-writes, decided one key at a time by pure functions.
 *
 * A claim says: "this key is at least as new as that". It is made by a write or removal of ours, and by a statement of
 * the server that is older than what is shown already (a list from a lagging replica, an event delivered twice). While
 * it stands, older statements are remembered but not shown. It ends when the server confirms it, when the server says
 * something newer, or, once its time is over, with the next list, whatever that says.
 *
 * Assumption: between the state that a write of ours was based on and its response lies no change of others that the
 * writer does not know (it sent a resourceVersion, or read the response). The event of such a change is older than
 * the response, so it is not delivered.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Graves } from "./graves.ts";
import { compareVersions, isAtLeast, isOlder, isSameState } from "./version.ts";

export interface Claim<T> {
  /** Whose state is claimed; for a removal, who is gone. */
  readonly uid: string | undefined;
  /** What is shown; `undefined` for a removal. */
  readonly object: T | undefined;
  /** Older statements do not count. For a removal: the last version that was seen of the object. */
  readonly version: string | undefined;
  /** A removal of ours hides the uid whatever its version; one that the server told of, only up to its version. */
  readonly isOwnRemoval: boolean;
  /** What the server said last about this key. */
  readonly watched: T | undefined;
  /** When to stop believing it, in milliseconds of the clock. */
  readonly deadline: number;
  /** Past its deadline: the next list decides. */
  readonly isExpired: boolean;
}

/** What the server said about one key. */
export interface Statement<T> {
  /** The object, or `undefined` when it does not exist. */
  readonly object: T | undefined;
  /** Of the object, or of the one that an event says was deleted. */
  readonly uid: string | undefined;
  /** How new it is: the object's version in an event, the list's in a list. */
  readonly version: string | undefined;
  readonly from: "event" | "list";
}

/** What follows: what is shown from now on, and the claim that stands. */
export interface Verdict<T> {
  readonly shown: T | undefined;
  readonly claim: Claim<T> | undefined;
}

/** What is known besides the statement. */
export interface Known<T> {
  readonly shown: T | undefined;
  readonly claim: Claim<T> | undefined;
  readonly graves: Graves;
  /** The deadline of claims that are made now. */
  readonly deadline: number;
}

/** What a statement of the server changes. */
export function hear<T extends KubernetesObject>(said: Statement<T>, known: Known<T>): Verdict<T> {
  const { claim } = known;
  if (claim === undefined) return said.object === undefined ? hearAbsent(said, known) : hearPresent(said.object, said, known);
  if (claim.object === undefined) return hearOfRemoved(said, claim, known.graves);
  return said.object === undefined ? hearClaimedAbsent(said, claim, claim.object) : hearClaimedPresent(said.object, said, claim);
}

/** What the response of a write of ours changes; the same verdict as before when the watch is ahead of it. */
export function write<T extends KubernetesObject>(object: T, known: Known<T>): Verdict<T> {
  const { shown, claim, graves, deadline } = known;
  const { uid, resourceVersion: version } = object.metadata;
  const unchanged = { shown, claim };
  if (graves.holds(uid, version)) return unchanged;
  const newest = claim?.version ?? shown?.metadata.resourceVersion;
  if (isOlder(version, newest) || (shown !== undefined && isSameState(shown, object))) return unchanged;
  return { shown: object, claim: { uid, object, version, isOwnRemoval: false, watched: watchedOf(known), deadline, isExpired: false } };
}

/** What a removal by us changes. */
export function removal<T extends KubernetesObject>(uid: string, known: Known<T>): Verdict<T> {
  const { shown, claim, deadline } = known;
  // Not this object: its grave alone keeps late news of it from being shown.
  if (shown === undefined || shown.metadata.uid !== uid) return { shown, claim };
  const version = shown.metadata.resourceVersion;
  return {
    shown: undefined,
    claim: { uid, object: undefined, version, isOwnRemoval: true, watched: watchedOf(known), deadline, isExpired: false },
  };
}

/** What the response of a write of ours changes that took the object out of the selection: until a later one brings it back. */
export function leave<T extends KubernetesObject>({ metadata }: T, known: Known<T>): Verdict<T> {
  const { shown, claim, deadline } = known;
  const { uid, resourceVersion: version } = metadata;
  if (shown === undefined || shown.metadata.uid !== uid || isOlder(version, shown.metadata.resourceVersion)) return { shown, claim };
  return {
    shown: undefined,
    claim: { uid, object: undefined, version, isOwnRemoval: false, watched: watchedOf(known), deadline, isExpired: false },
  };
}

function watchedOf<T>({ claim, shown }: Known<T>): T | undefined {
  return claim === undefined ? shown : claim.watched;
}

function hearPresent<T extends KubernetesObject>(object: T, said: Statement<T>, known: Known<T>): Verdict<T> {
  const { shown, graves, deadline } = known;
  const { uid, resourceVersion: version } = object.metadata;
  const doubt = { isOwnRemoval: false, watched: object, deadline, isExpired: false };
  if (graves.holds(uid, version)) {
    const grave = { version: graves.versionOf(uid) ?? version, isOwnRemoval: graves.isOwn(uid) };
    if (shown === undefined) return { shown, claim: { ...doubt, uid, object: undefined, ...grave } };
  }
  if (shown === undefined) return { shown: object, claim: undefined };
  if (isSameState(shown, object)) return { shown, claim: undefined };
  const shownVersion = shown.metadata.resourceVersion;
  if (!isOlder(version, shownVersion) && !graves.holds(uid, version)) return { shown: object, claim: undefined };
  return { shown, claim: { ...doubt, uid: shown.metadata.uid, object: shown, version: shownVersion } };
}

function hearAbsent<T extends KubernetesObject>(said: Statement<T>, { shown, deadline }: Known<T>): Verdict<T> {
  if (shown === undefined) return { shown, claim: undefined };
  const { uid, resourceVersion: version } = shown.metadata;
  // An event names who was deleted: of an earlier object of this name it says nothing about the present one.
  if (said.from === "event") return { shown: said.uid === uid || said.uid === undefined ? undefined : shown, claim: undefined };
  if (!isOlder(said.version, version)) return { shown: undefined, claim: undefined };
  return { shown, claim: { uid, object: shown, version, isOwnRemoval: false, watched: undefined, deadline, isExpired: false } };
}

function hearClaimedPresent<T extends KubernetesObject>(object: T, said: Statement<T>, claim: Claim<T>): Verdict<T> {
  const shown = claim.object;
  if (shown !== undefined && isSameState(shown, object)) return { shown, claim: undefined };
  const order = compareVersions(said.version, claim.version);
  const isNewer = order !== undefined && (said.from === "list" ? order >= 0 : order > 0);
  if (isNewer || (said.from === "list" && claim.isExpired)) return { shown: object, claim: undefined };
  return { shown, claim: { ...claim, watched: object } };
}

function hearClaimedAbsent<T extends KubernetesObject>(said: Statement<T>, claim: Claim<T>, shown: T): Verdict<T> {
  if (said.from === "list") {
    const isOver = claim.isExpired || isAtLeast(said.version, claim.version);
    return isOver ? { shown: undefined, claim: undefined } : { shown, claim: { ...claim, watched: undefined } };
  }
  const isOther = said.uid !== undefined && said.uid !== claim.uid;
  if (!isOther && !isOlder(said.version, claim.version)) return { shown: undefined, claim: undefined };
  // The end of an earlier object of this name, or this one leaving a selection to which our write brought it back.
  return { shown, claim: { ...claim, watched: undefined } };
}

function hearOfRemoved<T extends KubernetesObject>(said: Statement<T>, claim: Claim<T>, graves: Graves): Verdict<T> {
  const isDecidedByList = said.from === "list" && claim.isExpired;
  if (said.object === undefined) {
    const isConfirmed =
      said.from === "event" ? said.uid === undefined || said.uid === claim.uid : isDecidedByList || isAtLeast(said.version, claim.version);
    return { shown: undefined, claim: isConfirmed ? undefined : { ...claim, watched: undefined } };
  }
  const { uid, resourceVersion: version } = said.object.metadata;
  const isAlive =
    uid === claim.uid
      ? !claim.isOwnRemoval && isOlder(claim.version, version) // It came back to the selection.
      : !isOlder(said.version, claim.version) && !graves.holds(uid, version);
  if (isAlive || isDecidedByList) return { shown: said.object, claim: undefined };
  return { shown: undefined, claim: { ...claim, watched: said.object } };
}
