/**
 * The informer, made of its parts: a reflector for each namespace or one for all, a view that combines their observations with
 * the writes of this process, and a store.
 */
import { setMaxListeners } from "node:events";
import { type CacheListOptions, isMetadataOnly, type Kind, keyOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { Informer, InformerEvent, InformerProgress } from "../informer.ts";
import type { InformerErrorSource, InformerOptions } from "../informer-options.ts";
import { type InformerWarning, memoryWarning, outsideWarning, unscopedWarning } from "../warnings.ts";
import { copyJson } from "./freeze.ts";
import { type Ingest, ingestOf } from "./ingest.ts";
import { Reflector } from "./reflector.ts";
import { type Scope, Scopes } from "./scopes.ts";
import { Selection } from "./selection.ts";
import type { SharedParts } from "./shared-parts.ts";
import type { Sink } from "./sink.ts";
import { sourceOf } from "./source.ts";
import { Store } from "./store.ts";
import { Subscriptions } from "./subscriptions.ts";
import { View } from "./view.ts";

type AnyKind = Kind<KubernetesObject, KubernetesObject>;

/** Longer than any write of the engine may take (post and save: 10 s; a step: 30 s). */
const EXPECTED_WRITE_MS = 30_000;

/** The default of `pageSize`. Large pages cost the server less for each object. `listAll()` also limits a page by its size. */
function pageSizeOf(kind: Kind): number {
  return isMetadataOnly(kind) ? 1_000 : 250;
}

/** Creates an informer that uses the given services, which others may use too. */
export function createSharingInformer<K extends Kind>(options: InformerOptions<K>, shared: SharedParts): Informer<K> {
  // Inside, an object is any Kubernetes object. The type K matters only to the caller.
  return new StoreInformer(options as unknown as InformerOptions<AnyKind>, shared) as unknown as Informer<K>;
}

class StoreInformer implements Informer<AnyKind> {
  readonly kind: AnyKind;
  readonly #options: InformerOptions<AnyKind>;
  readonly #shared: SharedParts;
  readonly #store: Store<KubernetesObject>;
  readonly #view: View<KubernetesObject>;
  readonly #scopes: Scopes;
  readonly #ingest: Ingest;
  readonly #subscriptions: Subscriptions<KubernetesObject>;
  readonly #selection: Selection;
  readonly #warned = new Set<InformerWarning["type"]>();
  readonly #pageSize: number;

  constructor(options: InformerOptions<AnyKind>, shared: SharedParts) {
    const { kind, pageSize = pageSizeOf(kind) } = options;
    if (!Number.isInteger(pageSize) || pageSize < 1)
      throw new Error(`cannot create an informer of ${kind.kind}: pageSize must be a positive integer, not ${pageSize}`);
    this.kind = kind;
    this.#pageSize = pageSize;
    this.#options = options;
    this.#shared = shared;
    this.#selection = new Selection(options);
    this.#subscriptions = new Subscriptions((error) => this.#report(error, "handler"));
    this.#ingest = ingestOf({ kind, ingest: options.ingest, freezer: shared.freezer, onError: (error) => this.#report(error, "ingest") });
    this.#store = new Store((error) => this.#report(error, "index"));
    this.#view = new View({
      store: this.#store,
      clock: shared.clock,
      emit: (event) => this.#subscriptions.tell(event),
      relist: (namespace) => this.#scopes.of(namespace)?.relist(),
    });
    this.#scopes = new Scopes(this.#scopesOf(options.namespaces), {
      reflector: (scope, signal) => this.#reflector(scope, signal),
      onEnded: (scope) => this.#view.unwatched(scope, (namespace) => this.#scopes.watches(namespace)),
    });
  }

  start(): void {
    this.#warnUnscoped();
    this.#scopes.start();
  }

  async stop(): Promise<void> {
    this.#view.close();
    this.#subscriptions.close();
    await this.#scopes.stop(new Error(`the informer of ${this.kind.kind} was stopped`));
  }

  get hasSynced(): boolean {
    return this.#scopes.hasSynced;
  }

  synced(signal?: AbortSignal): Promise<void> {
    const synced = this.#synced(signal);
    synced.catch(() => undefined); // Without a handler, a caller that does not await it would end the process.
    return synced;
  }

  setNamespaces(namespaces: readonly string[] | undefined, signal?: AbortSignal): Promise<void> {
    this.#scopes.set(this.#scopesOf(namespaces));
    this.#warnUnscoped();
    const listed = this.#scopes.listed(signal);
    listed.catch(() => undefined); // As above.
    return listed;
  }

  get(ref: Ref): KubernetesObject | undefined {
    this.#requireCovered(ref.namespace);
    return this.#store.get(this.#namespaceOf(ref.namespace) ?? "", ref.name);
  }

  list({ namespace, matchLabels }: CacheListOptions = {}): readonly KubernetesObject[] {
    this.#requireCovered(namespace);
    const found = this.#store.list(this.#namespaceOf(namespace), matchLabels);
    if (namespace !== undefined || !this.#scopes.hasLate) return found;
    return found.filter(({ metadata }) => this.#scopes.covers(metadata.namespace ?? ""));
  }

  covers(namespace: string | undefined): boolean {
    const within = this.#namespaceOf(namespace);
    return within === undefined || this.#scopes.covers(within);
  }

  selects(object: KubernetesObject): boolean {
    return this.#scopes.watches(this.#namespaceOf(object.metadata.namespace) ?? "") && this.#selection.selects(object);
  }

  retry(): void {
    for (const reflector of this.#scopes.reflectors) reflector.retry();
  }

  addIndex(name: string, keys: (object: KubernetesObject) => readonly string[]): void {
    this.#store.addIndex(name, keys);
  }

  removeIndex(name: string): void {
    this.#store.removeIndex(name);
  }

  byIndex(name: string, key: string): readonly KubernetesObject[] {
    return this.#store.byIndex(name, key);
  }

  onEvent(handler: (event: InformerEvent<KubernetesObject>) => void): () => void {
    return this.#subscriptions.add(handler, this.#store.in(undefined));
  }

  observeWrite(object: KubernetesObject): void {
    // No watch would ever confirm a write in another namespace.
    if (!this.#scopes.watches(object.metadata.namespace ?? "")) return;
    if (!this.#selection.allows(object)) {
      this.#view.wroteOutside(object);
      this.#warn(outsideWarning(this.kind, object, this.#selection.labels));
      return;
    }
    // A copy, because the stored object is frozen and the caller may still change its own.
    this.#view.wrote(this.#ingest(copyJson(object)));
  }

  observeDelete(ref: Ref, uid: string): void {
    if (this.#scopes.watches(ref.namespace ?? "")) this.#view.removed(this.#refOf(ref), uid);
  }

  expectWrite(ref: Ref): () => void {
    return this.#view.hold(this.#refOf(ref), EXPECTED_WRITE_MS);
  }

  progress(): InformerProgress {
    const { reflectors } = this.#scopes;
    return {
      hasSynced: this.hasSynced,
      ageMs: this.#shared.clock.now() - Math.min(...reflectors.map((reflector) => reflector.answeredAt)),
      objects: this.#store.size,
      lastError: reflectors.find((reflector) => reflector.lastError !== undefined)?.lastError,
    };
  }

  async #synced(signal: AbortSignal | undefined): Promise<void> {
    // The namespaces may change while it waits.
    while (!this.hasSynced) await this.#scopes.listed(signal);
  }

  #scopesOf(namespaces: readonly string[] | undefined): readonly Scope[] {
    if (namespaces?.length === 0)
      throw new Error(`an informer of ${this.kind.kind} has nothing to watch: namespaces is empty; leave it out for all namespaces`);
    return this.kind.scope === "Cluster" ? [undefined] : (namespaces ?? [undefined]);
  }

  #reflector(scope: Scope, signal: AbortSignal): Reflector<KubernetesObject> {
    setMaxListeners(0, signal); // Every list and watch in progress adds listeners.
    const { client, kind, labelSelector, fieldSelector, ingest, kindRetryMs = 10_000 } = this.#options;
    const managedFieldsOf = this.#options.managedFieldsOf ?? (ingest === undefined ? [] : undefined);
    const source = sourceOf<KubernetesObject>(client, kind, {
      ...(scope === undefined ? {} : { namespace: scope }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(managedFieldsOf === undefined ? {} : { managedFieldsOf }),
    });
    const { clock, random, turn, memory: budget } = this.#shared;
    const memory = budget.part((forecast) => this.#warn(memoryWarning(kind, forecast)));
    signal.addEventListener("abort", () => budget.remove(memory), { once: true });
    return new Reflector({
      source,
      sink: this.#sink(scope, signal),
      clock,
      random,
      turn,
      memory,
      pageSize: this.#pageSize,
      kindRetryMs,
      onFailure: (error, where) => this.#report(error, where),
      onListed: () => this.#options.onListed?.(),
      onRecovered: () => this.#options.onRecovered?.(),
    });
  }

  #sink(scope: Scope, signal: AbortSignal): Sink<KubernetesObject> {
    const { isEverything } = this.#selection;
    return {
      take: (object) => {
        const { uid, resourceVersion } = object.metadata;
        return this.#view.knows(object.metadata, uid, resourceVersion) ?? this.#ingest(object);
      },
      apply: ({ type, object }) => {
        // Events that arrived before the watch of this namespace was ended do not count any more.
        if (signal.aborted) return;
        if (type === "DELETED") this.#view.deleted(object);
        else this.#view.present(object, object.metadata.resourceVersion, "event");
      },
      replace: (objects, version, ended) => this.#replace(scope, { objects, version }, ended),
      wentBack: () => this.#view.wentBack(scope),
      // Without selectors the watch reports every write, so a write that it has not reported is still to come.
      passed: (version) => (isEverything || signal.aborted ? undefined : this.#view.passed(version, scope)),
    };
  }

  /** @param signal aborted also when `scope` is no longer watched */
  async #replace(
    scope: Scope,
    list: { readonly objects: ReadonlyMap<string, KubernetesObject>; readonly version: string },
    signal: AbortSignal,
  ): Promise<void> {
    const isInitial = this.#scopes.isUnlisted(scope);
    for (const object of list.objects.values()) {
      await this.#shared.turn.next(signal);
      this.#view.present(object, list.version, "list", isInitial);
    }
    for (const ref of this.#view.refs(scope)) {
      await this.#shared.turn.next(signal);
      if (!list.objects.has(keyOf(ref))) this.#view.absent(ref, list.version);
    }
    signal.throwIfAborted();
    this.#view.listed(scope, list.version);
    this.#scopes.hasListed(scope);
  }

  #warnUnscoped(): void {
    if (!this.#selection.isEverything || !this.#scopes.isOfAll) return;
    const warning = unscopedWarning(this.kind);
    if (warning !== undefined) this.#warn(warning);
  }

  #warn(warning: InformerWarning): void {
    if (this.#warned.has(warning.type)) return;
    this.#warned.add(warning.type);
    const { onWarning } = this.#options;
    if (onWarning === undefined) process.emitWarning(warning.message, "TreadleWarning");
    else onWarning(warning);
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
      // No other receiver is left for the error.
    }
  }

  #requireCovered(namespace: string | undefined): void {
    if (this.covers(namespace)) return;
    const where = JSON.stringify(namespace);
    const message = this.#scopes.watches(namespace ?? "")
      ? `${this.kind.kind} in namespace ${where} is not listed yet: the namespace was added a moment ago, so its objects are unknown; try again`
      : `${this.kind.kind} is not watched in namespace ${where}: add it to createManager({ namespaces }), or declare the read, or the dependent, without a watch (watch: false, watched: false)`;
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
