/** The manager itself: its states, and what of its parts is asked from outside. What runs is in `runtime.ts`. */
import { type Clock, systemClock } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Informers } from "@treadle/informer";
import type { AnyHandler, Logger } from "@treadle/reconcile";
import type { Registry } from "prom-client";
import type { Controller } from "../controller.ts";
import type { ControllerOptions } from "../controller-options.ts";
import type { PassReport } from "../pass-report.ts";
import { RecentErrors } from "../debug/recent-errors.ts";
import { createLogger } from "../log.ts";
import { isInspected } from "../inspect-managers.ts";
import { type Election, leadershipOf } from "../leader-election/election.ts";
import type { Manager, ManagerAddresses, ManagerState, ManagerStatus } from "../manager.ts";
import { ManagerError } from "../manager-error.ts";
import { LazyMetrics } from "../metrics/lazy-metrics.ts";
import type { ManagerOptions } from "../options.ts";
import type { Runnable } from "../runnable.ts";
import { createActivity, settle, type SettleOptions } from "./activity.ts";
import { admit, checkAddable } from "./admission.ts";
import { assemble } from "./assemble.ts";
import { checkControllerOptions, checkManagerOptions, checkNamespaces } from "./check-options.ts";
import { configure } from "./configure.ts";
import { drained, type DrainedOptions, DrainReasons } from "../drain/drain.ts";
import { messageOf } from "./error-text.ts";
import { Health } from "./health.ts";
import type { HttpServer } from "./http-server.ts";
import type { Check } from "./probes.ts";
import { installProcessHooks } from "./process-hooks.ts";
import type { Assignment, Runtime } from "./runtime.ts";

export class OperatorManager implements Manager {
  /** As given; from the start on with the settings from outside. */
  #options: ManagerOptions;
  readonly #clock: Clock;
  #logger: Logger | undefined;
  readonly #activity = createActivity();
  readonly #assignments: Assignment[] = [];
  readonly #runnables: Runnable[] = [];
  readonly #health: Health;
  readonly #errors = new RecentErrors();
  readonly #drainReasons = new DrainReasons();
  #client: Client | undefined;
  readonly #abort = new AbortController();
  readonly #stopRequested = Promise.withResolvers<void>();
  #state: ManagerState = "new";
  readonly #metrics = new LazyMetrics(() => this.informers?.all() ?? []);
  #parts: Pick<Runtime, "informers" | "controllers" | "presence" | "recorder" | "namespaces" | "feeds"> | undefined;
  /** Set by {@link setNamespaces}, in place of the option. */
  #namespaces: { readonly chosen: readonly string[] | undefined } | undefined;
  #servers: ReadonlyMap<string, HttpServer> = new Map();
  #starting: Promise<Runtime> | undefined;
  #stopping: Promise<void> | undefined;
  #hold: NodeJS.Timeout | undefined;
  #failure: Error | undefined;
  #election: Election | undefined;

