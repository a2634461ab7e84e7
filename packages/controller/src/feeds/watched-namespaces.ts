/**
 * Which namespaces a manager watches, also when that changes while it runs. Order is everything: passes in a namespace that
 * goes end before its objects leave the caches, and none begins in one that comes before all caches have listed it; else a
 * pass would take for deleted, or for not there, what is only not known.
 */
import { orAborted } from "@treadle/apimachinery";
import type { Informer, Informers } from "@treadle/informer";
import type { Logger } from "@treadle/reconcile";
import { checkNamespaces } from "../manager/check-options.ts";
import type { MayPass } from "./kind-services.ts";
import type { KindPresence } from "./kind-presence.ts";

export interface WatchedNamespacesOptions {
  readonly log: Logger;
  readonly informers: Informers;
  readonly presence: Pick<KindPresence, "isServed" | "unlessMissing">;
  readonly controllers: readonly PassGate[];
}

/** A controller whose passes wait while the watched namespaces change. */
export interface PassGate {
  /** Resolves when no pass is in progress for an object in such a namespace. */
  passesEnded(isConcerned: (namespace: string | undefined) => boolean): Promise<void>;
  /** Queues the keys that waited. */
  namespacesChanged(): void;
}

export class WatchedNamespaces {
  readonly #options: WatchedNamespacesOptions;
  /** The change in progress, if there is one. */
  #change: { readonly wanted: ReadonlySet<string> | undefined } | undefined;

  constructor(options: WatchedNamespacesOptions) {
    this.#options = options;
  }

  /** Whether a pass for a primary in `namespace` may begin. */
  mayPass(primary: Informer, namespace: string | undefined): MayPass {
    const isKnown = primary.covers(namespace);
    if (namespace === undefined || this.#change === undefined) return isKnown ? "now" : "never";
    if (!this.#isWanted(namespace)) return isKnown ? "later" : "never";
    const { informers, presence } = this.#options;
    return informers.all().every((informer) => informer.covers(namespace) || !presence.isServed(informer.kind)) ? "now" : "later";
  }

  /** A cache has listed something. */
  listed(): void {
    if (this.#change !== undefined) for (const controller of this.#options.controllers) controller.namespacesChanged();
  }

  /** See `Manager.setNamespaces`; the signal ends the wait alone. */
  async set(namespaces: readonly string[] | undefined, signal?: AbortSignal): Promise<void> {
    checkNamespaces("setNamespaces", namespaces);
    const changed = this.#carryOut(namespaces);
    await orAborted(changed, signal);
  }

  async #carryOut(namespaces: readonly string[] | undefined): Promise<void> {
    const { informers, presence, controllers, log } = this.#options;
    const change = { wanted: namespaces === undefined ? undefined : new Set(namespaces) };
    this.#change = change;
    await Promise.all(controllers.map((controller) => controller.passesEnded((namespace) => !this.#isWanted(namespace))));
    if (this.#change !== change) return;
    // All at once, then each by itself: of one that the server does not serve nothing will come.
    void informers.setNamespaces(namespaces);
    await Promise.all(informers.all().map((informer) => presence.unlessMissing(informer.kind, informer.setNamespaces(namespaces))));
    if (this.#change !== change) return;
    this.#change = undefined;
    for (const controller of controllers) controller.namespacesChanged();
    log.info({ namespaces: namespaces ?? "all" }, "the watched namespaces have changed");
  }

  #isWanted(namespace: string | undefined): boolean {
    const wanted = this.#change?.wanted;
    return wanted === undefined || namespace === undefined || wanted.has(namespace);
  }
}
