/**
 * The watches behind `req.watch`, of one handler: kinds that its steps name while they run.
 *
 * Guarantees
 * - A kind is watched once, however many objects hold it. The watch ends a minute after its last hold.
 * - Each change of the state of a watch starts a pass of each object that holds it. Until the first list is complete, its
 *   objects start no passes.
 * - The name of a kind that the server does not serve is looked up again every {@link RunTimeWatchesOptions.retryMs}, and when
 *   a pass asks, at most once a second. So is a name whose version the server no longer serves: it may serve another one.
 * - A kind that the server does not let any client watch costs no further request while it is held.
 */
import { type Clock, isKindNotServed, isMetadataOnly, type Kind, kindIdOf, type KubernetesObject } from "@treadle/apimachinery";
import { type Client, discovery, type KindName } from "@treadle/client";
import type { InformerEvent } from "@treadle/informer";
import type { Logger } from "@treadle/reconcile";
import { type DeclaredWatch, isKind, type KindWatch, type KindWatches, watchFormOf, watchIdOf } from "@treadle/reconcile/unstable/engine";
import { messageOf } from "../internal/error-text.ts";
import { HeldWatch, type LookedUp, withoutContents } from "./held-watch.ts";
import type { OpenWatch } from "./open-watch.ts";

/** Options of {@link RunTimeWatches}. */
export interface RunTimeWatchesOptions {
  /** Name of the controller, for log lines. */
  readonly controller: string;
  /** Looks up names of kinds. */
  readonly client: Client;
  /** Clock of the operator. */
  readonly clock: Clock;
  /** Gets a line when a kind is not served, cannot be looked up, or is served again. */
  readonly log: Logger;
  /** Time after which a name that was not found is looked up again, in milliseconds. */
  readonly retryMs: number;
  /** Opens the watch of a kind. Events for which `isRouted` returns false start no pass. */
  readonly open: (watch: DeclaredWatch, isRouted: (event: InformerEvent<KubernetesObject>) => boolean) => OpenWatch;
  /** Why the server refuses the watch of a kind. */
  readonly refusalOf: ((kind: Kind) => string | undefined) | undefined;
  /** Queues a pass. */
  readonly enqueue: (key: string, cause: string) => void;
  /** Calls the listener when CRDs of the groups were installed, if that can be known, until the returned function is called. */
  readonly onDefined: ((groups: ReadonlySet<string>, listener: () => void) => () => void) | undefined;
  /** Called when the state of a watch has changed. */
  readonly onChange: (() => void) | undefined;
}

/** Time for which a watch without holders stays open, in milliseconds. The next pass often asks for it again. */
const GRACE_MS = 60_000;
/** Time in which a name that was not found is not looked up again because a pass asks. */
const ASKED_AGAIN_MS = 1_000;

/** The watches of one handler. */
export class RunTimeWatches implements KindWatches {
  readonly #options: RunTimeWatchesOptions;
  readonly #watches = new Map<string, HeldWatch>();
  #lookUp: Promise<void> | undefined;
  #lookedUpAt = Number.NEGATIVE_INFINITY;
  #retry: { cancel(): void } | undefined;
  /** The wait for CRDs in the groups of the names that were not found. */
  #defined: { readonly id: string; readonly end: (() => void) | undefined } = { id: "", end: undefined };
  #isStopped = false;

  constructor(options: RunTimeWatchesOptions) {
    this.#options = options;
  }

  /** As {@link KindWatches.hold}. */
  hold(kind: Kind | KindName, key: string): KindWatch {
    const id = watchIdOf(kind);
    let watch = this.#watches.get(id);
    if (watch === undefined) {
      watch = new HeldWatch(kind);
      this.#watches.set(id, watch);
      if (isKind(kind)) this.#open(watch, kind);
    }
    watch.holders.add(key);
    watch.grace?.cancel();
    watch.grace = undefined;
    if (watch.isUnknown) this.#ask(watch);
    return watch.state;
  }

