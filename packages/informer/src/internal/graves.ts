/**
 * Which objects are known to be gone. A uid never comes back (but to a selection), so late news of a dead one, by the
 * response of an earlier write, a list of a lagging replica or an event delivered twice, can be told from a new object.
 * Bounded in time and number: memory does not grow with churn.
 */
import type { Clock } from "@treadle/apimachinery";
import { compareVersions } from "./version.ts";

interface Grave {
  readonly version: string | undefined;
  readonly isOwn: boolean;
  readonly until: number;
}

const MAX_GRAVES = 10_000;

export class Graves {
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #graves = new Map<string, Grave>();

  constructor(clock: Clock, keepMs: number) {
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Remembers that `uid` is gone: for good when we removed it ourselves, else as of `version`. */
  add(uid: string | undefined, version: string | undefined, isOwn: boolean): void {
    if (uid === undefined || this.#graves.get(uid)?.isOwn === true) return;
    this.#graves.delete(uid);
    this.#graves.set(uid, { version, isOwn, until: this.#clock.now() + this.#keepMs });
    // In order of insertion, which is in order of `until`.
    for (const [oldest, grave] of this.#graves) {
      if (grave.until > this.#clock.now() && this.#graves.size <= MAX_GRAVES) break;
      this.#graves.delete(oldest);
    }
  }

  /** True when the state `version` of `uid` is from before its end. */
  holds(uid: string | undefined, version: string | undefined): boolean {
    const grave = this.#find(uid);
    if (grave === undefined) return false;
    if (grave.isOwn) return true;
    const order = compareVersions(version, grave.version);
    return order === undefined || order <= 0;
  }

  versionOf(uid: string | undefined): string | undefined {
    return this.#find(uid)?.version;
  }

  isOwn(uid: string | undefined): boolean {
    return this.#find(uid)?.isOwn === true;
  }

  /** The server insists that it lives. */
  remove(uid: string | undefined): void {
    if (uid !== undefined) this.#graves.delete(uid);
  }

  clear(): void {
    this.#graves.clear();
  }

  #find(uid: string | undefined): Grave | undefined {
    const grave = uid === undefined ? undefined : this.#graves.get(uid);
    return grave === undefined || grave.until <= this.#clock.now() ? undefined : grave;
  }
}
