/**
 * An informer keeps a local, read-only copy of the objects of one kind by LIST and WATCH, and tells what changed.
 * Objects in it are frozen; reading never copies.
 */
import type { CacheListOptions, Kind, KubernetesObject, ObjectOf, Ref } from "@treadle/apimachinery";

/**
 * What changed. `initial` marks what a handler is told to bring it up to date: objects of the first list (of a namespace),
 * and objects that were there when it subscribed. A later list tells only what did change, and that is not initial.
 * `unwatched` marks a deletion that is none: the namespace is not watched any more, and the object may well live on.
 */
export type InformerEvent<T> =
  | { readonly type: "added"; readonly object: T; readonly initial: boolean }
  | { readonly type: "updated"; readonly object: T; readonly previous: T }
  | { readonly type: "deleted"; readonly object: T; readonly unwatched?: true };

export interface Informer<K extends Kind = Kind> {
  readonly kind: K;
  /** Begins to list and watch. Calling it again does nothing. */
  start(): void;
  /** Ends list and watch for good; no handler is called any more, the store stays readable. Idempotent. */
  stop(): Promise<void>;
  /**
   * Watches these namespaces from now on; `undefined` for all. What is shown of others goes, told as `deleted` and
   * `unwatched`. What was known of those that stay, stays, and is not told again. An added one is not
   * {@link covers | covered} before it was listed; then its objects have been told as `added` and `initial`.
   *
   * Effective at once; a later call replaces an earlier one. Resolves when all of them were listed, or are not wanted any
   * more; a list that fails is tried again. Rejects with the signal's reason, and when the informer is stopped, which
   * takes nothing back. Of no effect for a cluster-scoped kind.
   * @throws when `namespaces` is empty.
   */
  setNamespaces(namespaces: readonly string[] | undefined, signal?: AbortSignal): Promise<void>;
  /** True once the first list is complete in the store and its events were delivered; namespaces added later do not take it back. */
  readonly hasSynced: boolean;
  /** Resolves when {@link hasSynced}; rejects with the signal's reason, and when the informer was stopped before. */
  synced(signal?: AbortSignal): Promise<void>;
  /** @throws when the namespace is not {@link covers | covered}: that nothing is known there does not mean that nothing is there. */
  get(ref: Ref): ObjectOf<K> | undefined;
  /** Without a namespace: of all that are covered. @throws as {@link get} */
  list(options?: CacheListOptions): readonly ObjectOf<K>[];
  /** Whether objects of this namespace are watched, and were listed if it was added later. */
  covers(namespace: string | undefined): boolean;
  /**
   * Registers an index; before or after start. `keys` must be pure; an object for which it throws has no keys.
   * The same function again changes nothing. @throws when the name is taken by another function.
   */
  addIndex(name: string, keys: (object: ObjectOf<K>) => readonly string[]): void;
  /** Forgets the index; nothing happens when there is none. */
  removeIndex(name: string): void;
  /** The objects that the index `name` files under `key`. @throws when there is no such index. */
  byIndex(name: string, key: string): readonly ObjectOf<K>[];
  /**
   * Calls `handler` for every change, one after another in order; what is in the store already is delivered first as
   * `added`. A handler that throws is reported and does not disturb the others. Returns the way to unsubscribe.
   */
  onEvent(handler: (event: InformerEvent<ObjectOf<K>>) => void): () => void;
  /**
   * Read-your-own-writes: the response of a write of ours. From now on reads return it, or something newer, and its echo
   * on the watch is no event. Handlers are not called: the writer knows. The response of the write that removed a deleted
   * object's last finalizer counts as {@link observeDelete}. Bounded in time: what the server has not confirmed after
   * three minutes is settled by a new list.
   *
   * Assumption: the writer knows what its write was based on (it sent a resourceVersion, or reads the response). The
   * event of a foreign change that the response contains already is not delivered.
   */
  observeWrite(object: ObjectOf<K>): void;
  /** The same for a removal of ours: the object with this uid is not returned any more; another of that name is. */
  observeDelete(ref: Ref, uid: string): void;
  /**
   * Announces a write of ours: until the returned function is called (after {@link observeWrite}, or when the write
   * failed), what the watch says of that object waits, so that an echo which overtakes the response is recognised as one.
   * Bounded: after 30 s the news is let through.
   */
  expectWrite(ref: Ref): () => void;
  /** Whether `object`, as the server has it, is one of those that are watched: by its namespace and by the selectors. */
  selects(object: KubernetesObject): boolean;
  /** Ends a pause after a failure, e.g. because the kind may be served now; of no effect on a watch that is open. */
  retry(): void;
  /** For probes and metrics. */
  progress(): InformerProgress;
}

export interface InformerProgress {
  readonly hasSynced: boolean;
  /** Milliseconds since the last list, event, bookmark or good answer of the server (of the namespace that waits longest). */
  readonly ageMs: number;
  readonly objects: number;
  /** The last failure of list or watch, until one succeeds. */
  readonly lastError: unknown;
}
