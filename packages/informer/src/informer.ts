/**
 * An informer keeps a local, read-only copy of the objects of one kind by LIST and WATCH, and reports changes to handlers.
 * Its objects are frozen; reading never copies.
 */
import type { CacheListOptions, Kind, KubernetesObject, ObjectOf, Ref } from "@treadle/apimachinery";

/**
 * A change of one object.
 *
 * `initial` marks events that bring a handler up to date: objects of the first list (of a namespace), and objects that
 * were in the store when the handler subscribed. A later list reports only changes, and those are not initial.
 *
 * `unwatched` marks a `deleted` event of an object that was not deleted: its namespace is no longer watched.
 */
export type InformerEvent<T> =
  | { readonly type: "added"; readonly object: T; readonly initial: boolean }
  | { readonly type: "updated"; readonly object: T; readonly previous: T }
  | { readonly type: "deleted"; readonly object: T; readonly unwatched?: true };

/** A local copy of the objects of one kind. {@link createInformer} and {@link createInformers} make it. */
export interface Informer<K extends Kind = Kind> {
  /** The kind of the objects. */
  readonly kind: K;
  /** Starts to list and watch. Does nothing when it is started already. */
  start(): void;
  /** Ends list and watch for good. No handler is called after it, and the store stays readable. Idempotent. */
  stop(): Promise<void>;
  /**
   * Changes the watched namespaces; `undefined` means all. It takes effect at once, and a later call replaces an earlier one.
   * For a cluster-scoped kind it has no effect.
   *
   * - Objects of a removed namespace leave the store. Handlers get `deleted` with `unwatched`.
   * - Objects of a namespace that stays watched are not reported again.
   * - An added namespace is not {@link covers | covered} before it is listed. Its objects are reported as `added` and `initial`.
   *
   * Resolves when every namespace of the call is listed or was removed by a later call. A list that fails is retried.
   * Rejects with the signal's reason, or when the informer is stopped; the change stays in effect.
   * @throws when `namespaces` is empty
   */
  setNamespaces(namespaces: readonly string[] | undefined, signal?: AbortSignal): Promise<void>;
  /** Whether the first list is in the store and its events were delivered. It stays true when namespaces are added later. */
  readonly hasSynced: boolean;
  /** Resolves when {@link hasSynced} is true. Rejects with the signal's reason, or when the informer is stopped first. */
  synced(signal?: AbortSignal): Promise<void>;
  /**
   * Returns the object, or `undefined` when the store has none of this name.
   * @throws when the namespace is not {@link covers | covered}, because nothing is known about its objects
   */
  get(ref: Ref): ObjectOf<K> | undefined;
  /**
   * Returns the objects that match, without a namespace those of all covered namespaces.
   * @throws when the given namespace is not {@link covers | covered}
   */
  list(options?: CacheListOptions): readonly ObjectOf<K>[];
  /** Tells whether the namespace is watched and, if it was added later, listed. */
  covers(namespace: string | undefined): boolean;
  /**
   * Adds an index, before or after the start. `keys` must be pure. An object for which it throws has no keys.
   * Adding the same function again has no effect.
   * @throws when another function has this name
   */
  addIndex(name: string, keys: (object: ObjectOf<K>) => readonly string[]): void;
  /** Removes an index. Does nothing when there is no index of this name. */
  removeIndex(name: string): void;
  /**
   * Returns the objects that have `key` in the index.
   * @throws when there is no index of this name
   */
  byIndex(name: string, key: string): readonly ObjectOf<K>[];
  /**
   * Calls `handler` for every change, one after another and in order. Objects that are in the store already are delivered
   * first, as `added`. An error of a handler is reported and does not affect other handlers. Returns a function that
   * unsubscribes.
   */
  onEvent(handler: (event: InformerEvent<ObjectOf<K>>) => void): () => void;
  /**
   * Stores the response of a write of this process, so that reads return it at once (read-your-own-writes).
   *
   * Guarantees: reads return this state or a newer one, and its event on the watch is not reported. Handlers are not
   * called: the writer knows the change. The response of the write that removed the last finalizer of a deleted
   * object counts as {@link observeDelete}. If the watch does not confirm the write within three minutes, a new list
   * decides.
   *
   * Assumption: the writer knows the state on which it based the write. It sent a resourceVersion, or it reads the response.
   * A change by another writer that the response contains already is not reported.
   */
  observeWrite(object: ObjectOf<K>): void;
  /** Removes an object that this process deleted, so that reads do not return it. Another object of this name stays. */
  observeDelete(ref: Ref, uid: string): void;
  /**
   * Announces a write of this process. Events of this object wait until the returned function is called, so that an event
   * that overtakes the response is recognised. Call the function after {@link observeWrite}, or when the write failed.
   * After 30 s the events are delivered anyway.
   */
  expectWrite(ref: Ref): () => void;
  /** Tells whether the informer watches `object`, which was read from the server: by its namespace and by the selectors. */
  selects(object: KubernetesObject): boolean;
  /** Ends the pause after a failure, for example because the kind may be served now. Has no effect on an open watch. */
  retry(): void;
  /** Returns the state of the informer, for probes and metrics. */
  progress(): InformerProgress;
}

/** The state of an informer, for probes and metrics. */
export interface InformerProgress {
  /** See {@link Informer.hasSynced}. */
  readonly hasSynced: boolean;
  /**
   * Time since the last list, event, bookmark or successful response of the server, in milliseconds. With several
   * namespaces, the longest of these times.
   */
  readonly ageMs: number;
  /** Number of objects in the store. */
  readonly objects: number;
  /** Last failure of list or watch; `undefined` once it works again. */
  readonly lastError: unknown;
}
