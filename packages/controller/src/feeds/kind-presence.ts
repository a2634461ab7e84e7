/**
 * Tracks which watched kinds the server does not serve, because CRDs may be installed, removed and installed again at any
 * time. The informers list such a kind again every 10 s; an operator that may watch CRDs lists it immediately. It also tracks
 * the kinds whose watch the server refuses, because rights may be removed and granted again.
 */
import {
  type ApiError,
  apiVersionOf,
  type Clock,
  isApiError,
  isForbidden,
  isKindNotServed,
  type Kind,
  kindIdOf,
  metadataOnly,
  type Random,
} from "@treadle/apimachinery";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";
import { createInformer, type Informer, type InformerErrorSource, type InformerEvent } from "@treadle/informer";
import type { Logger } from "@treadle/reconcile";

export interface KindPresenceOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The informer of a kind, which is asked to list again. */
  readonly informerOf: (kind: Kind) => Informer | undefined;
  /** Called when the server began or ceased to serve a kind, or to allow its watch. */
  readonly onChange: (kind: Kind) => void;
  /** Whether every declaration of the kind says that steps do without it; see `optionalKindsOf`. @defaultValue no kind */
  readonly isOptional?: (kind: Kind) => boolean;
}

/** A CRD is served a moment after its status reports it. */
const ASK_AGAIN_AFTER_MS = [250, 1000] as const;

export class KindPresence {
  readonly #options: KindPresenceOptions;
  readonly #missing = new Map<string, Kind>();
  /** The reason of each refusal, by kind. */
  readonly #refusals = new Map<string, string>();
  /** The kinds that no client may watch. An informer lists them now and then, and that changes nothing. */
  readonly #unwatchable = new Set<string>();
  #waiting: readonly (() => void)[] = [];
  #definitions: Informer | undefined;
  /** The operator may not watch CRDs; it does not ask again. */
  #isRefused = false;
  #isStopped = false;
  readonly #timers = new Set<{ cancel(): void }>();
  readonly #awaited = new Set<AwaitedGroups>();

  constructor(options: KindPresenceOptions) {
    this.#options = options;
  }

  /** Whether the server serves `kind`, as far as is known. */
  isServed(kind: Kind): boolean {
    return this.#missing.size === 0 || !this.#missing.has(kindIdOf(kind));
  }

