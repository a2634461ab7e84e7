/**
 * The namespaces that a manager watches, which may change while it runs. Passes in a removed namespace end before its objects
 * leave the caches, and no pass begins in an added namespace before all caches have listed it. Otherwise a pass would treat
 * objects as deleted that are only unknown.
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
  readonly presence: Pick<KindPresence, "isAwaited" | "unlessMissing">;
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
    return informers.all().every((informer) => informer.covers(namespace) || !presence.isAwaited(informer.kind)) ? "now" : "later";
  }

  /** Notes that a cache has listed. */
  listed(): void {
    if (this.#change !== undefined) for (const controller of this.#options.controllers) controller.namespacesChanged();
  }

  /** See `Manager.setNamespaces`; the signal ends only the wait. */
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
    // All together, then each alone: an informer of a kind that the server does not serve never lists.
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
