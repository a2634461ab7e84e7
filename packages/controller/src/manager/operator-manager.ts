/**
 * OperatorManager: the states of a manager, and the access to its parts. `services.ts` makes what the parts share,
 * `runtime.ts` starts and stops them.
 */
import { type Clock, orAborted, systemClock } from "@treadle/apimachinery";
import type { Informers } from "@treadle/informer";
import type { Logger } from "@treadle/reconcile";
import type { Registry } from "prom-client";
import type { Controller } from "../controller.ts";
import type { ControllerOptions } from "../controller-options.ts";
import type { PassReport } from "../pass-report.ts";
import { RecentErrors } from "../servers/debug/recent-errors.ts";
import { createLogger } from "../log.ts";
import { type Hosting, managerHost } from "../host-managers.ts";
import { isInspected } from "../inspect-managers.ts";
import { leadershipOf } from "../leader-election/election.ts";
import type { Manager, ManagerAddresses, ManagerState, ManagerStatus } from "../manager.ts";
import { ManagerError } from "../manager-error.ts";
import { LazyMetrics } from "../metrics/lazy-metrics.ts";
import type { ManagerOptions } from "../manager-options.ts";
import { createActivity, settle, type SettleOptions } from "./settle.ts";
import { checkManagerOptions, checkNamespaces } from "./check-options.ts";
import { configure } from "./configure.ts";
import { drained, type DrainedOptions, DrainReasons } from "./drain.ts";
import { messageOf } from "../internal/error-text.ts";
import { Health } from "../servers/health.ts";
import { managerServers } from "../servers/manager-servers.ts";
import type { Check } from "../servers/probes.ts";
import { installProcessHooks, logUncaught } from "./process-hooks.ts";
import { Additions, type Assignment } from "./additions.ts";
import { Runtime } from "./runtime.ts";
import { type ManagerHooks, makeServices, type Services } from "./services.ts";

/** Makes a manager. It does nothing before `run` or `start`. */
export function createManager(options: ManagerOptions = {}): Manager {
  return new OperatorManager(options);
}

class OperatorManager implements Manager {
  /** The given options; after the start with the settings from the environment and the config file. */
  #options: ManagerOptions;
  readonly #clock: Clock;
  #logger: Logger | undefined;
  readonly #activity = createActivity();
  readonly #added = new Additions();
  readonly #health: Health;
  readonly #errors = new RecentErrors();
  readonly #drainReasons = new DrainReasons();
  readonly #abort = new AbortController();
  readonly #stopRequested = Promise.withResolvers<void>();
  #state: ManagerState = "new";
  readonly #metrics = new LazyMetrics(() => this.informers?.all() ?? []);
  /** What the parts share, and the parts; made at the start. */
  #services: Services | undefined;
  #runtime: Runtime | undefined;
  /** Set by {@link setNamespaces}; replaces the option. */
  #namespaces: { readonly chosen: readonly string[] | undefined } | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;
  #hold: NodeJS.Timeout | undefined;
  #failure: Error | undefined;