  /** As {@link KindWatches.release}. */
  release(id: string, key: string): void {
    const watch = this.#watches.get(id);
    if (watch === undefined || !watch.holders.delete(key) || watch.holders.size > 0 || this.#isStopped) return;
    watch.grace = this.#options.clock.after(GRACE_MS, () => {
      this.#watches.delete(id);
      watch.isClosed = true;
      void watch.open?.close(); // Never rejects.
    });
  }

  /** Whether the first list of a kind, or the lookup of its name, is on its way. */
  get isPending(): boolean {
    return [...this.#watches.values()].some((watch) => watch.isPending);
  }

  /** Notes that an informer of the kind has listed, failed or recovered. */
  kindChanged(kind: Kind): void {
    if (this.#watches.size === 0) return;
    for (const watch of this.#watches.values())
      if (watch.kind !== undefined && kindIdOf(watch.kind) === kindIdOf(kind)) this.#changed(watch);
  }

  /** Looks up the names that were not found: a kind was installed. */
  lookUp(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    if (this.#isStopped || this.#lookUp !== undefined) return;
    const unknown = this.#unknown;
    if (unknown.length === 0) return;
    this.#lookUp = this.#lookUpAll(unknown).finally(() => {
      this.#lookUp = undefined;
      this.#lookedUpAt = this.#options.clock.elapsed();
      const left = this.#unknown;
      if (left.some(({ lookedUp }) => lookedUp === undefined)) this.lookUp();
      else this.#lookUpLater(left);
    });
  }

  get #unknown(): readonly HeldWatch[] {
    return [...this.#watches.values()].filter(({ isUnknown }) => isUnknown);
  }

  #lookUpLater(watches: readonly HeldWatch[]): void {
    const { clock, retryMs, onDefined } = this.#options;
    const groups = new Set(this.#isStopped ? [] : watches.map(({ group }) => group));
    this.#retry?.cancel();
    if (groups.size > 0) this.#retry = clock.after(retryMs, () => this.lookUp());
    const id = [...groups].toSorted().join(" ");
    if (id === this.#defined.id) return;
    this.#defined.end?.();
    this.#defined = { id, end: groups.size === 0 ? undefined : onDefined?.(groups, () => this.lookUp()) };
  }

  /** Ends the timers. The informers end with the manager. */
  stop(): void {
    this.#isStopped = true;
    this.#retry?.cancel();
    this.#defined.end?.();
    for (const { grace } of this.#watches.values()) grace?.cancel();
  }

  #ask(watch: HeldWatch): void {
    const isNew = watch.lookedUp === undefined;
    if (isNew || this.#options.clock.elapsed() - this.#lookedUpAt >= ASKED_AGAIN_MS) this.lookUp();
  }

  /** One discovery for all names: it asks the server once, and finds what the server has now. */
  async #lookUpAll(watches: readonly HeldWatch[]): Promise<void> {
    const { client, clock } = this.#options;
    const found = discovery(client, { clock });
    await Promise.all(
      watches.map(async (watch) => {
        const lookedUp: LookedUp = await found.find(watch.given as KindName).then(
          (kind) => ({ kind }),
          (error: unknown) => (isKindNotServed(error) ? { kind: undefined } : { error }),
        );
        if (this.#isStopped || watch.isClosed) return;
        const { kind } = lookedUp as { readonly kind?: Kind & { readonly verbs: readonly string[] } };
        this.#report(watch, lookedUp);
        watch.lookedUp = lookedUp;
        if (kind !== undefined && ["list", "watch"].every((verb) => kind.verbs.includes(verb))) this.#open(watch, withoutContents(kind));
        this.#changed(watch);
      }),
    );
  }

  #report({ name, lookedUp: before }: HeldWatch, lookedUp: LookedUp): void {
    const { log, controller } = this.#options;
    if ("error" in lookedUp) {
      const text = messageOf(lookedUp.error);
      if (before === undefined || !("error" in before) || messageOf(before.error) !== text)
        log.warn({ controller, kind: name }, `cannot look up the kind ${name}: ${text}`);
    } else if (lookedUp.kind === undefined && (before === undefined || "error" in before)) {
      log.warn({ controller, kind: name }, `cannot watch ${name}: the server does not serve it; install its CRD, or correct the name`);
    } else if (lookedUp.kind !== undefined && before !== undefined) log.info({ controller, kind: name }, `${name} is served now`);
  }

  #open(watch: HeldWatch, kind: Kind): void {
    watch.kind = kind;
    const form = watchFormOf(kind, isMetadataOnly(kind));
    const isRouted = (event: InformerEvent<KubernetesObject>): boolean =>
      event.type !== "added" || !event.initial || watch.state.type === "synced";
    watch.open = this.#options.open({ kind, form, by: { type: "owned" } }, isRouted);
    if (watch.lookedUp === undefined) watch.refresh(this.#options.refusalOf);
  }

  #changed(watch: HeldWatch): void {
    if (!watch.refresh(this.#options.refusalOf)) return;
    const { enqueue, onChange } = this.#options;
    const cause = watch.state.type === "synced" ? `the objects of ${watch.name} are listed` : watch.state.reason;
    for (const key of watch.holders) enqueue(key, cause);
    if (watch.isUnwatchable && watch.open !== undefined) {
      void watch.open.close(); // Never rejects.
      watch.open = undefined;
    }
    if (watch.state.type === "not-served" && watch.open !== undefined && !isKind(watch.given)) this.#lookUpAgain(watch);
    onChange?.();
  }

  /** The server no longer serves the version that was found for a name. It may serve the kind in another one. */
  #lookUpAgain(watch: HeldWatch): void {
    void watch.open?.close(); // Never rejects.
    watch.open = undefined;
    watch.kind = undefined;
    watch.lookedUp = { kind: undefined };
    if (this.#options.clock.elapsed() - this.#lookedUpAt >= ASKED_AGAIN_MS) this.lookUp();
    // The list of the kinds and the kinds themselves may disagree for a moment.
    else if (this.#lookUp === undefined) this.#lookUpLater(this.#unknown);
  }
}
