/**
 * What an informer shows: the server's statements and our own writes brought together (see claims.ts), stored, and told
 * to the handlers. Everything here is synchronous: a statement is stored and delivered before the next one is heard.
 */
import { type Clock, jsonEqual, keyOf, type KubernetesObject, type Ref, refOf, type Timer } from "@treadle/apimachinery";
import type { InformerEvent } from "../informer.ts";
import { type Claim, hear, type Known, leave, removal, type Statement, type Verdict, write } from "./claims.ts";
import { Graves } from "./graves.ts";
import type { Store } from "./store.ts";
import { isAtLeast } from "./version.ts";

/**
 * How long a claim is believed without a word of the server: JOSDK's interval for objects that the watch has not
 * confirmed (peers: "ghost check", 3 min). Long enough for any outage that a relist follows, short enough for a person.
 */
export const CLAIM_MS = 180_000;

/** Claims that end so soon after another end with it: one list settles them all, however many are made in a second. */
const TOGETHER_MS = 10_000;

export interface ViewOptions<T extends KubernetesObject> {
  readonly store: Store<T>;
  readonly clock: Clock;
  readonly emit: (event: InformerEvent<T>) => void;
  /** Asks for a list of everything in `namespace`: claims there were not confirmed in time. */
  readonly relist: (namespace: string) => void;
}

export class View<T extends KubernetesObject> {
  readonly #options: ViewOptions<T>;
  readonly #graves: Graves;
  readonly #claims = new Map<string, Claim<T>>();
  /** Statements that wait for the response of a write that is on its way. */
  readonly #held = new Map<string, { writers: number; readonly said: (() => void)[] }>();
  /** By namespace (or for all): what the last complete list had is known up to here. */
  readonly #listed = new Map<string | undefined, string>();
  /** Namespaces (or all) whose history is another one, until they are listed. */
  readonly #distrusted = new Set<string | undefined>();
  #expiry: Timer | undefined;
  #isClosed = false;

  constructor(options: ViewOptions<T>) {
    this.#options = options;
    this.#graves = new Graves(options.clock, CLAIM_MS);
  }

