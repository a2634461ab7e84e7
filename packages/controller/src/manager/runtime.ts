/**
 * What runs between the start and the stop of a manager. Parts are started in one order and stopped in the reverse order,
 * also when the start fails half-way.
 */
import { Fetches, Shared } from "@treadle/reconcile/unstable/engine";
import type { Informers } from "@treadle/informer";
import { HandlerController } from "../controller/handler-controller.ts";
import { sourceRunnables } from "../controller/source-runnables.ts";
import { FeedRegistry } from "../feeds/feed-registry.ts";
import { syncError } from "../feeds/informer-failures.ts";
import type { KindPresence } from "../feeds/kind-presence.ts";
import { makeInformers } from "../feeds/make-informers.ts";
import { WatchedNamespaces } from "../feeds/watched-namespaces.ts";
import { errorFields } from "../internal/error-text.ts";
import { type Undo, unwind, within } from "../internal/promises.ts";
import type { ManagerAddresses } from "../manager.ts";
import type { Runnable } from "../runnable.ts";
import type { Health } from "../servers/health.ts";
import { type HttpServer, type HttpServerOptions, listen } from "../servers/http-server.ts";
import type { Assignment } from "./additions.ts";
import { LeaderWork } from "./leader-work.ts";
import { needsCaches, needsLeader, readsOf } from "./needs.ts";
import { RunnableEnvs } from "./runnable-env.ts";
import type { Services } from "./services.ts";
import { ShutdownBudget } from "./shutdown-budget.ts";
import { type RunnablesOptions, startRunnables } from "./start-runnables.ts";
import { releaseStartMemory } from "./start-memory.ts";
import { limitYoungSpace } from "./young-space.ts";

/** What a runtime runs. */
export interface RuntimeParts {
  readonly assignments: readonly Assignment[];
  readonly runnables: readonly Runnable[];
  /** The namespaces that are watched at the start; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly health: Pick<Health, "addReadyzCheck" | "servesCaches">;
}

/** The running parts of one manager. */
export class Runtime {
  readonly informers: Informers;
  readonly presence: KindPresence;
  readonly namespaces: WatchedNamespaces;
  readonly feeds: FeedRegistry;
  readonly controllers: readonly HandlerController[];
  readonly #services: Services;
  readonly #parts: RuntimeParts;
  readonly #budget: ShutdownBudget;
  readonly #work: LeaderWork;
  readonly #envs: RunnableEnvs;
  readonly #starting: RunnablesOptions;
  readonly #shared: Shared;
  readonly #servers = new Map<string, HttpServer>();
  readonly #undo: Undo[] = [];
  #left: Promise<void> | undefined;

  /** Makes the parts; nothing runs yet. @throws ManagerError ERR_CACHE */
  constructor(services: Services, parts: RuntimeParts) {
    this.#services = services;
    this.#parts = parts;
    const { options, clock, log, signal, onChange } = services;
    const { assignments, namespaces, runnables, health } = parts;
    this.#budget = new ShutdownBudget(clock, options.gracefulShutdownMs ?? 30_000);
    this.#shared = options.shared ?? new Shared();
    const { informers, presence, scopeOf } = makeInformers(services, {
      handlers: assignments.map(({ handler }) => handler),
      reads: readsOf(runnables),
      namespaces,
      presenceChanged: (kind) => {
        for (const controller of this.controllers) controller.presenceChanged(kind);
      },
      onListed: () => this.namespaces.listed(),
      kindChanged: (kind) => {
        for (const controller of this.controllers) controller.kindChanged(kind);
      },
    });
    const controllers: HandlerController[] = [];
    this.informers = informers;
    this.presence = presence;
    this.controllers = controllers;
    this.namespaces = new WatchedNamespaces({ log, informers, presence, controllers });
    this.feeds = new FeedRegistry({ informers, scopeOf, onEvent: onChange, onRemoved: (kind) => presence.forget(kind) });
    const kinds = {
      informers,
      feeds: this.feeds,
      presence,
      fetches: new Fetches(),
      shared: this.#shared,
      mayPass: this.namespaces.mayPass.bind(this.namespaces),
    };
    for (const { handler, options: given } of assignments) controllers.push(new HandlerController(handler, given, services, kinds));
    const stopMs = (): number => this.#budget.forRunnables();
    this.#envs = new RunnableEnvs(services, { cache: informers.cache, presence, health, shared: this.#shared, stopMs });
    this.#starting = { clock, signal, stopMs, envOf: (runnable, undo) => this.#envs.of(runnable, undo) };
    this.#work = new LeaderWork(services, {
      controllers,
      starting: this.#starting,
      runnables: [...runnables.filter(needsLeader), ...this.#sources()],
      budget: this.#budget,
    });
  }

  /** Whether the first list of a kind that steps watch by `req.watch` is on its way. */
  get isListing(): boolean {
    return this.controllers.some((controller) => controller.isListing);
  }

