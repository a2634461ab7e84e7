/** The manager itself: its states, and what of its parts is asked from outside. What runs is in `runtime.ts`. */
import { randomUUID } from "node:crypto";
import { apiVersionOf, type Clock, groupKindOf, systemClock, systemRandom } from "@treadle/apimachinery";
import { type Client, connect, type Exchange } from "@treadle/client";
import type { Informer, Informers } from "@treadle/informer";
import type { AnyHandler, Logger } from "@treadle/reconcile";
import type { Registry } from "prom-client";
import type { Controller, ControllerOptions, ControllerStatus } from "../controller.ts";
import { createLogger } from "../log.ts";
import { isInspected } from "../inspect-managers.ts";
import type { Manager, ManagerAddresses, ManagerState, ManagerStatus } from "../manager.ts";
import { ManagerError } from "../manager-error.ts";
import type { ManagerOptions, Runnable } from "../options.ts";
import { createActivity, settle, type SettleOptions } from "./activity.ts";
import { admit, checkAddable } from "./admission.ts";
import { checkControllerOptions, checkManagerOptions } from "./check-options.ts";
import { NO_METRICS } from "./controller-metrics.ts";
import { errorFields, messageOf } from "./error-text.ts";
import type { HttpServer } from "./http-server.ts";
import { type Check, deadness, staleness } from "./probes.ts";
import { installProcessHooks } from "./process-hooks.ts";
import type { ManagerMetrics } from "./prometheus.ts";
import { both } from "./promises.ts";
import { type Assignment, type Runtime, startRuntime } from "./runtime.ts";
import { serverOptions } from "./server-options.ts";

export class OperatorManager implements Manager {
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #activity = createActivity();
  readonly #assignments: Assignment[] = [];
  readonly #runnables: Runnable[] = [];
  readonly #healthz = new Map<string, Check>();
  readonly #readyz = new Map<string, Check>();
  readonly #abort = new AbortController();
  readonly #stopRequested = Promise.withResolvers<void>();
  #state: ManagerState = "new";
  #metrics: Promise<ManagerMetrics> | undefined;
  #loadedMetrics: ManagerMetrics | undefined;
  #parts: Pick<Runtime, "informers" | "controllers" | "presence"> | undefined;
  #servers: ReadonlyMap<string, HttpServer> = new Map();
  #starting: Promise<Runtime> | undefined;
  #stopping: Promise<void> | undefined;
  #hold: NodeJS.Timeout | undefined;
  #failure: ManagerError | undefined;

