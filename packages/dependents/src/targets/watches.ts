/**
 * The watches of one connection: one for each kind, and for each namespace where the credential may not list all. They hold only objects
 * with the label of an owner, and are shared by all owners of the connection.
 *
 * Guarantees
 * - Events call `wake` of the owner whose label the object has, and of no other. Our own writes call nothing.
 * - The first list of a kind is in all namespaces. If the server refuses it, each namespace of a placement has a watch of its own, so that
 *   an owner whose namespace is refused does not affect the others.
 * - The state of a watch is that of `req.watch`; a watch without holders ends after a minute.
 */
import {
  type Cache,
  type Clock,
  isForbidden,
  isMetadataOnly,
  keepOwnManagedFields,
  type Kind,
  kindIdOf,
  type KubernetesObject,
  metadataOnly,
  type Random,
  type Ref,
} from "@treadle/apimachinery";
import type { Client, KindName } from "@treadle/client";
import { type OpenWatch, RunTimeWatches } from "@treadle/controller/unstable/driver";
import { createInformer, type Informer, type InformerEvent } from "@treadle/informer";
import type { KindWatch, Logger } from "@treadle/reconcile";
import { type DeclaredWatch, watchIdOf } from "@treadle/reconcile/unstable/engine";
import type { TargetWatches, TargetWatchHold } from "./types.ts";
import { ALL, coversIn, type Holder, holdIn, isSecret, joined, type Opened, type Scope } from "./watch-scope.ts";

/** The options of {@link Watches}. */
export interface WatchesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Time after which the name of a kind that the target does not serve is looked up again, in milliseconds. @defaultValue 10_000 */
  readonly lookUpMs?: number;
}

const NO_MANAGERS: ReadonlySet<string> = new Set();
const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const LOOK_UP_MS = 10_000;

