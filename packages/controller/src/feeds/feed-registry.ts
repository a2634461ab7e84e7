/**
 * The feeds of a manager, one for each informer. The informer of a kind that a handler declares exists as long as the
 * manager runs; the informer of any other kind exists as long as it has users. It holds metadata only, or whole objects.
 */
import { type Kind, metadataOnly } from "@treadle/apimachinery";
import type { Informer, Informers, InformerScope } from "@treadle/informer";
import type { DeclaredWatch } from "@treadle/reconcile/unstable/engine";
import { createEventFeed, type EventFeed } from "./event-feed.ts";

/** Options of {@link FeedRegistry}. */
export interface FeedRegistryOptions {
  /** The informers that the feeds share. */
  readonly informers: Informers;
  /** Returns what the informer of a kind selects. */
  readonly scopeOf: (kind: Kind) => InformerScope<Kind>;
  /** Called for every event. */
  readonly onEvent?: () => void;
  /** Called when the last user of a kind in this form closed its feed, and its informer was removed. */
  readonly onRemoved?: (kind: Kind) => void;
}

/** A feed that has one more user until it is closed. */
export interface OpenFeed {
  /** The feed. */
  readonly feed: EventFeed;
  /** Call it once. */
  close(): Promise<void>;
}

/** Finds and opens feeds by kind. */
export class FeedRegistry {
  readonly #options: FeedRegistryOptions;
  readonly #feeds = new Map<Informer, EventFeed>();
  /** The number of users of each kind that no handler declares. */
  readonly #users = new Map<Informer, number>();

  constructor(options: FeedRegistryOptions) {
    this.#options = options;
  }

  /** The feed of a kind that is watched, in any form. */
  find(kind: Kind): EventFeed | undefined {
    const informer: Informer | undefined = this.#options.informers.get(metadataOnly(kind));
    return informer && this.#of(informer);
  }

  /** The feeds of a kind that is watched: of whole objects, of metadata, or of both. */
  all(kind: Kind): readonly EventFeed[] {
    const { informers } = this.#options;
    const found = [informers.get(metadataOnly(kind)), informers.get(kind)] as readonly (Informer | undefined)[];
    return [...new Set(found)].filter((informer) => informer !== undefined).map((informer) => this.#of(informer));
  }

  /** The feed of a declared kind. */
  of(kind: Kind): EventFeed {
    const feed = this.find(kind);
    if (feed === undefined) throw new Error(`unreachable: ${kind.kind} is declared, so there is an informer of it`);
    return feed;
  }

  /** The feed of a kind that is watched from now on. */
  open({ kind, form }: DeclaredWatch): OpenFeed {
    const { informers, scopeOf } = this.#options;
    const wanted = form === "metadata" ? metadataOnly(kind) : kind;
    const known: Informer | undefined = informers.get(wanted);
    if (known !== undefined && !this.#users.has(known)) return { feed: this.#of(known), close: async () => undefined };
    const informer: Informer = known ?? informers.for<Kind>(wanted, scopeOf(wanted));
    this.#users.set(informer, (this.#users.get(informer) ?? 0) + 1);
    return { feed: this.#of(informer), close: () => this.#close(informer) };
  }

  /** Whether the informer is removed with its last user. */
  isTransient(informer: Informer): boolean {
    return this.#users.has(informer);
  }

  #of(informer: Informer): EventFeed {
    let feed = this.#feeds.get(informer);
    if (feed === undefined) {
      feed = createEventFeed(informer);
      this.#feeds.set(informer, feed);
      const { onEvent } = this.#options;
      if (onEvent !== undefined) informer.onEvent(onEvent);
    }
    return feed;
  }

  async #close(informer: Informer): Promise<void> {
    const left = (this.#users.get(informer) ?? 0) - 1;
    if (left > 0) {
      this.#users.set(informer, left);
      return;
    }
    this.#users.delete(informer);
    this.#feeds.delete(informer);
    await this.#options.informers.remove(informer);
    this.#options.onRemoved?.(informer.kind);
  }
}
