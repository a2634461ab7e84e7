/** The services of a manager as its runnables get them. */
import { type Cache, orAborted } from "@treadle/apimachinery";
import type { Shared } from "@treadle/reconcile/unstable/engine";
import type { KindPresence } from "../feeds/kind-presence.ts";
import type { Undo } from "../internal/promises.ts";
import { ManagerError } from "../manager-error.ts";
import type { NamedWork, Runnable, RunnableEnv } from "../runnable.ts";
import type { Health } from "../servers/health.ts";
import { needsLeader } from "./needs.ts";
import type { Services } from "./services.ts";

/** What runnables get besides the services of the manager. */
export interface RunnableParts {
  /** The caches of the informers. */
  readonly cache: Cache;
  readonly presence: Pick<KindPresence, "isServed" | "refusalOf">;
  readonly health: Pick<Health, "addReadyzCheck">;
  readonly shared: Shared;
  /** Remaining time for the stop of one runnable, in milliseconds. */
  readonly stopMs: () => number;
}

/** Makes the services of runnables, and knows whether the caches have synced. */
export class RunnableEnvs {
  readonly #services: Services;
  readonly #parts: RunnableParts;
  readonly #cache: Cache;
  readonly #synced = Promise.withResolvers<void>();
  #hasSynced = false;

  constructor(services: Services, parts: RunnableParts) {
    this.#services = services;
    this.#parts = parts;
    const { cache } = parts;
    this.#cache = {
      get: (kind, ref) => (this.#requireSynced(), cache.get(kind, ref)),
      list: (kind, options) => (this.#requireSynced(), cache.list(kind, options)),
    };
    this.#synced.promise.catch(() => undefined); // Nobody may wait.
  }

  /** Notes that the caches have synced. */
  synced(): void {
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  /** Notes that the caches will never sync. */
  failed(error: unknown): void {
    this.#synced.reject(error);
  }

  /** Makes the services of a runnable. What it adds to the manager is removed by `undo`. */
  of(runnable: Runnable, undo: Undo[]): RunnableEnv {
    const { clock, random, log, client, writer, isDryRun, metrics } = this.#services;
    const { health, presence, shared, stopMs } = this.#parts;
    return {
      clock,
      random,
      log,
      // Without a leader election both are the same, but for a dry run.
      client: needsLeader(runnable) || isDryRun ? writer : client,
      cache: this.#cache,
      isServed: (kind) => presence.isServed(kind),
      refusalOf: (kind) => presence.refusalOf(kind),
      synced: (signal) => orAborted(this.#synced.promise, signal),
      shared: (key, make) => shared.get(key, make),
      metrics: async () => metrics?.registry,
      addReadyzCheck: (name, check) => void undo.push(health.addReadyzCheck(name, check)),
      named: (work, run, signal) => this.#named(runnable, { work, signal }, run),
      isDryRun,
      stopMs,
    };
  }

  #requireSynced(): void {
    if (this.#hasSynced) return;
    throw new ManagerError(
      "ERR_NOT_SYNCED",
      "cannot read from the caches: they have not synced, and may wait for what this runnable serves: await env.synced(signal) first, outside of start()",
    );
  }

  #named<T>({ name = "(unnamed)" }: Runnable, { work, signal }: Named, run: () => T): T {
    const watch = this.#services.monitor?.beganWork(name, work);
    if (watch === undefined) return run();
    let isPending = false;
    try {
      const result = run();
      // Not any thenable: a lazy one would start its work at each then().
      isPending = result instanceof Promise;
      if (result instanceof Promise) {
        // A promise may never settle. Its work would stay a suspect for the life of the process.
        signal?.().addEventListener("abort", watch.ended, { once: true });
        void result.then(watch.ended, watch.ended);
      }
      return result;
    } finally {
      if (isPending) watch.returned();
      else watch.ended();
    }
  }
}

interface Named {
  readonly work: NamedWork;
  readonly signal: (() => AbortSignal) | undefined;
}
