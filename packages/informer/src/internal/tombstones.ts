/**
 * Uids of deleted objects. A uid is never used again, so a late observation of a deleted object can be recognised: the
 * response of an earlier write, a list of a lagging replica, an event that is delivered twice. (An object that left a
 * selection may return to it.) Tombstones are limited in time and number, so memory does not grow with churn.
 */
import { type Clock, compareResourceVersions } from "@treadle/apimachinery";

interface Tombstone {
  readonly version: string | undefined;
  readonly isOwn: boolean;
  readonly until: number;
}

const MAX_TOMBSTONES = 10_000;

/** The tombstones of one informer. */
export class Tombstones {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #tombstones = new Map<string, Tombstone>();

  constructor(clock: Clock, keepMs: number) {
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Adds a deleted object. If this process deleted it, all its versions count as deleted, else those up to `version`. */
  add(uid: string | undefined, version: string | undefined, isOwn: boolean): void {
    if (uid === undefined || this.#tombstones.get(uid)?.isOwn === true) return;
    this.#tombstones.delete(uid);
    this.#tombstones.set(uid, { version, isOwn, until: this.#clock.now() + this.#keepMs });
    // Insertion order is the order of `until`.
    for (const [oldest, tombstone] of this.#tombstones) {
      if (tombstone.until > this.#clock.now() && this.#tombstones.size <= MAX_TOMBSTONES) break;
      this.#tombstones.delete(oldest);
    }
  }

  /** Tells whether `version` of `uid` is from before the deletion. */
  holds(uid: string | undefined, version: string | undefined): boolean {
    const tombstone = this.#find(uid);
    if (tombstone === undefined) return false;
    if (tombstone.isOwn) return true;
    const order = compareResourceVersions(version, tombstone.version);
    return order === undefined || order <= 0;
  }

  /** Returns the version up to which the object counts as deleted. */
  versionOf(uid: string | undefined): string | undefined {
    return this.#find(uid)?.version;
  }

  /** Tells whether this process deleted the object. */
  isOwn(uid: string | undefined): boolean {
    return this.#find(uid)?.isOwn === true;
  }

  /** Removes a tombstone, because the server reports that the object exists. */
  remove(uid: string | undefined): void {
    if (uid !== undefined) this.#tombstones.delete(uid);
  }

  /** Removes all tombstones. */
  clear(): void {
    this.#tombstones.clear();
  }

  #find(uid: string | undefined): Tombstone | undefined {
    const tombstone = uid === undefined ? undefined : this.#tombstones.get(uid);
    return tombstone === undefined || tombstone.until <= this.#clock.now() ? undefined : tombstone;
  }
}