  /** What is shown of this object was said, in this version, by the server: nothing would change if it said so again. */
  knows(ref: Ref, uid: string | undefined, version: string | undefined): T | undefined {
    if (this.#isDistrusted(ref)) return undefined; // The same version of another history is another state.
    const key = keyOf(ref);
    const claim = this.#claims.get(key);
    const watched = claim === undefined ? this.#shown(ref) : claim.watched;
    return version !== undefined && watched?.metadata.resourceVersion === version && watched.metadata.uid === uid ? watched : undefined;
  }

  /** `object` exists, says an event or a list of version `version`. */
  present(object: T, version: string | undefined, from: Statement<T>["from"], isInitial = false): void {
    this.#hear(object.metadata, { object, uid: object.metadata.uid, version, from }, { isInitial });
  }

  /** An event says that `object`, seen here for the last time, was deleted. */
  deleted(object: T): void {
    const { uid, resourceVersion } = object.metadata;
    this.#hear(object.metadata, { object: undefined, uid, version: resourceVersion, from: "event" }, { last: object });
  }

  /** A list of version `version` does not have `ref`. */
  absent(ref: Ref, version: string | undefined): void {
    this.#hear(ref, { object: undefined, uid: undefined, version, from: "list" }, {});
  }

  /** What is shown, claimed or waiting in `namespace` (or everywhere): what a list must have or else is gone. */
  *refs(namespace: string | undefined): IterableIterator<Ref> {
    for (const object of this.#options.store.in(namespace)) yield object.metadata;
    for (const key of new Set([...this.#claims.keys(), ...this.#held.keys()])) {
      const ref = refOf(key);
      if (this.#shown(ref) === undefined && (namespace === undefined || ref.namespace === namespace)) yield ref;
    }
  }

  /** All of a list of version `version` has been heard. */
  listed(namespace: string | undefined, version: string): void {
    this.#listed.set(namespace, version);
    this.#distrusted.delete(namespace);
  }

  /**
   * The server's history is another one: versions known so far cannot be compared with those to come. What is shown
   * stays until the next list, which decides whatever its version.
   */
  wentBack(namespace: string | undefined): void {
    this.#distrusted.add(namespace);
    this.#listed.delete(namespace);
    this.#graves.clear();
    for (const key of this.#claims.keys()) if (this.#isDistrusted(refOf(key))) this.#claims.delete(key);
    for (const [key, held] of this.#held) if (this.#isDistrusted(refOf(key))) held.said.length = 0;
  }

  /**
   * The watch of `scope` was ended: of namespaces that no other one tells of, nothing is known any more. What is shown of
   * them goes; handlers are told, and that it is no deletion.
   */
  unwatched(scope: string | undefined, isWatched: (namespace: string) => boolean): void {
    this.#listed.delete(scope);
    this.#distrusted.delete(scope);
    const isOver = ({ namespace = "" }: Ref): boolean => !isWatched(namespace);
    for (const key of this.#claims.keys()) if (isOver(refOf(key))) this.#claim(key, undefined);
    for (const [key, held] of this.#held) if (isOver(refOf(key))) held.said.length = 0;
    for (const object of this.#options.store.in(scope)) {
      if (!isOver(object.metadata)) continue;
      this.#options.store.remove(object);
      this.#options.emit({ type: "deleted", object, unwatched: true });
    }
  }

  /**
   * A watch of a selection in `namespace` has come to `version`: what we wrote up to there and it did not mention is not
   * in the selection.
   */
  passed(version: string, namespace: string | undefined): void {
    for (const [key, claim] of this.#claims) {
      const ref = refOf(key);
      if (claim.object === undefined || (namespace !== undefined && ref.namespace !== namespace) || this.#held.has(key)) continue;
      if (isAtLeast(version, claim.version)) this.#show(ref, { shown: claim.watched, claim: undefined }, {});
    }
  }

  /** Our write was answered with `object`. No event: the writer knows. */
  wrote(object: T): void {
    if (isRemoved(object)) {
      this.removed(object.metadata, object.metadata.uid ?? "");
      return;
    }
    const { namespace, resourceVersion } = object.metadata;
    const known = this.#known(object.metadata);
    const listed = this.#listed.get(namespace) ?? this.#listed.get(undefined);
    // Not there in a list that is newer than the write: created by us, and gone before we heard of it.
    const isGone = known.shown === undefined && known.claim === undefined && isAtLeast(listed, resourceVersion);
    if (isGone && !this.#held.has(keyOf(object.metadata))) return;
    this.#own(object.metadata, write(object, known));
  }

  /** Our write was answered with `object`, which is not in the selection that is watched: to the watch, it is gone. */
  wroteOutside(object: T): void {
    this.#own(object.metadata, leave(object, this.#known(object.metadata)));
  }

  /** We removed the object `uid`. No event: the writer knows. */
  removed(ref: Ref, uid: string): void {
    this.#own(ref, removal(uid, { ...this.#known(ref), shown: this.#shown(ref) }));
    this.#graves.add(uid, undefined, true);
  }

  /** Until the returned function is called, statements about `ref` wait. */
  hold(ref: Ref, limitMs: number): () => void {
    const key = keyOf(ref);
    const held = this.#held.get(key) ?? { writers: 0, said: [] };
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
      for (const say of held.said) say();
    };
    const timer = this.#options.clock.after(limitMs, release);
    return release;
  }

  /** Nothing is told and nothing is timed any more; what is shown stays. */
  close(): void {
    this.#isClosed = true;
    this.#expiry?.cancel();
  }

  #hear(ref: Ref, said: Statement<T>, how: { readonly isInitial?: boolean; readonly last?: T }): void {
    if (this.#isClosed) return;
    const held = this.#held.get(keyOf(ref));
    if (held !== undefined && !this.#isDistrusted(ref)) {
      held.said.push(() => this.#hear(ref, said, how));
      return;
    }
    const verdict = hear(said, this.#known(ref));
    if (said.object === undefined && said.from === "event") this.#graves.add(said.uid, said.version, false);
    this.#show(ref, verdict, { ...how, version: said.version });
  }

  #known(ref: Ref): Known<T> {
    const claim = this.#claims.get(keyOf(ref));
    return {
      // Of another history, it is no reason to doubt anything.
      shown: claim === undefined && this.#isDistrusted(ref) ? undefined : this.#shown(ref),
      claim,
      graves: this.#graves,
      deadline: this.#options.clock.now() + CLAIM_MS,
    };
  }

  #isDistrusted(ref: Ref): boolean {
    return this.#distrusted.size > 0 && (this.#distrusted.has(undefined) || this.#distrusted.has(ref.namespace ?? ""));
  }

  #shown(ref: Ref): T | undefined {
    return this.#options.store.get(ref.namespace ?? "", ref.name);
  }

  #own(ref: Ref, verdict: Verdict<T>): void {
    const previous = this.#shown(ref);
    this.#claim(keyOf(ref), verdict.claim);
    if (previous === verdict.shown) return;
    if (verdict.shown === undefined)
      this.#options.store.remove(previous as T); // They differ, so there is a previous one.
    else this.#options.store.put(verdict.shown, previous);
  }

  #show(
    ref: Ref,
    verdict: Verdict<T>,
    how: { readonly isInitial?: boolean; readonly last?: T; readonly version?: string | undefined },
  ): void {
    const { store, emit } = this.#options;
    const previous = this.#shown(ref);
    const { shown } = verdict;
    this.#claim(keyOf(ref), verdict.claim);
    if (shown === previous || (this.#isDistrusted(ref) && shown !== undefined && jsonEqual(shown, previous))) return;
    if (shown !== undefined && previous !== undefined && shown.metadata.uid === previous.metadata.uid) {
      store.put(shown, previous);
      emit({ type: "updated", object: shown, previous });
      return;
    }
    if (previous !== undefined) {
      this.#graves.add(previous.metadata.uid, how.version, false);
      store.remove(previous);
      const isLast = how.last !== undefined && how.last.metadata.uid === previous.metadata.uid;
      emit({ type: "deleted", object: isLast && how.last !== undefined ? how.last : previous });
    }
    if (shown !== undefined) {
      this.#graves.remove(shown.metadata.uid);
      store.put(shown, undefined);
      emit({ type: "added", object: shown, initial: how.isInitial === true });
    }
  }

  #claim(key: string, claim: Claim<T> | undefined): void {
    if (claim === this.#claims.get(key)) return;
    if (claim === undefined) this.#claims.delete(key);
    else this.#claims.set(key, claim);
    if (this.#claims.size > 0 && this.#expiry !== undefined) return;
    this.#expiry?.cancel();
    this.#arm();
  }

  /** One timer, for the earliest deadline. A claim that ends before leaves it standing: it looks again when it fires. */
  #arm(): void {
    this.#expiry = undefined;
    if (this.#isClosed) return;
    let earliest = Number.POSITIVE_INFINITY;
    for (const claim of this.#claims.values()) if (!claim.isExpired) earliest = Math.min(earliest, claim.deadline);
    if (earliest === Number.POSITIVE_INFINITY) return;
    this.#expiry = this.#options.clock.after(earliest - this.#options.clock.now(), () => this.#expire());
  }

  #expire(): void {
    const now = this.#options.clock.now();
    const doubtful = new Set<string>();
    for (const [key, claim] of this.#claims) {
      if (claim.isExpired || claim.deadline > now + TOGETHER_MS) continue;
      const ref = refOf(key);
      if (claim.watched === this.#shown(ref)) this.#claims.delete(key);
      else {
        this.#claims.set(key, { ...claim, isExpired: true });
        doubtful.add(ref.namespace ?? "");
      }
    }
    this.#arm();
    for (const namespace of doubtful) this.#options.relist(namespace);
  }
}

/**
 * The write that takes the last finalizer from an object that is being deleted removes it, and is answered with what it
 * was. (A namespace has finalizers in its spec, too; a pod lives on for its grace period.)
 */
function isRemoved(object: KubernetesObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0) return false;
  const spec = (object as { readonly spec?: unknown }).spec;
  const inSpec = typeof spec === "object" && spec !== null && "finalizers" in spec ? spec.finalizers : undefined;
  return !Array.isArray(inSpec) || inSpec.length === 0;
}