  constructor(options: ManagerOptions) {
    checkManagerOptions(options);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#health = new Health({
      state: () => this.#state,
      informers: () => this.informers?.all() ?? [],
      mayLag: (informer) => this.#parts?.feeds.isTransient(informer) === true,
      handlers: () => this.#handlers(),
      presence: () => this.#parts?.presence,
    });
  }

  add(given: AnyHandler | Runnable, options: ControllerOptions<never> = {}): this {
    if (this.#state !== "new") throw new ManagerError("ERR_ADD_REFUSED", "cannot add to a manager that was started: add before run()");
    checkAddable(given);
    if ("pipeline" in given) {
      admit(given, this.#handlers());
      checkControllerOptions(options, given.name);
      // The informer of the handler's kind gives the predicate the objects that it is for.
      this.#assignments.push({ handler: given, options: options as ControllerOptions });
    } else {
      this.#runnables.push(given);
    }
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
    if (this.#isInspected()) return;
    const removeHooks = this.#options.signals === false ? undefined : this.#listenToProcess();
    try {
      await this.start();
      await (this.#options.drain === undefined ? this.#stopRequested.promise : this.drained());
      await this.stop();
    } catch (error) {
      // A stop that comes during the start is no failure.
      if (error !== this.#abort.signal.reason) throw this.#failure ?? error;
    } finally {
      await this.#stopping?.catch(() => undefined); // What went wrong was thrown above.
      removeHooks?.();
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  async start(): Promise<void> {
    if (this.#isInspected()) return;
    if (this.#state !== "new")
      throw new ManagerError("ERR_ALREADY_STARTED", `cannot start a manager that is ${this.#state}: make a new one with createManager()`);
    this.#state = "starting";
    // Neither timers of the clock nor an in-process client keep the process alive.
    this.#hold = setInterval(() => {}, 2 ** 30);
    this.#starting = this.#startRuntime();
    try {
      await this.#starting;
      if (this.#state !== "starting") throw this.#abort.signal.reason;
      this.#state = "running";
      this.#activity.note();
      this.#log.info({ controllers: this.#handlers().map(({ name }) => name) }, "the manager is running");
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
    await this.#parts?.namespaces.set(namespaces, signal);
  }

  get addresses(): ManagerAddresses {
    return Object.fromEntries([...this.#servers].map(([name, { host, port, url }]) => [name, { host, port, url }]));
  }

  get controllers(): readonly Controller[] {
    return this.#parts?.controllers ?? [];
  }

  get informers(): Informers | undefined {
    return this.#parts?.informers;
  }

  status(): ManagerStatus {
    return {
      state: this.#state,
      leadership: leadershipOf(this.#election),
      controllers: this.controllers.map((controller) => controller.status()),
      informers: (this.informers?.all() ?? []).map((informer) => ({ kind: informer.kind, ...informer.progress() })),
    };
  }

  async settled(options: SettleOptions = {}): Promise<void> {
    await settle(
      {
        activity: this.#activity,
        clock: this.#clock,
        isBusy: () => this.#state === "starting" || this.#parts?.recorder?.isBusy === true,
        queues: () => this.controllers.map((controller) => controller.status()),
      },
      options,
    );
  }

  async drained({ onProgress, signal }: DrainedOptions = {}): Promise<void> {
    const { informers } = this;
    if (informers === undefined || this.#client === undefined)
      throw new ManagerError("ERR_DRAIN", "cannot say what is drained before the start: await start()");
    await drained({
      client: this.#client,
      clock: this.#clock,
      informers,
      handlers: this.controllers.filter(({ drain }) => drain !== undefined).map(({ handler }) => handler),
      namespaces: this.#watched(this.#options.namespaces),
      log: this.#log,
      onChange: (listener) => this.onChange(listener),
      reasons: this.#drainReasons,
      isAlone: () => this.#election?.isLeading !== false,
      signal: signal === undefined ? this.#abort.signal : AbortSignal.any([signal, this.#abort.signal]),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
  }

  onChange(listener: () => void): () => void {
    return this.#activity.subscribe(listener);
  }

  #watched(option: readonly string[] | undefined): readonly string[] | undefined {
    return this.#namespaces === undefined ? option : this.#namespaces.chosen;
  }

  #isInspected(): boolean {
    const { namespaces, leaderElection, metrics } = this.#options;
    return isInspected({ handlers: this.#handlers(), namespaces, leaderElection, metrics });
  }

  get #log(): Logger {
    const { log, logLevel, env } = this.#options;
    this.#logger ??= log ?? createLogger({ ...(logLevel === undefined ? {} : { level: logLevel }), ...(env === undefined ? {} : { env }) });
    return this.#logger;
  }

  async #startRuntime(): Promise<Runtime> {
    const { options: configured, assignments, from } = await configure(this.#options, this.#assignments);
    this.#options = configured;
    this.#logger = undefined;
    if (from !== undefined) this.#log.info(from, "settings from outside of the program");
    if (this.#options.leaderElection) this.#health.watchElection(() => this.#election?.problem);
    return await assemble({
      options: configured,
      assignments,
      runnables: this.#runnables,
      clock: this.#clock,
      log: this.#log,
      namespaces: this.#watched(configured.namespaces),
      metrics: this.#metrics,
      health: this.#health,
      manager: this,
      errors: this.#errors,
      onPass: configured.debug || assignments.some(({ options }) => options.drain !== undefined) ? this.#noted : configured.onPass,
      onChange: this.#activity.note,
      onFailed: (error) => this.#fail(error),
      onConnected: ({ client, election }) => {
        this.#client = client;
        this.#election = election;
      },
      onMade: (parts) => {
        this.#parts = parts;
      },
      onListening: (servers) => {
        this.#servers = servers;
      },
      signal: this.#abort.signal,
    });
  }

  async #stop(): Promise<void> {
    const wasStarted = this.#state !== "new" && this.#state !== "stopped";
    if (wasStarted) this.#log.info({}, "the manager is stopping");
    this.#state = wasStarted ? "stopping" : "stopped";
    this.#abort.abort(new Error("the manager was stopped"));
    this.#stopRequested.resolve();
    try {
      const runtime = await this.#starting?.catch(() => undefined); // Whoever called start() hears of it.
      await runtime?.stop();
      if (wasStarted) this.#log.info({}, "the manager has stopped");
    } finally {
      this.#ended();
    }
  }

  /** Something went wrong that ends the manager: run() rejects with it. */
  #fail(error: unknown): void {
    if (error === this.#abort.signal.reason) return;
    this.#failure ??= error instanceof Error ? error : new Error(messageOf(error), { cause: error });
    void this.stop().catch(() => undefined); // run() waits for it, too, and reports.
  }

  #ended(): void {
    this.#state = "stopped";
    clearInterval(this.#hold);
    this.#activity.note();
  }

  #handlers(): readonly AnyHandler[] {
    return this.#assignments.map(({ handler }) => handler);
  }

  readonly #noted = (report: PassReport): void => {
    this.#errors.note(report, this.#clock.now());
    this.#drainReasons.note(report);
    return this.#options.onPass?.(report);
  };

  #listenToProcess(): () => void {
    return installProcessHooks({
      log: () => this.#log,
      onSignal: () => void this.stop().catch(() => undefined), // run() waits for it, too, and reports.
      onUnhandledRejection: (error) => {
        this.#metrics.loaded?.rejectionUnhandled();
        this.#fail(error);
      },
    });
  }
}
