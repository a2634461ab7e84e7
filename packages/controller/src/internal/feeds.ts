/**
 * The feeds of a manager: one for each informer. Of a kind that handlers declare there is one informer, of its metadata or
 * of the whole, as long as the manager runs; of another one as long as somebody watches it.
 */
import { type Kind, metadataOnly } from "@treadle/apimachinery";
import type { Informer, Informers, InformerScope } from "@treadle/informer";
import type { DeclaredWatch } from "@treadle/reconcile/unstable/engine";
import { createFeed, type Feed } from "../feed.ts";

export interface FeedsOptions {
  readonly informers: Informers;
  readonly scopeOf: (kind: Kind) => InformerScope<Kind>;
  /** Told of every event. */
  readonly onEvent: () => void;
  /** The last who watched a kind in this form is gone, and so is its informer. */
  readonly onRemoved: (kind: Kind) => void;
}

/** A feed that somebody opened. */
export interface OpenFeed {
  readonly feed: Feed;
  /** Call it once. */
  close(): Promise<void>;
}

export class Feeds {
  readonly #options: FeedsOptions;
  readonly #feeds = new Map<Informer, Feed>();
  /** Of what no handler declares: how many watch it. */
  readonly #users = new Map<Informer, number>();

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  /** The feed of a kind that is watched, in whatever form. */
  find(kind: Kind): Feed | undefined {
    const informer: Informer | undefined = this.#options.informers.get(metadataOnly(kind));
    return informer && this.#of(informer);
  }

  /** The same of a declared one. */
  of(kind: Kind): Feed {
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

  /** Whether it comes and goes with those who watch it. */
  isTransient(informer: Informer): boolean {
    return this.#users.has(informer);
  }

  #of(informer: Informer): Feed {
    let feed = this.#feeds.get(informer);
    if (feed === undefined) {
      feed = createFeed(informer);
      this.#feeds.set(informer, feed);
      informer.onEvent(this.#options.onEvent);
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
    this.#options.onRemoved(informer.kind);
  }
}
