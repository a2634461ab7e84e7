/**
 * An informer keeps a local, read-only copy of the objects of one kind by LIST and WATCH, and tells what changed.
 * Objects in it are frozen; reading never copies.
 */
import type { Kind, ObjectOf, Ref } from "@treadle/apimachinery";

/** What changed. `initial` marks objects of the first list (and of re-lists only when they did change). */
export type InformerEvent<T> =
  | { readonly type: "added"; readonly object: T; readonly initial: boolean }
  | { readonly type: "updated"; readonly object: T; readonly previous: T }
  | { readonly type: "deleted"; readonly object: T };

/** Selects from a store: everything given must match. */
export interface Select {
  readonly namespace?: string;
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export interface Informer<K extends Kind = Kind> {
  readonly kind: K;
  /** Begins to list and watch. Calling it again does nothing. */
  start(): void;
  /** Ends list and watch; the store stays readable. Idempotent. */
  stop(): Promise<void>;
  /** True once the first list is complete in the store and its events were delivered. */
  readonly hasSynced: boolean;
  /** Resolves when {@link hasSynced}; rejects with the signal's reason. */
  synced(signal?: AbortSignal): Promise<void>;
  get(ref: Ref): ObjectOf<K> | undefined;
  list(select?: Select): readonly ObjectOf<K>[];
  /** Registers an index; before or after start. `keys` must be pure; an object for which it throws has no keys. */
  addIndex(name: string, keys: (object: ObjectOf<K>) => readonly string[]): void;
  /** The objects that the index `name` files under `key`. */
  byIndex(name: string, key: string): readonly ObjectOf<K>[];
  /**
   * Calls `handler` for every change, one after another in order; what is in the store already is delivered first as
   * `added`. A handler that throws is reported and does not disturb the others. Returns the way to unsubscribe.
   */
  onEvent(handler: (event: InformerEvent<ObjectOf<K>>) => void): () => void;
  /**
   * Read-your-own-writes: the response of a write of ours. From now on reads return it, or something newer, and its echo
   * on the watch is no event. Bounded in time: what the watch has not confirmed after a while gives way to what it says.
   */
  observeWrite(object: ObjectOf<K>): void;
  /** The same for a removal of ours: the object with this uid is not returned any more. */
  observeDelete(ref: Ref, uid: string): void;
  /** For probes and metrics. */
  progress(): InformerProgress;
}

export interface InformerProgress {
  readonly hasSynced: boolean;
  /** Milliseconds since the last list, event, bookmark or answer of the server. */
  readonly ageMs: number;
  readonly objects: number;
  /** The last failure of list or watch, until one succeeds. */
  readonly lastError: unknown;
}