  /** Whether the start waits for the objects of `kind`. It waits neither for a kind that is not served nor for a refused optional kind. */
  isAwaited(kind: Kind): boolean {
    return this.isServed(kind) && !(this.refusalOf(kind) !== undefined && this.#options.isOptional?.(kind) === true);
  }

  /** Why the server refuses the watch of `kind`, and the fix; undefined: it does not, as far as is known. */
  refusalOf(kind: Kind): string | undefined {
    return this.#refusals.size === 0 ? undefined : this.#refusals.get(kindIdOf(kind));
  }

  /** Notes a failure of an informer. */
  failed(error: unknown, where: InformerErrorSource, kind: Kind): void {
    if ((where === "list" || where === "watch") && isRefusal(error)) this.#refused(error, where, kind);
    if ((where !== "list" && where !== "watch") || !isKindNotServed(error) || !this.isServed(kind)) return;
    this.#missing.set(kindIdOf(kind), kind);
    this.#options.log.warn(
      { kind: kind.kind, apiVersion: apiVersionOf(kind) },
      `cannot watch ${kind.kind}: the server does not serve ${apiVersionOf(kind)} ${kind.plural}, so steps that need it wait, and the others run; install the CRD ${kind.plural}.${kind.group}, or check the version`,
    );
    for (const resolve of this.#waiting) resolve();
    this.#options.onChange(kind);
    this.#watchDefinitions();
  }

  /** Notes that an informer has listed. */
  listed(kind: Kind): void {
    if (!this.#missing.delete(kindIdOf(kind))) return;
    this.#options.log.info({ kind: kind.kind, apiVersion: apiVersionOf(kind) }, `${kind.kind} (${apiVersionOf(kind)}) is served now`);
    this.#unwatchUnlessNeeded();
    this.#options.onChange(kind);
  }

  /**
   * Calls `listener` a moment after CRDs of the groups were installed, if the operator may watch CRDs. For kinds of which only
   * the name is known. Returns a function that ends it.
   */
  onDefined(groups: ReadonlySet<string>, listener: () => void): () => void {
    const awaited = { groups, listener, isSoon: false };
    this.#awaited.add(awaited);
    this.#watchDefinitions();
    return () => {
      this.#awaited.delete(awaited);
      this.#unwatchUnlessNeeded();
    };
  }

  /** Notes that an informer has recovered. */
  recovered(kind: Kind): void {
    if (this.#unwatchable.has(kindIdOf(kind))) return;
    // One of several namespaces may still be refused.
    if (isRefusal(this.#options.informerOf(kind)?.progress().lastError) || !this.#refusals.delete(kindIdOf(kind))) return;
    this.#options.log.info({ kind: kind.kind, apiVersion: apiVersionOf(kind) }, `${kind.kind} is watched again`);
    this.#options.onChange(kind);
  }

  /** Notes that an informer of `kind` was removed. */
  forget(kind: Kind): void {
    // Another form of the kind, metadata or whole objects, may still be watched.
    if (this.#options.informerOf(metadataOnly(kind)) !== undefined) return;
    this.#refusals.delete(kindIdOf(kind));
    this.#unwatchable.delete(kindIdOf(kind));
    if (this.#missing.delete(kindIdOf(kind))) this.#unwatchUnlessNeeded();
  }

  /** Resolves when the informer has synced, or its kind is known not to be {@link isAwaited}. Rejects with the signal's reason. */
  async settled(informer: Informer, signal: AbortSignal): Promise<void> {
    if (!informer.hasSynced) await this.unlessMissing(informer.kind, informer.synced(signal));
  }

  /** Resolves with `listed`, and when `kind` is known not to be {@link isAwaited}. Rejects with `listed`. */
  async unlessMissing(kind: Kind, listed: Promise<void>): Promise<void> {
    let isOver = false;
    const over = listed.then(() => {
      isOver = true;
    });
    while (!isOver && this.isAwaited(kind)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = [...this.#waiting, resolve];
      await Promise.race([over, promise]).finally(() => {
        this.#waiting = this.#waiting.filter((other) => other !== resolve);
      });
    }
    over.catch(() => undefined); // It may still fail for a missing kind.
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unwatchDefinitions();
  }

  #refused(error: ApiError, verb: "list" | "watch", kind: Kind): void {
    if (this.#refusals.has(kindIdOf(kind))) return;
    const what = `${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`;
    if (error.status === NO_SUCH_VERB) this.#unwatchable.add(kindIdOf(kind));
    this.#refusals.set(kindIdOf(kind), refusalText(error, verb, what));
    if (this.#options.isOptional?.(kind) === true) for (const resolve of this.#waiting) resolve();
    this.#options.onChange(kind);
  }

  /** Watches the metadata of CRDs, which needs no right to their schemas. Stops without a log line if the server refuses it. */
  #watchDefinitions(): void {
    if (this.#definitions !== undefined || this.#isRefused || this.#isStopped) return;
    const { client, clock, random } = this.#options;
    const definitions: Informer = createInformer({
      client,
      kind: metadataOnly(CustomResourceDefinition),
      clock,
      random,
      onError: (error) => {
        if (!isForbidden(error) && !isKindNotServed(error)) return;
        this.#isRefused = true;
        this.#unwatchDefinitions();
      },
    }) as unknown as Informer; // Only the names of its objects are read.
    this.#definitions = definitions;
    definitions.onEvent((event: InformerEvent<{ readonly metadata: { readonly name: string } }>) => {
      if (event.type === "deleted") return;
      const { name } = event.object.metadata;
      this.#defined(name);
      if (event.type !== "added" || !event.initial) this.#definedIn(name.slice(name.indexOf(".") + 1));
    });
    definitions.start();
  }

  #unwatchUnlessNeeded(): void {
    if (this.#missing.size === 0 && this.#awaited.size === 0) this.#unwatchDefinitions();
  }

  #unwatchDefinitions(): void {
    void this.#definitions?.stop(); // Never rejects.
    this.#definitions = undefined;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #defined(name: string): void {
    for (const kind of this.#missing.values()) {
      if (name !== `${kind.plural}.${kind.group}`) continue;
      this.#options.informerOf(kind)?.retry();
      this.#soon(() => {
        if (!this.isServed(kind)) this.#options.informerOf(kind)?.retry();
      });
    }
  }

  #definedIn(group: string): void {
    for (const awaited of this.#awaited) {
      if (awaited.isSoon || !awaited.groups.has(group)) continue;
      awaited.isSoon = true;
      this.#soon(() => {
        awaited.isSoon = false;
        if (this.#awaited.has(awaited)) awaited.listener();
      });
    }
  }

  #soon(run: () => void): void {
    for (const afterMs of ASK_AGAIN_AFTER_MS) {
      const timer = this.#options.clock.after(afterMs, () => {
        this.#timers.delete(timer);
        run();
      });
      this.#timers.add(timer);
    }
  }
}

interface AwaitedGroups {
  readonly groups: ReadonlySet<string>;
  readonly listener: () => void;
  /** Whether the listener will be called: one installation is several events. */
  isSoon: boolean;
}

/** The status of a server that does not list or watch a kind for any client. */
const NO_SUCH_VERB = 405;
const REFUSALS: readonly number[] = [401, 403, NO_SUCH_VERB];

function isRefusal(error: unknown): error is ApiError {
  return isApiError(error) && REFUSALS.includes(error.status);
}

function refusalText(error: ApiError, verb: "list" | "watch", what: string): string {
  if (error.status === NO_SUCH_VERB)
    return `the server offers no ${verb} of ${what} to any client: read them with { watch: false }, and leave them out of owns and watch()`;
  if (isForbidden(error)) return `the operator may not ${verb} ${what}: allow list and watch of them to its service account`;
  return `the server does not accept the operator's credentials for ${verb} of ${what}: renew them`;
}
