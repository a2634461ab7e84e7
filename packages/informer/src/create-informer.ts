/**
 * Makes an informer of its parts: one reflector for each namespace (or one for all), one view of what they say together
 * with our own writes, one store.
 */
import { setMaxListeners } from "node:events";
import {
  type Clock,
  isMetadataOnly,
  type Kind,
  keyOf,
  type KubernetesObject,
  metadataOf,
  type ObjectOf,
  type Random,
  type Ref,
} from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Informer, InformerEvent, InformerProgress, Select } from "./informer.ts";
import { orAborted } from "./internal/await.ts";
import { copyJson, dropManagedFields, Freezer, withType } from "./internal/freeze.ts";
import { Pacer } from "./internal/pacer.ts";
import { Reflector } from "./internal/reflector.ts";
import type { Sink } from "./internal/sink.ts";
import { sourceOf } from "./internal/source.ts";
import { Store } from "./internal/store.ts";
import { View } from "./internal/view.ts";

/** Where a reported failure happened. Of `list` and `watch` the informer recovers by itself. */
export type InformerErrorSource = "list" | "watch" | "handler" | "index" | "ingest";

export interface InformerOptions<K extends Kind = Kind> {
  readonly client: Pick<Client, "list" | "watch">;
  readonly kind: K;
  readonly clock: Clock;
  readonly random: Random;
  /** One list and watch for each. Absent: all namespaces. Of no effect for a cluster-scoped kind. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
  /**
   * Cuts an object down before it is frozen and stored. Must leave name, namespace, uid and resourceVersion as they are.
   * When it throws, the failure is reported and the object stored as if there were none. @defaultValue drops managedFields
   */
  readonly ingest?: (object: ObjectOf<K>) => ObjectOf<K>;
  /** Told of every failure, each time. @defaultValue a process warning, but nothing for list and watch: see `progress()` */
  readonly onError?: (error: unknown, where: InformerErrorSource) => void;
  /** Told after each list that is complete in the store, the first as well as those after a failure. */
  readonly onListed?: () => void;
  /** Told when a list or watch works after it had failed; `progress().lastError` does not name that failure any more. */
  readonly onRecovered?: () => void;
  /** How long to wait before the next attempt when the server does not serve the kind; up to a quarter less, at random. @defaultValue 10_000 */
  readonly notServedRetryMs?: number;
  /** Objects in a page of a list. @defaultValue 250 */
  readonly pageSize?: number;
}

/**
 * Creates an informer; it does nothing before `start()`.
 * @throws when `namespaces` is empty or `pageSize` is not a positive integer.
 */
export function createInformer<K extends Kind>(options: InformerOptions<K>): Informer<K> {
  return createSharingInformer(options, sharedParts(options.clock));
}

/** What the informers of a process have in common: together they take no more of a turn of the event loop than one. */
export interface SharedParts {
  readonly pacer: Pacer;
  readonly freezer: Freezer;
}

/** In virtual time it is that which counts for the pacer: what was slow once must not change the order of things. */
export function sharedParts(clock: Clock): SharedParts {
  return { pacer: "advance" in clock ? new Pacer(undefined, () => clock.now()) : new Pacer(), freezer: new Freezer() };
}

export function createSharingInformer<K extends Kind>(options: InformerOptions<K>, shared: SharedParts): Informer<K> {
  // Inside, an object is any Kubernetes object: what K says of it beyond that matters to the caller alone.
  return new StoreInformer(options as unknown as InformerOptions<AnyKind>, shared) as unknown as Informer<K>;
}

type AnyKind = Kind<KubernetesObject, KubernetesObject>;
type Handler = (event: InformerEvent<KubernetesObject>) => void;

/** Longer than any write of the engine may take (post and save: 10 s; a step: 30 s). */
const EXPECTED_WRITE_MS = 30_000;

class StoreInformer implements Informer<AnyKind> {
  readonly kind: AnyKind;
  readonly #options: InformerOptions<AnyKind>;
  readonly #store: Store<KubernetesObject>;
  readonly #view: View<KubernetesObject>;
  readonly #reflectors = new Map<string | undefined, Reflector<KubernetesObject>>();
  readonly #unsynced: Set<string | undefined>;
  readonly #shared: SharedParts;
  readonly #abort = new AbortController();
  readonly #synced = Promise.withResolvers<void>();
  #subscriptions: readonly { readonly handler: Handler; isActive: boolean }[] = [];
  #running: Promise<unknown> | undefined;