  constructor(options: ManagerOptions) {
    checkManagerOptions(options);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#health = new Health({
      state: () => this.#state,
      informers: () => this.informers?.all() ?? [],
      mayLag: (informer) => this.#runtime?.feeds.isTransient(informer) === true,
      handlers: () => this.#added.handlers,
      presence: () => this.#runtime?.presence,
    });
  }

  add(given: object, options: ControllerOptions<never> = {}): this {
    if (this.#state !== "new")
      throw new ManagerError("ERR_ADD_REFUSED", "cannot add to a manager that was started: call add() before run()");
    this.#added.add(given, options);
    return this;
  }

  addHealthzCheck(name: string, check: Check): this {
    this.#health.healthz.set(name, check);
    return this;
  }

  addReadyzCheck(name: string, check: Check): this {
    this.#health.readyz.set(name, check);
    return this;
  }

  async metrics(): Promise<Registry> {
    return (await this.#metrics.load()).registry;
  }

  async run(): Promise<void> {
    if (isInspected(this.#added, this.#options)) return;
    if (this.#options.signals === false) return await this.#runUntilStopped();
    const removeHooks = installProcessHooks({
      log: () => this.#log,
      onSignal: () => void this.stop().catch(() => undefined), // run() waits for the stop as well, and rejects.
      onUnhandledRejection: (error) => {
        this.#metrics.loaded?.rejectionUnhandled();
        this.#fail(error);
      },
    });
    try {
      await this.#runUntilStopped();
    } catch (error) {
      logUncaught(this.#log);
      throw error;
    } finally {
      removeHooks();
    }
  }

  async #runUntilStopped(): Promise<void> {
    try {
      await this.start();
      await (this.#options.drain === undefined ? this.#stopRequested.promise : this.drained());
      await this.stop();
    } catch (error) {
      // A stop during the start is not a failure.
      if (error !== this.#abort.signal.reason) throw this.#failure ?? error;
    } finally {
      await this.#stopping?.catch(() => undefined); // Its error was thrown above.
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async start(): Promise<void> {
    if (isInspected(this.#added, this.#options)) return;
    if (this.#state !== "new")
      throw new ManagerError("ERR_ALREADY_STARTED", `cannot start a manager that is ${this.#state}: make a new one with createManager()`);
    this.#state = "starting";
    // Keeps the process alive, which timers of the clock and an in-process client do not.
    this.#hold = setInterval(() => {}, 2 ** 30);
    this.#starting = this.#start();
    try {
      await this.#starting;
      if (this.#state !== "starting") throw this.#abort.signal.reason;
      this.#state = "running";
      this.#activity.note();
      this.#log.info({ controllers: this.#added.handlers.map(({ name }) => name) }, "the manager is running");
    } catch (error) {
      if (this.#stopping === undefined) this.#ended();
      throw error;
    }
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async setNamespaces(namespaces: readonly string[] | undefined, signal?: AbortSignal): Promise<void> {
    checkNamespaces("setNamespaces", namespaces);
    this.#namespaces = { chosen: namespaces };
    await this.#runtime?.namespaces.set(namespaces, signal);
  }

  get addresses(): ManagerAddresses {
    return this.#runtime?.addresses ?? {};
  }

  get controllers(): readonly Controller[] {
    return this.#runtime?.controllers ?? [];
  }

  get informers(): Informers | undefined {
    return this.#runtime?.informers;
  }

  status(): ManagerStatus {
    return {
      state: this.#state,
      leadership: leadershipOf(this.#services?.election),
      controllers: this.controllers.map((controller) => controller.status()),
      informers: (this.informers?.all() ?? []).map((informer) => ({ kind: informer.kind, ...informer.progress() })),
    };
  }

  async settled(options: SettleOptions = {}): Promise<void> {
    await settle(
      {
        activity: this.#activity,
        clock: this.#clock,
        isBusy: () => this.#state === "starting" || this.#services?.recorder?.isBusy === true || this.#runtime?.isListing === true,
        queues: () => this.controllers.map((controller) => controller.status()),
      },
      options,
    );
  }

  async drained(options: DrainedOptions = {}): Promise<void> {
    const { informers } = this;
    const services = this.#services;
    if (informers === undefined || services === undefined)
      throw new ManagerError("ERR_DRAIN", "cannot look for objects before the start: await start() first");
    const stopped = this.#abort.signal;
    await drained({
      ...options,
      services,
      informers,
      handlers: this.controllers.filter(({ drain }) => drain !== undefined).map(({ handler }) => handler),
      namespaces: this.#watched(this.#options.namespaces),
      onChange: (listener) => this.onChange(listener),
      reasons: this.#drainReasons,
      signal: options.signal === undefined ? stopped : AbortSignal.any([options.signal, stopped]),
    });
  }

  onChange(listener: () => void): () => void {
    return this.#activity.subscribe(listener);
  }

  #watched(option: readonly string[] | undefined): readonly string[] | undefined {
    return this.#namespaces === undefined ? option : this.#namespaces.chosen;
  }

  get #log(): Logger {
    const { log, logLevel: level, logFormat: format, env } = this.#options;
    this.#logger ??= log ?? createLogger({ ...(level && { level }), ...(format && { format }), ...(env && { env }) });
    return this.#logger;
  }

  async #start(): Promise<void> {
    const { options, assignments, from } = await configure(this.#options, this.#added.assignments);
    const hosting = await this.#hosted(options);
    this.#options = hosting?.options ?? options;
    this.#logger = undefined;
    if (from !== undefined) this.#log.info(from, "settings from the environment or a file");
    if (hosting === undefined && options.leaderElection) this.#health.watchElection(() => this.#services?.election?.problem);
    const services = await makeServices(this.#hooks(assignments, hosting), this.#added.handlers, this.#metrics);
    this.#services = services;
    try {
      const [{ runnables }, namespaces] = [this.#added, this.#watched(options.namespaces)];
      this.#runtime = new Runtime(services, { assignments, runnables, namespaces, health: this.#health });
    } catch (error) {
      await services.closeClient();
      throw error;
    }
    await this.#runtime.start(managerServers(services, { health: this.#health, manager: this, errors: this.#errors }));
  }

  /** Asks the host of the program, if there is one. */
  async #hosted(options: ManagerOptions): Promise<Hosting | undefined> {
    const { handlers, runnables } = this.#added;
    const hosting = managerHost()?.starting({ manager: this, handlers, runnables, options });
    return hosting && (await orAborted(hosting, this.#abort.signal));
  }

  #hooks(assignments: readonly Assignment[], hosting: Hosting | undefined): ManagerHooks {
    const { debug, onPass } = this.#options;
    const isNoted = Boolean(debug) || assignments.some(({ options }) => options.drain !== undefined);
    return {
      options: this.#options,
      clock: this.#clock,
      log: this.#log,
      onPass: isNoted ? this.#noted : onPass,
      leads: hosting?.leads,
      onChange: this.#activity.note,
      onFailed: (error) => this.#fail(error),
      signal: this.#abort.signal,
    };
  }

  async #stop(): Promise<void> {
    const wasStarted = this.#state !== "new" && this.#state !== "stopped";
    if (wasStarted) this.#log.info({}, "the manager is stopping");
    this.#state = wasStarted ? "stopping" : "stopped";
    this.#abort.abort(new Error("the manager was stopped"));
    this.#stopRequested.resolve();
    try {
      let hasStarted = this.#starting !== undefined;
      await this.#starting?.catch(() => (hasStarted = false)); // The caller of start() gets the error.
      if (hasStarted) await this.#runtime?.stop();
      if (wasStarted) this.#log.info({}, "the manager has stopped");
    } finally {
      this.#ended();
    }
  }

  /** Ends the manager because of an error: run() rejects with it. */
  #fail(error: unknown): void {
    if (error === this.#abort.signal.reason) return;
    this.#failure ??= error instanceof Error ? error : new Error(messageOf(error), { cause: error });
    void this.stop().catch(() => undefined); // run() waits for the stop as well, and rejects.
  }

  #ended(): void {
    this.#state = "stopped";
    clearInterval(this.#hold);
    this.#activity.note();
  }

  readonly #noted = (report: PassReport): void => {
    this.#errors.note(report, this.#clock.now());
    this.#drainReasons.note(report);
    return this.#options.onPass?.(report);
  };
}