/** The watches of one connection. */
export class Watches implements TargetWatches {
  readonly cache: Cache;
  readonly #options: WatchesOptions;
  readonly #scopes = new Map<string, Scope>();
  readonly #holders = new Map<string, Holder>();
  /** The holders by their owner's label and its value. */
  readonly #byOwner = new Map<string, Set<Holder>>();
  /** The informers by the id of their kind. */
  readonly #byKind = new Map<string, Set<Opened>>();
  /** The watches that the server refuses in all namespaces, by label and id. */
  readonly #narrow = new Set<string>();
  /** The names whose applied fields are kept, by label: each handler has its own. */
  readonly #managers = new Map<string, ReadonlySet<string>>();
  #isClosed = false;

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.cache = {
      get: (kind, ref) => {
        const found = this.#covering(kind, ref.namespace).map((informer) => informer.get(ref));
        return found.find((object) => object !== undefined) as never; // The informers are of this kind.
      },
      list: (kind, given = {}) => {
        const { namespace } = given;
        return this.#covering(kind, namespace).flatMap((informer) => informer.list(given)) as never;
      },
    };
  }

  hold(kind: Kind | KindName, given: TargetWatchHold): KindWatch {
    const id = watchIdOf(kind);
    const { key, namespaces } = given;
    const { label } = this.#holder(given, id);
    if (!this.#managers.has(label)) this.#managers.set(label, new Set(given.managers));
    const whole = this.#scope(label, undefined);
    const narrowId = `${label} ${id}`;
    if (!this.#narrow.has(narrowId)) {
      const state = holdIn(whole, kind, key);
      if (state.type !== "refused" || !this.#isForbiddenIn(whole, id) || namespaces.length === 0) return state;
      this.#narrow.add(narrowId);
    }
    this.#releaseIn(whole, id, key);
    return joined(namespaces.map((namespace) => holdIn(this.#scope(label, namespace), kind, key)));
  }

  release(id: string, key: string): void {
    for (const scope of this.#scopes.values()) this.#releaseIn(scope, id, key);
    const holder = this.#holders.get(key);
    if (holder?.ids.delete(id) !== true || holder.ids.size > 0) return;
    this.#holders.delete(key);
    this.#unroute(holder);
  }

  covers(kind: Kind, namespace: string): boolean {
    const found = this.#informersOf(kind);
    if (found.length === 0) return false;
    const isCovered = (label: string): boolean =>
      found.some(({ scope, informer }) => scope.label === label && informer.hasSynced && coversIn(scope, informer, namespace));
    return [...new Set(found.map(({ scope }) => scope.label))].every(isCovered);
  }

  observe(kind: Kind, object: KubernetesObject): void {
    for (const { informer, isMetadata } of this.#informersOf(kind)) {
      if (!informer.selects(object)) continue;
      const { apiVersion, kind: name, metadata } = object;
      informer.observeWrite(isMetadata ? { apiVersion, kind: name, metadata } : object);
    }
  }

  observeDelete(kind: Kind, ref: Ref, uid: string): void {
    for (const { informer } of this.#informersOf(kind)) informer.observeDelete(ref, uid);
  }

  /** Announces a write: its event waits until the returned function is called. */
  expectWrite(kind: Kind, ref: Ref): () => void {
    const ends = this.#informersOf(kind).map(({ informer }) => informer.expectWrite(ref));
    return () => {
      for (const end of ends) end();
    };
  }

  /** Triggers a pass of each owner that holds a watch: the target is away. */
  wakeAll(): void {
    for (const { wake } of this.#holders.values()) wake("the target cluster cannot be reached");
  }

  /** Lists and watches at once what failed: the target answers again. */
  retry(): void {
    for (const { opened } of this.#scopes.values()) for (const { informer } of opened) informer.retry();
  }

  /** Ends all watches. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const informers: Informer[] = [];
    for (const { watches, opened } of this.#scopes.values()) {
      watches.stop();
      for (const { informer } of opened) informers.push(informer);
    }
    await Promise.all(informers.map((informer) => informer.stop()));
  }

  #holder({ key, ownerLabels, wake }: TargetWatchHold, id: string): Holder {
    const [pair, ...more] = Object.entries(ownerLabels);
    if (pair === undefined || more.length > 0) throw new TypeError("a watch of a target needs one label of its owner");
    const [label, value] = pair;
    const owner = `${label}=${value}`;
    const before = this.#holders.get(key);
    if (before?.owner === owner) {
      before.wake = wake;
      before.ids.add(id);
      return before;
    }
    const holder: Holder = { label, owner, wake, ids: (before?.ids ?? new Set<string>()).add(id) };
    if (before !== undefined) this.#unroute(before);
    this.#holders.set(key, holder);
    this.#byOwner.set(holder.owner, (this.#byOwner.get(holder.owner) ?? new Set()).add(holder));
    return holder;
  }

  #unroute(holder: Holder): void {
    const holders = this.#byOwner.get(holder.owner);
    if (holders?.delete(holder) === true && holders.size === 0) this.#byOwner.delete(holder.owner);
  }

  #releaseIn(scope: Scope, id: string, key: string): void {
    if (!scope.holds.delete(`${id} ${key}`)) return;
    scope.watches.release(id, key);
    this.#dropUnused(scope);
  }

  /** Owners come and go with their namespaces. */
  #dropUnused(scope: Scope): void {
    if (scope.holds.size > 0 || scope.opened.size > 0) return;
    scope.watches.stop();
    this.#scopes.delete(scope.id);
  }

  #scope(label: string, namespace: string | undefined): Scope {
    const id = `${label} ${namespace ?? ALL}`;
    let scope = this.#scopes.get(id);
    if (scope === undefined) this.#scopes.set(id, (scope = this.#newScope(id, label, namespace)));
    return scope;
  }

  #newScope(id: string, label: string, namespace: string | undefined): Scope {
    const { client, clock, lookUpMs = LOOK_UP_MS } = this.#options;
    const scope: Scope = {
      id,
      label,
      namespace,
      opened: new Set(),
      holds: new Set(),
      watches: new RunTimeWatches({
        controller: "target",
        client,
        clock,
        log: SILENT,
        retryMs: lookUpMs,
        refusalOf: undefined,
        onDefined: undefined,
        onChange: undefined,
        open: (watch, isRouted) => this.#open(scope, watch, isRouted),
        enqueue: (key, cause) => this.#holders.get(key)?.wake(cause),
      }),
    };
    return scope;
  }

  #open(scope: Scope, { kind, form }: DeclaredWatch, isRouted: (event: InformerEvent<KubernetesObject>) => boolean): OpenWatch {
    const { client, clock, random } = this.#options;
    const isMetadata = form === "metadata" || isSecret(kind);
    const changed = (): void => {
      if (!this.#isClosed) scope.watches.kindChanged(kind);
    };
    const informer = createInformer<Kind>({
      client,
      clock,
      random,
      kind: isMetadata ? metadataOnly(kind) : kind,
      labelSelector: scope.label,
      // Our applied fields prove that an object is ours, and show which of them are no longer desired.
      ingest: (object: KubernetesObject) => keepOwnManagedFields(object, this.#managers.get(scope.label) ?? NO_MANAGERS),
      ...(scope.namespace === undefined ? {} : { namespaces: [scope.namespace] }),
      onError: changed,
      onListed: changed,
      onRecovered: changed,
      onWarning: () => undefined,
    });
    const opened: Opened = { id: watchIdOf(kind), scope, informer, isMetadata };
    const kindId = kindIdOf({ ...kind });
    scope.opened.add(opened);
    this.#byKind.set(kindId, (this.#byKind.get(kindId) ?? new Set()).add(opened));
    informer.onEvent((event) => {
      if (isRouted(event)) this.#route(scope.label, kind, event);
    });
    informer.start();
    return {
      informer,
      close: () => {
        scope.opened.delete(opened);
        this.#byKind.get(kindId)?.delete(opened);
        this.#dropUnused(scope);
        return informer.stop();
      },
    };
  }

  #route(label: string, { kind }: Kind, event: InformerEvent<KubernetesObject>): void {
    const objects = event.type === "updated" ? [event.object, event.previous] : [event.object];
    const owners = new Set(objects.map(({ metadata }) => `${label}=${metadata.labels?.[label] ?? ""}`));
    for (const owner of owners)
      for (const { wake } of this.#byOwner.get(owner) ?? [])
        wake(`${kind} ${event.object.metadata.name} was ${event.type} in the target cluster`);
  }

  /** Whether the server refuses the list of a namespaced kind in all namespaces, which it may allow in some. */
  #isForbiddenIn({ opened }: Scope, id: string): boolean {
    return [...opened].some(
      (one) => one.id === id && one.informer.kind.scope === "Namespaced" && isForbidden(one.informer.progress().lastError),
    );
  }

  #informersOf(kind: Kind): readonly Opened[] {
    const needsWhole = !isMetadataOnly(kind) && kind.cachedAs !== "metadata" && !isSecret(kind);
    const found = [...(this.#byKind.get(kindIdOf({ ...kind })) ?? [])];
    return needsWhole ? found.filter(({ isMetadata }) => !isMetadata) : found;
  }

  /** @throws Error where the objects are not known */
  #covering(kind: Kind, namespace: string | undefined): readonly Informer[] {
    if (!this.covers(kind, namespace ?? ALL))
      throw new Error(
        `the watches of the target cluster do not cover ${kind.kind}${namespace === undefined ? "" : ` in namespace ${namespace}`}`,
      );
    return this.#informersOf(kind)
      .filter(({ scope, informer }) => informer.hasSynced && coversIn(scope, informer, namespace ?? ALL))
      .map(({ informer }) => informer);
  }
}
