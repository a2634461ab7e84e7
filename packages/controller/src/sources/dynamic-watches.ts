/** Watches of kinds that a program discovers while it runs. */
import { apiVersionOf, isMetadataOnly, type Kind, type KubernetesObject, orAborted } from "@treadle/apimachinery";
import type { HandlerWatchOptions } from "@treadle/reconcile";
import { declaredWatch } from "@treadle/reconcile/unstable/engine";
import type { OpenWatch } from "../driver/open-watch.ts";
import type { Source, WatchingSourceEnv } from "./source.ts";

/**
 * A source whose watches are opened and closed at any time, for example by a step. Watches that are opened before passes
 * begin start with them. The handler does not declare these kinds, so `permissions` of a step must declare the rights.
 */
export interface DynamicWatches<T extends KubernetesObject = KubernetesObject> extends Source {
  /**
   * Watches `kind` from now on. Its objects, existing ones included, start passes as `options` define. Idempotent: for the
   * same kind, form and `as` it returns the existing watch, with the functions that it was opened with.
   */
  watch<K extends Kind>(kind: K, options: HandlerWatchOptions<K, T> & { readonly as?: string }): Watch;
  /** The open watches, in the order in which they were opened. */
  readonly watches: readonly Watch[];
}

/** A watch that was opened by {@link DynamicWatches.watch}. */
export interface Watch {
  /** The watched kind. */
  readonly kind: Kind;
  /** Whether the first list is complete. */
  readonly hasSynced: boolean;
  /** Resolves when {@link hasSynced}; rejects with the signal's reason, and when the watch was stopped. */
  synced(signal?: AbortSignal): Promise<void>;
  /** The last failure of list or watch, until one succeeds. Failures are logged and retried; a kind that is not installed is waited for. */
  readonly problem: unknown;
  /** Closes the watch. The informer of the kind stops with its last user. Idempotent. */
  stop(): Promise<void>;
}

/** Dynamic watches whose `watch` needs no options: by default a change starts a pass of the primary that owns the object. */
export interface OwnedWatches<T extends KubernetesObject = KubernetesObject> extends DynamicWatches<T> {
  /** As {@link DynamicWatches.watch}. @param options `{ owned: true }` by default */
  watch<K extends Kind>(kind: K, options?: (HandlerWatchOptions<K, T> | { readonly metadata?: boolean }) & { readonly as?: string }): Watch;
}

/** Options of {@link dynamicWatches}. */
export interface DynamicWatchesOptions {
  /** The name in messages. @defaultValue "dynamic watches" */
  readonly name?: string;
  /** Whether a watch without other options is one by ownership, as for the `owns` of a step. @defaultValue false */
  readonly owned?: boolean;
}

/**
 * Makes the dynamic watches of one controller; `T` is the type of its primaries. A step that watches kinds for its own object
 * uses `req.watch`, which also ends the watches that no object needs.
 */
export function dynamicWatches<T extends KubernetesObject = KubernetesObject>(
  options: DynamicWatchesOptions & { readonly owned: true },
): OwnedWatches<T>;
/** Makes the dynamic watches of one controller whose `watch` says how a change finds its primaries. */
export function dynamicWatches<T extends KubernetesObject = KubernetesObject>(options?: DynamicWatchesOptions): DynamicWatches<T>;
export function dynamicWatches<T extends KubernetesObject = KubernetesObject>(options: DynamicWatchesOptions = {}): DynamicWatches<T> {
  const { name = "dynamic watches", owned = false } = options;
  const all = new Map<string, LaterWatch>();
  let env: WatchingSourceEnv | undefined;
  return {
    name,
    get watches() {
      return [...all.values()];
    },
    watch(kind, options) {
      const given = owned ? withOwned(options) : options;
      const declared = declaredWatch("dynamicWatches().watch", kind, given);
      const form = isMetadataOnly(kind) ? "metadata" : declared.form;
      const id = JSON.stringify([apiVersionOf(kind), kind.kind, form, given.as ?? ""]);
      const known = all.get(id);
      if (known !== undefined) return known;
      const watch = new LaterWatch(kind, {
        open: (source) => source.watch(declared, `${name} ${id}`),
        onStop: () => void all.delete(id),
      });
      all.set(id, watch);
      if (env !== undefined) watch.begin(env);
      return watch;
    },
    start(_, sourceEnv) {
      const given = sourceEnv as WatchingSourceEnv; // The controller gives it to each of its sources.
      if (env !== undefined) throw new TypeError(`"${name}" feed a controller already: make others for each`);
      env = given;
      for (const watch of all.values()) watch.begin(given);
    },
    async stop() {
      await Promise.all([...all.values()].map((watch) => watch.stop()));
    },
    close() {
      if (env !== undefined) return; // They were stopped, or feed another manager.
      for (const watch of all.values()) void watch.stop(); // None has begun, so there is nothing to wait for.
    },
  };
}

function withOwned<O extends object>(options: O | undefined): O {
  const isOther = ["map", "refs", "label", "owner"].some((way) => Object.hasOwn(options ?? {}, way));
  return (isOther ? options : { owned: true, ...options }) as O; // With `owned` it is one of the ways.
}

class LaterWatch implements Watch {
  readonly kind: Kind;
  readonly #options: { readonly open: (env: WatchingSourceEnv) => OpenWatch; readonly onStop: () => void };
  readonly #begun = Promise.withResolvers<OpenWatch>();
  #open: OpenWatch | undefined;
  #isStopped = false;

  constructor(kind: Kind, options: { readonly open: (env: WatchingSourceEnv) => OpenWatch; readonly onStop: () => void }) {
    this.kind = kind;
    this.#options = options;
    this.#begun.promise.catch(() => undefined); // Nobody may be waiting.
  }

  begin(env: WatchingSourceEnv): void {
    if (this.#isStopped) return;
    this.#open = this.#options.open(env);
    this.#begun.resolve(this.#open);
  }

  get hasSynced(): boolean {
    return this.#open?.informer.hasSynced === true;
  }

  get problem(): unknown {
    return this.#open?.informer.progress().lastError;
  }

  async synced(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { informer } = await orAborted(this.#begun.promise, signal);
    await informer.synced(signal);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#options.onStop();
    this.#begun.reject(new Error(`the watch of ${this.kind.kind} was stopped`));
    await this.#open?.close();
  }
}
