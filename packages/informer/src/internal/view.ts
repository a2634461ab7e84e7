/**
 * The state that an informer shows. It combines the observations of list and watch with the writes of this process (see
 * unconfirmed.ts), stores the result, and reports changes to the handlers. It is synchronous: an observation is stored and
 * reported before the next one.
 */
import { type Clock, jsonEqual, keyOf, type KubernetesObject, type Ref, refOf, type Timer } from "@treadle/apimachinery";
import type { InformerEvent } from "../informer.ts";
import type { Store } from "./store.ts";
import { Tombstones } from "./tombstones.ts";
import {
  type Decision,
  isRemoved,
  type Known,
  type Observation,
  observe,
  ownRemoval,
  ownWrite,
  ownWriteOutside,
  type Unconfirmed,
} from "./unconfirmed.ts";
import { isAtLeast } from "./version.ts";

/**
 * How long a state is shown that the watch has not confirmed: JOSDK's interval for such objects ("ghost check", 3 min). It is
 * longer than any outage after which the informer lists again, and short enough for a person to wait.
 */
export const UNCONFIRMED_MS = 180_000;

/** States whose time ends so soon after that of another end with it: one list decides all, however many there are. */
const TOGETHER_MS = 10_000;

/** The services that a {@link View} uses. */
export interface ViewOptions<T extends KubernetesObject> {
  readonly store: Store<T>;
  readonly clock: Clock;
  /** Reports an event to the handlers. */
  readonly emit: (event: InformerEvent<T>) => void;
  /** Requests a list of `namespace`, because states there were not confirmed in time. */
  readonly relist: (namespace: string) => void;
}

/** The objects that an informer shows. */
export class View<T extends KubernetesObject> {
  readonly #options: ViewOptions<T>;
  readonly #tombstones: Tombstones;
  readonly #unconfirmed = new Map<string, Unconfirmed<T>>();
  /** Observations that wait for the response of a write in progress, by key. */
  readonly #held = new Map<string, { writers: number; readonly waiting: (() => void)[] }>();
  /** Version of the last complete list, by namespace (or for all). */
  readonly #listed = new Map<string | undefined, string>();
  /** Namespaces (or all) in which the server has another history, until they are listed. */
  readonly #distrusted = new Set<string | undefined>();
  #expiry: Timer | undefined;
  #isClosed = false;

  constructor(options: ViewOptions<T>) {
    this.#options = options;
    this.#tombstones = new Tombstones(options.clock, UNCONFIRMED_MS);
  }

