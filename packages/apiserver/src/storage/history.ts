/**
 * The history of one kind: its latest changes, for lists of older versions and for watches. As on a real server, the two have
 * their own bounds:
 *
 * - Lists, and pages of lists, reach back to the last compaction, which is that of etcd on a real server.
 * - Watches reach back as far as the watch cache of a real server. It has the last 100 changes of the kind. It grows as long as
 *   its oldest change is younger than 75 s, and shrinks again later. A few kinds have no cache (events): their watches reach
 *   back to the last compaction, too.
 *
 * Both are bounded by the number of changes. Without compactions this is the only bound.
 */

export interface HistoryOptions {
  /** Maximum number of changes of a kind. */
  readonly limit: number;
  /** Whether old changes are forgotten with the time: {@link History.compactTo} is called, and there are watch caches. */
  readonly isCompacted: boolean;
}

/** Revisions before which nothing is known: for lists, and for watches. */
export interface Floors {
  readonly list: number;
  readonly watch: number;
}

/** What the history knows of a change. */
interface Revised {
  readonly revision: number;
  readonly timeMs: number;
}

export class History<Change extends Revised> {
  /** Whether a real server has a watch cache for the kind. */
  readonly isCached: boolean;
  readonly #limit: number;
  readonly #hasCache: boolean;
  #changes: Change[] = [];
  /** Oldest revision of lists. */
  #listFloor: number;
  /** Oldest revision of watches. */
  #watchFloor: number;
  /** Index of the first change in the watch cache. */
  #first = 0;
  #capacity = MIN_CAPACITY;

  constructor({ limit, isCompacted }: HistoryOptions, isCached: boolean, { list, watch }: Floors) {
    this.isCached = isCached;
    this.#limit = limit;
    this.#hasCache = isCompacted && isCached;
    this.#listFloor = list;
    this.#watchFloor = watch;
  }

  /** Oldest revision from which a watch can begin. */
  get watchFloor(): number {
    return this.#watchFloor;
  }

  /** Oldest revision that can be listed. */
  get listFloor(): number {
    return this.#listFloor;
  }

  /** Revision of the newest change. */
  get newest(): number | undefined {
    return this.#changes.at(-1)?.revision;
  }

  /** Number of remembered changes. */
  get size(): number {
    return this.#changes.length;
  }

  push(change: Change): void {
    if (this.#hasCache) this.#makeRoom(change.timeMs);
    this.#changes.push(change);
    // Dropped in blocks, because removing one element at a time would copy the array each time.
    if (this.#changes.length > this.#limit * 1.25) this.#drop(this.#changes.length - this.#limit);
  }

  /** Returns the changes after a revision, newest first. It must not be older than {@link listFloor}. */
  *undone(revision: number): Iterable<Change> {
    for (let i = this.#changes.length - 1; i >= 0; i--) {
      const change = this.#changes[i];
      if (change === undefined || change.revision <= revision) return;
      yield change;
    }
  }

  /** Returns the changes after a revision, oldest first, or `undefined` when some of them are forgotten. */
  changesAfter(revision: number): readonly Change[] | undefined {
    return revision < this.#watchFloor ? undefined : this.#changes.slice(this.#indexAfter(revision));
  }

  /** Forgets the versions before a revision, for lists. Watches keep what their cache has. */
  compactTo(revision: number): void {
    this.#listFloor = Math.max(this.#listFloor, revision);
    if (!this.#hasCache) this.#watchFloor = Math.max(this.#watchFloor, revision);
    const droppable = this.#indexAfter(this.#listFloor);
    this.#remove(this.#hasCache ? Math.min(droppable, this.#first) : droppable);
  }

  /** Forgets all changes before a revision that is not older than the newest change. */
  forget(revision: number): void {
    this.#changes = [];
    this.#first = 0;
    this.#listFloor = revision;
    this.#watchFloor = revision;
  }

  /** Lets watches begin at this revision at the earliest. */
  expireWatches(revision: number): void {
    this.#watchFloor = Math.max(this.#watchFloor, revision);
    this.#first = this.#changes.length;
    this.#capacity = MIN_CAPACITY;
  }

  /** Makes room for one change in the watch cache. */
  #makeRoom(nowMs: number): void {
    const { length } = this.#changes;
    if (length - this.#first < this.#capacity) return;
    const isOlder = (index: number): boolean => nowMs - (this.#changes[index]?.timeMs ?? nowMs) > FRESH_MS;
    if (!isOlder(this.#first)) this.#capacity = Math.min(this.#capacity * 2, MAX_CAPACITY);
    else if (isOlder(length - this.#capacity / 4)) this.#capacity = Math.max(MIN_CAPACITY, Math.floor(this.#capacity / 2));
    if (length - this.#first < this.#capacity) return;
    this.#first = length - this.#capacity + 1;
    // The real server counts from the oldest change that it has.
    this.#watchFloor = Math.max(this.#watchFloor, (this.#changes[this.#first]?.revision ?? 1) - 1);
  }

  #drop(count: number): void {
    const revision = this.#changes[count - 1]?.revision ?? 0;
    this.#listFloor = Math.max(this.#listFloor, revision);
    this.#watchFloor = Math.max(this.#watchFloor, revision);
    this.#remove(count);
  }

  #remove(count: number): void {
    this.#changes.splice(0, count);
    this.#first = Math.max(0, this.#first - count);
  }

  /** Returns the index of the first change after a revision. */
  #indexAfter(revision: number): number {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** k8s.io/apiserver `defaultLowerBoundCapacity` and `defaultUpperBoundCapacity` of a watch cache, in changes. */
const MIN_CAPACITY = 100;
const MAX_CAPACITY = 102_400;
/** k8s.io/apiserver `DefaultEventFreshDuration`: a younger change stays in the watch cache. */
const FRESH_MS = 75_000;