  constructor(options: InformerOptions<AnyKind>, shared: SharedParts) {
    const { kind, clock, pageSize = 250 } = options;
    if (options.namespaces?.length === 0)
      throw new Error(`cannot create an informer of ${kind.kind}: namespaces is empty; leave it out for all namespaces`);
    if (!Number.isInteger(pageSize) || pageSize < 1)
      throw new Error(`cannot create an informer of ${kind.kind}: pageSize must be a positive integer, not ${pageSize}`);
    this.kind = kind;
    this.#options = { ...options, pageSize };
    this.#shared = shared;
    this.#store = new Store((error) => this.#report(error, "index"));
    this.#view = new View({
      store: this.#store,
      clock,
      emit: (event) => this.#emit(event),
      relist: (namespace) => this.#relist(namespace),
    });
    const namespaces = kind.scope === "Cluster" ? undefined : options.namespaces;
    for (const namespace of new Set(namespaces ?? [undefined])) this.#reflectors.set(namespace, this.#reflector(namespace));
    this.#unsynced = new Set(this.#reflectors.keys());
    setMaxListeners(0, this.#abort.signal); // One or two for each namespace.
    this.#synced.promise.catch(() => undefined); // Nobody may be waiting.
  }

  start(): void {
    if (this.#running !== undefined || this.#abort.signal.aborted) return;
    this.#running = Promise.all([...this.#reflectors.values()].map((reflector) => reflector.run(this.#abort.signal)));
  }

  async stop(): Promise<void> {
    const reason = new Error(`the informer of ${this.kind.kind} was stopped`);
    this.#view.close();
    this.#abort.abort(reason);
    this.#synced.reject(reason);
    await this.#running;
  }

  get hasSynced(): boolean {
    return this.#unsynced.size === 0;
  }

  synced(signal?: AbortSignal): Promise<void> {
    const synced = signal === undefined || this.hasSynced ? this.#synced.promise : orAborted(this.#synced.promise, signal);
    synced.catch(() => undefined); // A caller that does not wait for it is no reason to end the process.
    return synced;
  }

  get(ref: Ref): KubernetesObject | undefined {
    this.#requireCovered(ref.namespace);
    return this.#store.get(this.#namespaceOf(ref.namespace) ?? "", ref.name);
  }

  list(select: Select = {}): readonly KubernetesObject[] {
    this.#requireCovered(select.namespace);
    return this.#store.list(this.#namespaceOf(select.namespace), select.matchLabels);
  }

  covers(namespace: string | undefined): boolean {
    const within = this.#namespaceOf(namespace);
    return within === undefined || this.#reflectors.has(undefined) || this.#reflectors.has(within);
  }

  retry(): void {
    for (const reflector of this.#reflectors.values()) reflector.retry();
  }

  addIndex(name: string, keys: (object: KubernetesObject) => readonly string[]): void {
    this.#store.addIndex(name, keys);
  }

  byIndex(name: string, key: string): readonly KubernetesObject[] {
    return this.#store.byIndex(name, key);
  }

  onEvent(handler: Handler): () => void {
    const subscription = { handler, isActive: true };
    for (const object of this.#store.in(undefined)) this.#deliver({ type: "added", object, initial: true }, subscription);
    this.#subscriptions = [...this.#subscriptions, subscription];
    return () => {
      subscription.isActive = false;
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    };
  }

  observeWrite(object: KubernetesObject): void {
    if (!this.#isInScope(object.metadata)) return;
    // A copy: the caller may go on working on its own, and what is stored is frozen.
    this.#view.wrote(this.#ingest(copyJson(object)));
  }

  observeDelete(ref: Ref, uid: string): void {
    if (this.#isInScope(ref)) this.#view.removed(this.#refOf(ref), uid);
  }

  expectWrite(ref: Ref): () => void {
    return this.#view.hold(this.#refOf(ref), EXPECTED_WRITE_MS);
  }

  progress(): InformerProgress {
    const reflectors = [...this.#reflectors.values()];
    return {
      hasSynced: this.hasSynced,
      ageMs: this.#options.clock.now() - Math.min(...reflectors.map((reflector) => reflector.answeredAt)),
      objects: this.#store.size,
      lastError: reflectors.find((reflector) => reflector.lastError !== undefined)?.lastError,
    };
  }

  #reflector(namespace: string | undefined): Reflector<KubernetesObject> {
    const { client, kind, clock, random, labelSelector, fieldSelector, pageSize = 250, notServedRetryMs = 10_000 } = this.#options;
    const source = sourceOf<KubernetesObject>(client, kind, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    });
    const onFailure = (error: unknown, where: "list" | "watch"): void => this.#report(error, where);
    const onListed = (): void => this.#options.onListed?.();
    const onRecovered = (): void => this.#options.onRecovered?.();
    return new Reflector({
      source,
      sink: this.#sink(namespace),
      clock,
      random,
      pacer: this.#shared.pacer,
      pageSize,
      notServedRetryMs,
      onFailure,
      onListed,
      onRecovered,
    });
  }

  #sink(namespace: string | undefined): Sink<KubernetesObject> {
    const isSelecting = this.#options.labelSelector !== undefined || this.#options.fieldSelector !== undefined;
    return {
      take: (object) => {
        const { uid, resourceVersion } = object.metadata;
        return this.#view.knows(object.metadata, uid, resourceVersion) ?? this.#ingest(object);
      },
      apply: ({ type, object }) => {
        if (type === "DELETED") this.#view.deleted(object);
        else this.#view.present(object, object.metadata.resourceVersion, "event");
      },
      replace: (objects, version, signal) => this.#replace(namespace, { objects, version }, signal),
      wentBack: () => this.#view.wentBack(namespace),
      // Without a selection every write is on the watch, and one that is not there yet is still to come.
      passed: (version) => (isSelecting ? this.#view.passed(version, namespace) : undefined),
    };
  }

  async #replace(
    namespace: string | undefined,
    list: { readonly objects: ReadonlyMap<string, KubernetesObject>; readonly version: string },
    signal: AbortSignal,
  ): Promise<void> {
    const isInitial = this.#unsynced.has(namespace);
    for (const object of list.objects.values()) {
      await this.#breathe(signal);
      this.#view.present(object, list.version, "list", isInitial);
    }
    for (const ref of this.#view.refs(namespace)) {
      await this.#breathe(signal);
      if (!list.objects.has(keyOf(ref))) this.#view.absent(ref, list.version);
    }
    signal.throwIfAborted();
    this.#view.listed(namespace, list.version);
    this.#unsynced.delete(namespace);
    if (this.hasSynced) this.#synced.resolve();
  }

  async #breathe(signal: AbortSignal): Promise<void> {
    if (this.#shared.pacer.isDue) await this.#shared.pacer.rest();
    signal.throwIfAborted();
  }

  #ingest(object: KubernetesObject): KubernetesObject {
    const typed = withType(object, this.kind);
    // A server that cannot reduce objects sends them whole, and so does the answer to a write.
    const whole = isMetadataOnly(this.kind) ? metadataOf(typed) : typed;
    const { ingest } = this.#options;
    if (ingest === undefined) return this.#shared.freezer.freeze(dropManagedFields(whole));
    const { name, namespace, uid, resourceVersion } = whole.metadata;
    try {
      const cut = ingest(whole);
      const kept = cut.metadata;
      if (kept.name === name && kept.namespace === namespace && kept.uid === uid && kept.resourceVersion === resourceVersion)
        return this.#shared.freezer.freeze(cut);
      throw new Error(
        `ingest changed the name, namespace, uid or resourceVersion of ${this.kind.kind} ${keyOf({ name, namespace: namespace ?? "" })}: it must keep them`,
      );
    } catch (error) {
      this.#report(error, "ingest");
      return this.#shared.freezer.freeze(dropManagedFields(whole));
    }
  }

  #emit(event: InformerEvent<KubernetesObject>): void {
    for (const subscription of this.#subscriptions) this.#deliver(event, subscription);
  }

  #deliver(event: InformerEvent<KubernetesObject>, subscription: { readonly handler: Handler; readonly isActive: boolean }): void {
    if (!subscription.isActive || this.#abort.signal.aborted) return;
    try {
      // A handler that is async by mistake must not end the process when it rejects.
      const result: unknown = subscription.handler(event);
      if (result instanceof Promise) result.catch((error: unknown) => this.#report(error, "handler"));
    } catch (error) {
      this.#report(error, "handler");
    }
  }

  #report(error: unknown, where: InformerErrorSource): void {
    const { onError } = this.#options;
    if (onError === undefined) {
      if (where !== "list" && where !== "watch")
        process.emitWarning(`informer of ${this.kind.kind}, ${where}: ${String(error)}`, "TreadleWarning");
      return;
    }
    try {
      onError(error, where);
    } catch {
      // There is nobody left to tell.
    }
  }

  #relist(namespace: string): void {
    (this.#reflectors.get(namespace) ?? this.#reflectors.get(undefined))?.relist();
  }

  /** No watch would ever confirm a write elsewhere. */
  #isInScope(ref: Ref): boolean {
    return this.#reflectors.has(undefined) || this.#reflectors.has(ref.namespace);
  }

  #requireCovered(namespace: string | undefined): void {
    if (this.covers(namespace)) return;
    const message = `${this.kind.kind} is not watched in namespace ${JSON.stringify(namespace)}: add it to createManager({ namespaces }), or declare the read, or the dependent, without a watch (watch: false, watched: false)`;
    throw Object.assign(new Error(message), { code: "ERR_NAMESPACE_NOT_WATCHED" });
  }

  #namespaceOf(namespace: string | undefined): string | undefined {
    return this.kind.scope === "Cluster" || namespace === "" ? undefined : namespace;
  }

  #refOf(ref: Ref): Ref {
    const namespace = this.#namespaceOf(ref.namespace);
    return namespace === undefined ? { name: ref.name } : { name: ref.name, namespace };
  }
}