  /** The addresses of the servers that listen. */
  get addresses(): ManagerAddresses {
    return Object.fromEntries([...this.#servers].map(([name, { host, port, url }]) => [name, { host, port, url }]));
  }

  /** Starts everything. When it rejects, everything that it started was stopped. */
  async start(servers: readonly HttpServerOptions[]): Promise<void> {
    try {
      await this.#start(servers);
    } catch (error) {
      await unwind(this.#undo).catch(() => undefined); // The first error is the one that matters.
      throw error;
    }
  }

  /** Stops everything. Rejects when a part did not end well; the other parts are stopped all the same. */
  async stop(): Promise<void> {
    await unwind(this.#undo);
  }

  async #start(servers: readonly HttpServerOptions[]): Promise<void> {
    const { clock, closeClient, monitor, election, signal, onFailed } = this.#services;
    const { runnables, assignments, health } = this.#parts;
    const [undo, budget, work] = [this.#undo, this.#budget, this.#work];
    undo.push(
      limitYoungSpace(),
      () => monitor?.stop(),
      // A connection that does not close must not keep the process from ending.
      async () => void (await within(clock, budget.forTheRest(), closeClient())),
      () => this.#leave(),
    );
    monitor?.start();
    await this.#listen(servers);
    signal.throwIfAborted();
    const early = runnables.filter((runnable) => !needsCaches(runnable));
    await startRunnables(early, this.#starting, undo);
    if (early.length > 0) health.servesCaches();
    undo.push(
      async () => void (await Promise.all([this.presence.stop(), this.informers.stop()])),
      () => {
        for (const { options } of assignments) for (const source of options.sources ?? []) source.close?.();
      },
    );
    this.informers.startAll();
    await this.#synced();
    undo.push(releaseStartMemory());
    const free = runnables.filter((runnable) => needsCaches(runnable) && !needsLeader(runnable));
    await startRunnables(free, this.#starting, undo);
    signal.throwIfAborted();
    undo.push(
      // Another replica takes over while runnables of this one still stop. A failure is reported where it is awaited, above.
      () => void this.#leave().catch(() => undefined),
      () => work.stop(election?.lost),
      () => budget.start(),
    );
    if (election === undefined) await work.start();
    else election.start(() => void work.start().catch(onFailed));
  }

  async #listen(servers: readonly HttpServerOptions[]): Promise<void> {
    for (const options of servers) {
      const server = await listen(options);
      const { clock } = this.#services;
      this.#undo.push(() => server.close({ clock, graceMs: 0, maxMs: Math.min(SERVERS_MS, this.#budget.forTheRest()) }));
      this.#servers.set(options.name, server);
      this.#services.log.info({ host: server.host, port: server.port }, `serving ${options.name}`);
    }
  }

  /**
   * Waits for the first lists, except those of kinds that the server does not serve.
   * @throws ManagerError ERR_CACHE_SYNC, or the reason of the signal
   */
  async #synced(): Promise<void> {
    const { clock, log, signal, options } = this.#services;
    const timeoutMs = options.cacheSyncTimeoutMs ?? 120_000;
    const informers = this.informers.all();
    const late = new AbortController();
    const timer = clock.after(timeoutMs, () => late.abort(syncError(informers, timeoutMs)));
    try {
      const ended = AbortSignal.any([signal, late.signal]);
      await Promise.all(informers.map((informer) => this.presence.settled(informer, ended)));
    } catch (error) {
      this.#envs.failed(error);
      throw error;
    } finally {
      timer.cancel();
    }
    this.#envs.synced();
    const kinds = informers.filter(({ hasSynced }) => hasSynced).map(({ kind }) => kind.kind);
    log.info({ informers: kinds }, "caches have synced");
  }

  #sources(): readonly Runnable[] {
    return this.#parts.assignments.flatMap(({ options }, at) => {
      const controller = this.controllers[at];
      return controller === undefined ? [] : sourceRunnables(controller, options.sources ?? [], this.informers.cache);
    });
  }

  /** Ends what only a leader may do, and releases the lease. */
  #leave(): Promise<void> {
    const { recorder } = this.#services;
    this.#left ??= unwind([
      () => this.#resign(),
      () => recorder?.stop(Math.min(EVENTS_MS, this.#budget.forRunnables())),
      () => this.#disposeShared(),
    ]);
    return this.#left;
  }

  /** Disposes of what extensions share, before the lease is released: another replica may then connect. */
  async #disposeShared(): Promise<void> {
    const { clock, log, options } = this.#services;
    if (options.shared !== undefined) return;
    try {
      if (await within(clock, this.#budget.forRunnables(), this.#shared[Symbol.asyncDispose]())) return;
      log.warn({}, "values that extensions share were not disposed of in the remaining time: a dispose does not end");
    } catch (error) {
      log.error(errorFields(error), "values that extensions share could not be disposed of");
    }
  }

  /** Releases the lease when nothing acts for the operator any more; otherwise other replicas wait until it expires. */
  async #resign(): Promise<void> {
    const { election, log, clock } = this.#services;
    if (election === undefined) return;
    if (!this.#work.isRunning) {
      if (await within(clock, this.#budget.forTheRest(), election.release())) return;
      log.warn({}, "the lease could not be released in the remaining time: other replicas wait until it expires");
      return;
    }
    log.warn({}, "the lease is not released, because passes or runnables have not ended: other replicas wait until it expires");
    await election.abandon();
  }
}

/** Maximum time that the stop waits for the last events, in milliseconds. */
const EVENTS_MS = 1_000;
/** Maximum time that the stop waits for each server of the manager, in milliseconds: a profile of the CPU may take longer. */
const SERVERS_MS = 1_000;