  constructor(options: ManagerOptions) {
    checkManagerOptions(options);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? createLogger(options.logLevel === undefined ? {} : { level: options.logLevel });
    this.#healthz.set("ping", () => undefined).set("informers", () => this.#informerProblem(deadness));
    this.#readyz
      .set("running", () => (this.#state === "running" ? undefined : `the manager is ${this.#state}`))
      .set("informers", () => this.#informerProblem((informer) => this.#missingKind(informer) ?? staleness(informer)));
  }

  add(given: AnyHandler | Runnable, options: ControllerOptions<never> = {}): this {
    if (this.#state !== "new") throw new ManagerError("ERR_ADD_REFUSED", "cannot add to a manager that was started: add before run()");
    checkAddable(given);
    if ("pipeline" in given) {
      admit(
        given,
        this.#assignments.map(({ handler }) => handler),
      );
      checkControllerOptions(options, given.name);
      // The informer of the handler's kind gives the predicate the objects that it is for.
      this.#assignments.push({ handler: given, options: options as ControllerOptions });
    } else {
      this.#runnables.push(given);
    }
    return this;
  }

  addHealthzCheck(name: string, check: Check): this {
    this.#healthz.set(name, check);
    return this;
  }

  addReadyzCheck(name: string, check: Check): this {
    this.#readyz.set(name, check);
    return this;
  }

  async metrics(): Promise<Registry> {
    return (await this.#loadMetrics()).registry;
  }

  async run(): Promise<void> {
    if (this.#isInspected()) return;
    const removeHooks = this.#options.signals === false ? undefined : this.#listenToProcess();
    try {
      await this.start();
      await this.#stopRequested.promise;
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
      this.#log.info({ controllers: this.#assignments.map(({ handler }) => handler.name) }, "the manager is running");
    } catch (error) {
      if (this.#stopping === undefined) this.#ended();
      throw error;
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
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
      controllers: this.controllers.map((controller) => controller.status()),
      informers: (this.informers?.all() ?? []).map((informer) => ({ kind: informer.kind, ...informer.progress() })),
    };
  }

  async settled(options: SettleOptions = {}): Promise<void> {
    const statuses = (): ControllerStatus[] => this.controllers.map((controller) => controller.status());
    await settle(
      {
        activity: this.#activity,
        clock: this.#clock,
        isBusy: () => this.#state === "starting" || statuses().some(({ queued, running }) => queued + running > 0),
        nextDueAt: () => {
          const due = statuses().flatMap(({ nextDueAt }) => nextDueAt ?? []);
          return due.length === 0 ? undefined : Math.min(...due);
        },
      },
      options,
    );
  }

  onChange(listener: () => void): () => void {
    return this.#activity.subscribe(listener);
  }

  #isInspected(): boolean {
    return isInspected({ handlers: this.#assignments.map(({ handler }) => handler), namespaces: this.#options.namespaces });
  }

  async #startRuntime(): Promise<Runtime> {
    const {
      gracefulShutdownMs = 30_000,
      cacheSyncTimeoutMs = 120_000,
      kindRetryMs = 10_000,
      onPass,
      onUndeclared,
      namespaces,
    } = this.#options;
    // Started together: both take their time, and neither needs the other.
    const [client, metrics] = await both(
      this.#client(),
      this.#options.metrics === false ? Promise.resolve(this.#metrics) : this.#loadMetrics(),
      ({ closeClient }) => closeClient(),
    );
    return await startRuntime({
      ...client,
      clock: this.#clock,
      random: this.#options.random ?? systemRandom,
      log: this.#log,
      namespaces,
      assignments: this.#assignments,
      runnables: this.#runnables,
      servers: serverOptions(this.#options, {
        checks: { healthz: this.#healthz, readyz: this.#readyz },
        registry: () => this.metrics(),
      }),
      cacheSyncTimeoutMs,
      gracefulShutdownMs,
      metricsOf: (controller) => metrics?.controller(controller) ?? NO_METRICS,
      newID: this.#options.reconcileID ?? randomUUID,
      onPass,
      kindRetryMs,
      undeclared: onUndeclared,
      onChange: this.#activity.note,
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

  #ended(): void {
    this.#state = "stopped";
    clearInterval(this.#hold);
    this.#activity.note();
  }

  async #client(): Promise<{ readonly client: Client; readonly closeClient: () => Promise<void> }> {
    const { client: given, config, random } = this.#options;
    if (given !== undefined && typeof given !== "function") return { client: given, closeClient: async () => undefined };
    const observe = (exchange: Exchange): void => this.#loadedMetrics?.exchanged(exchange);
    const wish = { observe, clock: this.#clock, random: random ?? systemRandom };
    const client = given === undefined ? await connect({ ...wish, ...(config === undefined ? {} : { config }) }) : await given(wish);
    return { client, closeClient: () => client.close() };
  }

  async #loadMetrics(): Promise<ManagerMetrics> {
    this.#metrics ??= import("./prometheus.ts").then(({ createPrometheus }) => {
      this.#loadedMetrics = createPrometheus();
      return this.#loadedMetrics;
    });
    return await this.#metrics;
  }

  #informerProblem(look: (informer: Informer) => string | readonly [] | undefined): string | undefined {
    const problems = (this.informers?.all() ?? []).flatMap((informer) => look(informer) ?? []);
    return problems.length === 0 ? undefined : problems.join("; ");
  }

  /** That the kind of a handler is missing keeps it from its work; of another kind the conditions tell. */
  #missingKind({ kind }: Informer): string | readonly [] | undefined {
    if (this.#parts?.presence.isServed(kind) !== false) return undefined;
    const waiting = this.#assignments.filter(({ handler }) => groupKindOf(handler.kind) === groupKindOf(kind));
    if (waiting.length === 0) return [];
    const names = waiting.map(({ handler }) => `"${handler.name}"`).join(", ");
    return `${kind.kind} (${apiVersionOf(kind)}) is not installed: ${names} waits for it`;
  }

  #listenToProcess(): () => void {
    return installProcessHooks({
      log: this.#log,
      onSignal: (signal) => {
        this.#log.info({ signal }, `${signal}: stopping`);
        void this.stop().catch(() => undefined); // run() waits for it, too, and reports.
      },
      onUnhandledRejection: (reason) => {
        this.#loadedMetrics?.rejectionUnhandled();
        const message = messageOf(reason);
        this.#log.error(errorFields(reason), `a promise was rejected and nobody handled it: ${message}; stopping`);
        this.#failure ??= new ManagerError("ERR_UNHANDLED_REJECTION", `a promise was rejected and nobody handled it: ${message}`, {
          cause: reason,
        });
        process.exitCode = 1;
        void this.stop().catch(() => undefined); // As above.
      },
    });
  }
}