  /**
   * Returns the stored object of this very version: the server reported it before, or it is the answer to a write of this process,
   * whose event confirms it. The same version need not be prepared for the store again.
   */
  knows(ref: Ref, uid: string | undefined, version: string | undefined): T | undefined {
    if (this.#isDistrusted(ref)) return undefined; // In another history, the same version is another state.
    const key = keyOf(ref);
    const unconfirmed = this.#unconfirmed.get(key);
    const known = unconfirmed === undefined ? [this.#shown(ref)] : [unconfirmed.object, unconfirmed.watched];
    return version === undefined
      ? undefined
      : known.find((object) => object?.metadata.resourceVersion === version && object.metadata.uid === uid);
  }

  /** An event, or a list of version `version`, has `object`. */
  present(object: T, version: string | undefined, from: Observation<T>["from"], isInitial = false): void {
    this.#observe(object.metadata, { object, uid: object.metadata.uid, version, from }, { isInitial });
  }

  /** An event reports that `object` was deleted, with its last state. */
  deleted(object: T): void {
    const { uid, resourceVersion } = object.metadata;
    this.#observe(object.metadata, { object: undefined, uid, version: resourceVersion, from: "event" }, { last: object });
  }

  /** A list of version `version` does not have `ref`. */
  absent(ref: Ref, version: string | undefined): void {
    this.#observe(ref, { object: undefined, uid: undefined, version, from: "list" }, {});
  }

  /** References of all objects in `namespace` (or everywhere) that are shown, unconfirmed or waiting. */
  *refs(namespace: string | undefined): IterableIterator<Ref> {
    for (const object of this.#options.store.in(namespace)) yield object.metadata;
    for (const key of new Set([...this.#unconfirmed.keys(), ...this.#held.keys()])) {
      const ref = refOf(key);
      if (this.#shown(ref) === undefined && (namespace === undefined || ref.namespace === namespace)) yield ref;
    }
  }

  /** All objects of a list of version `version` were observed. */
  listed(namespace: string | undefined, version: string): void {
    this.#listed.set(namespace, version);
    this.#distrusted.delete(namespace);
  }

  /**
   * The server has another history: it was restored or replaced. Versions from before cannot be compared with new ones. The
   * shown state stays until the next list, which decides whatever its version is.
   */
  wentBack(namespace: string | undefined): void {
    this.#distrusted.add(namespace);
    this.#listed.delete(namespace);
    this.#tombstones.clear();
    for (const key of this.#unconfirmed.keys()) if (this.#isDistrusted(refOf(key))) this.#unconfirmed.delete(key);
    for (const [key, held] of this.#held) if (this.#isDistrusted(refOf(key))) held.waiting.length = 0;
  }

  /**
   * The watch of `scope` was ended. Objects of namespaces that no other watch covers leave the store. Handlers get `deleted`
   * with `unwatched`, because the objects were not deleted.
   */
  unwatched(scope: string | undefined, isWatched: (namespace: string) => boolean): void {
    this.#listed.delete(scope);
    this.#distrusted.delete(scope);
    const isOver = ({ namespace = "" }: Ref): boolean => !isWatched(namespace);
    for (const key of this.#unconfirmed.keys()) if (isOver(refOf(key))) this.#setUnconfirmed(key, undefined);
    for (const [key, held] of this.#held) if (isOver(refOf(key))) held.waiting.length = 0;
    for (const object of this.#options.store.in(scope)) {
      if (!isOver(object.metadata)) continue;
      this.#options.store.remove(object);
      this.#options.emit({ type: "deleted", object, unwatched: true });
    }
  }

  /**
   * The watch in `namespace` has reached `version`. An object that this process wrote up to that version, and that the watch
   * did not report, is not what the server has.
   */
  passed(version: string, namespace: string | undefined): void {
    for (const [key, unconfirmed] of this.#unconfirmed) {
      const ref = refOf(key);
      if (unconfirmed.object === undefined || (namespace !== undefined && ref.namespace !== namespace) || this.#held.has(key)) continue;
      if (isAtLeast(version, unconfirmed.version)) this.#show(ref, { shown: unconfirmed.watched, unconfirmed: undefined }, {});
    }
  }

  /** This process wrote `object`, as the response has it. There is no event, because the writer knows. */
  wrote(object: T): void {
    if (isRemoved(object)) {
      this.removed(object.metadata, object.metadata.uid ?? "");
      return;
    }
    const { namespace, resourceVersion } = object.metadata;
    const known = this.#known(object.metadata);
    const listed = this.#listed.get(namespace) ?? this.#listed.get(undefined);
    // A list newer than the write lacks the object: this process created it, and it was deleted before any event of it.
    const isGone = known.shown === undefined && known.unconfirmed === undefined && isAtLeast(listed, resourceVersion);
    if (isGone && !this.#held.has(keyOf(object.metadata))) return;
    this.#own(object.metadata, ownWrite(object, known));
  }

  /** This process wrote `object` so that the selectors no longer select it. For the watch, the object is deleted. */
  wroteOutside(object: T): void {
    this.#own(object.metadata, ownWriteOutside(object, this.#known(object.metadata)));
  }

  /** This process deleted the object `uid`. There is no event, because the writer knows. */
  removed(ref: Ref, uid: string): void {
    this.#own(ref, ownRemoval(uid, { ...this.#known(ref), shown: this.#shown(ref) }));
    this.#tombstones.add(uid, undefined, true);
  }

  /** Makes observations of `ref` wait until the returned function is called, at most for `limitMs`. */
  hold(ref: Ref, limitMs: number): () => void {
    const key = keyOf(ref);
    const held = this.#held.get(key) ?? { writers: 0, waiting: [] };
    held.writers++;
    this.#held.set(key, held);
    let isOver = false;
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      held.writers--;
      if (held.writers > 0) return;
      this.#held.delete(key);
      for (const deliver of held.waiting) deliver();
    };
    const timer = this.#options.clock.after(limitMs, release);
    return release;
  }

  /** Ends all reports and timers. The shown state stays. */
  close(): void {
    this.#isClosed = true;
    this.#expiry?.cancel();
  }

  #observe(ref: Ref, seen: Observation<T>, how: { readonly isInitial?: boolean; readonly last?: T }): void {
    if (this.#isClosed) return;
    const held = this.#held.get(keyOf(ref));
    if (held !== undefined && !this.#isDistrusted(ref)) {
      held.waiting.push(() => this.#observe(ref, seen, how));
      return;
    }
    const decision = observe(seen, this.#known(ref));
    if (seen.object === undefined && seen.from === "event") this.#tombstones.add(seen.uid, seen.version, false);
    this.#show(ref, decision, { ...how, version: seen.version });
  }

  #known(ref: Ref): Known<T> {
    const unconfirmed = this.#unconfirmed.get(keyOf(ref));
    return {
      // A state of another history says nothing about new observations.
      shown: unconfirmed === undefined && this.#isDistrusted(ref) ? undefined : this.#shown(ref),
      unconfirmed,
      tombstones: this.#tombstones,
      deadline: this.#options.clock.now() + UNCONFIRMED_MS,
    };
  }

  #isDistrusted(ref: Ref): boolean {
    return this.#distrusted.size > 0 && (this.#distrusted.has(undefined) || this.#distrusted.has(ref.namespace ?? ""));
  }

  #shown(ref: Ref): T | undefined {
    return this.#options.store.get(ref.namespace ?? "", ref.name);
  }

  #own(ref: Ref, decision: Decision<T>): void {
    const previous = this.#shown(ref);
    this.#setUnconfirmed(keyOf(ref), decision.unconfirmed);
    if (previous === decision.shown) return;
    if (decision.shown === undefined)
      this.#options.store.remove(previous as T); // They differ, so there is a previous one.
    else this.#options.store.put(decision.shown, previous);
  }

  #show(
    ref: Ref,
    decision: Decision<T>,
    how: { readonly isInitial?: boolean; readonly last?: T; readonly version?: string | undefined },
  ): void {
    const { store, emit } = this.#options;
    const previous = this.#shown(ref);
    const { shown } = decision;
    this.#setUnconfirmed(keyOf(ref), decision.unconfirmed);
    if (shown === previous || (this.#isDistrusted(ref) && shown !== undefined && jsonEqual(shown, previous))) return;
    if (shown !== undefined && previous !== undefined && shown.metadata.uid === previous.metadata.uid) {
      store.put(shown, previous);
      emit({ type: "updated", object: shown, previous });
      return;
    }
    if (previous !== undefined) {
      this.#tombstones.add(previous.metadata.uid, how.version, false);
      store.remove(previous);
      const isLast = how.last !== undefined && how.last.metadata.uid === previous.metadata.uid;
      emit({ type: "deleted", object: isLast && how.last !== undefined ? how.last : previous });
    }
    if (shown !== undefined) {
      this.#tombstones.remove(shown.metadata.uid);
      store.put(shown, undefined);
      emit({ type: "added", object: shown, initial: how.isInitial === true });
    }
  }

  #setUnconfirmed(key: string, unconfirmed: Unconfirmed<T> | undefined): void {
    if (unconfirmed === this.#unconfirmed.get(key)) return;
    if (unconfirmed === undefined) this.#unconfirmed.delete(key);
    else this.#unconfirmed.set(key, unconfirmed);
    if (this.#unconfirmed.size > 0 && this.#expiry !== undefined) return;
    this.#expiry?.cancel();
    this.#arm();
  }

  /** Sets one timer, for the earliest deadline. When that state is confirmed before, the timer stays and checks again when it fires. */
  #arm(): void {
    this.#expiry = undefined;
    if (this.#isClosed) return;
    let earliest = Number.POSITIVE_INFINITY;
    for (const unconfirmed of this.#unconfirmed.values()) if (!unconfirmed.isExpired) earliest = Math.min(earliest, unconfirmed.deadline);
    if (earliest === Number.POSITIVE_INFINITY) return;
    this.#expiry = this.#options.clock.after(earliest - this.#options.clock.now(), () => this.#expire());
  }

  #expire(): void {
    const now = this.#options.clock.now();
    const doubtful = new Set<string>();
    for (const [key, unconfirmed] of this.#unconfirmed) {
      if (unconfirmed.isExpired || unconfirmed.deadline > now + TOGETHER_MS) continue;
      const ref = refOf(key);
      if (unconfirmed.watched === this.#shown(ref)) this.#unconfirmed.delete(key);
      else {
        this.#unconfirmed.set(key, { ...unconfirmed, isExpired: true });
        doubtful.add(ref.namespace ?? "");
      }
    }
    this.#arm();
    for (const namespace of doubtful) this.#options.relist(namespace);
  }
}
