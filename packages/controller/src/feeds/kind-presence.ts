/**
 * Which of the watched kinds the server does not serve: their CRDs may be installed after the operator, removed, and
 * installed again. The informers find out by asking again every 10 s; where the operator may watch CRDs, at once.
 * And of which kinds it refuses the watch: rights may be taken away, and given back.
 */
import {
  type ApiError,
  apiVersionOf,
  type Clock,
  isApiError,
  isForbidden,
  isKindNotServed,
  type Kind,
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
  /** The informer of a kind, to be told that the kind may be there. */
  readonly informerOf: (kind: Kind) => Informer | undefined;
  /** A kind came or went. */
  readonly onChange: (kind: Kind) => void;
}

/** A CRD is served a moment after it says so. */
const ASK_AGAIN_AFTER_MS = [250, 1000] as const;

export class KindPresence {
  readonly #options: KindPresenceOptions;
  readonly #missing = new Map<string, Kind>();
  /** Why, by kind. */
  readonly #refusals = new Map<string, string>();
  #waiting: readonly (() => void)[] = [];
  #definitions: Informer | undefined;
  /** The operator may not watch CRDs: it is not asked for again. */
  #isRefused = false;
  #isStopped = false;
  readonly #timers = new Set<{ cancel(): void }>();

  constructor(options: KindPresenceOptions) {
    this.#options = options;
  }

  /** Whether the server serves `kind`, as far as is known. */
  isServed(kind: Kind): boolean {
    return this.#missing.size === 0 || !this.#missing.has(idOf(kind));
  }

  /** Why the server refuses the watch of `kind`, and what to do; `undefined`: it does not, as far as is known. */
  refusalOf(kind: Kind): string | undefined {
    return this.#refusals.size === 0 ? undefined : this.#refusals.get(idOf(kind));
  }

  /** An informer failed. */
  failed(error: unknown, where: InformerErrorSource, kind: Kind): void {
    if ((where === "list" || where === "watch") && isRefusal(error)) this.#refused(error, where, kind);
    if ((where !== "list" && where !== "watch") || !isKindNotServed(error) || !this.isServed(kind)) return;
    this.#missing.set(idOf(kind), kind);
    this.#options.log.warn(
      { kind: kind.kind, apiVersion: apiVersionOf(kind) },
      `cannot watch ${kind.kind}: the server does not serve ${apiVersionOf(kind)} ${kind.plural}, so what needs it waits and the rest goes on; install the CRD ${kind.plural}.${kind.group}, or check the version`,
    );
    for (const resolve of this.#waiting) resolve();
    this.#options.onChange(kind);
    this.#watchDefinitions();
  }

  /** An informer has listed. */
  listed(kind: Kind): void {
    if (!this.#missing.delete(idOf(kind))) return;
    this.#options.log.info({ kind: kind.kind, apiVersion: apiVersionOf(kind) }, `${kind.kind} (${apiVersionOf(kind)}) is there now`);
    if (this.#missing.size === 0) this.#unwatchDefinitions();
    this.#options.onChange(kind);
  }

  /** An informer works again. */
  recovered(kind: Kind): void {
    // One of several namespaces may still be refused.
    if (isRefusal(this.#options.informerOf(kind)?.progress().lastError) || !this.#refusals.delete(idOf(kind))) return;
    this.#options.log.info({ kind: kind.kind, apiVersion: apiVersionOf(kind) }, `${kind.kind} is watched again`);
    this.#options.onChange(kind);
  }

  /** An informer of `kind` was removed. */
  forget(kind: Kind): void {
    // Its metadata, or the whole of it, may still be watched.
    if (this.#options.informerOf(metadataOnly(kind)) !== undefined) return;
    this.#refusals.delete(idOf(kind));
    if (this.#missing.delete(idOf(kind)) && this.#missing.size === 0) this.#unwatchDefinitions();
  }

  /** Resolves when the informer has synced, or its kind is known not to be served. Rejects with the signal's reason. */
  async settled(informer: Informer, signal: AbortSignal): Promise<void> {
    if (!informer.hasSynced) await this.unlessMissing(informer.kind, informer.synced(signal));
  }

  /** Resolves with `listed`, and when `kind` is known not to be served. Rejects with `listed`. */
  async unlessMissing(kind: Kind, listed: Promise<void>): Promise<void> {
    let isOver = false;
    const over = listed.then(() => {
      isOver = true;
    });
    while (!isOver && this.isServed(kind)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = [...this.#waiting, resolve];
      await Promise.race([over, promise]).finally(() => {
        this.#waiting = this.#waiting.filter((other) => other !== resolve);
      });
    }
    over.catch(() => undefined); // Of a kind that is missing it may still fail.
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unwatchDefinitions();
  }

  #refused(error: ApiError, verb: "list" | "watch", kind: Kind): void {
    if (this.#refusals.has(idOf(kind))) return;
    const what = `${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`;
    const why = isForbidden(error)
      ? `the operator may not ${verb} ${what}: allow list and watch of them to its service account`
      : `the server does not accept the operator's credentials for ${verb} of ${what}: renew them`;
    this.#refusals.set(idOf(kind), why);
    this.#options.onChange(kind);
  }

  /** Metadata is enough: whoever may see it need not see schemas. Silently given up where it is forbidden. */
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
    }) as unknown as Informer; // Its objects matter by their names alone.
    this.#definitions = definitions;
    definitions.onEvent((event: InformerEvent<{ readonly metadata: { readonly name: string } }>) => {
      if (event.type !== "deleted") this.#defined(event.object.metadata.name);
    });
    definitions.start();
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
      for (const afterMs of ASK_AGAIN_AFTER_MS) {
        const timer = this.#options.clock.after(afterMs, () => {
          this.#timers.delete(timer);
          if (!this.isServed(kind)) this.#options.informerOf(kind)?.retry();
        });
        this.#timers.add(timer);
      }
    }
  }
}

function isRefusal(error: unknown): error is ApiError {
  return isApiError(error) && (error.status === 403 || error.status === 401);
}

/** A kind as the server knows it: its version counts, its form does not. */
export function idOf(kind: Kind): string {
  return `${apiVersionOf(kind)}/${kind.kind}`;
}
