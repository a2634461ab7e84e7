/** An operator whose process may be killed and started again, and the wait until it is settled. */
import type { FakeClock, KubernetesObject } from "@treadle/apimachinery";
import type { ControllerOptions } from "@treadle/controller";
import { seededRandom } from "@treadle/apimachinery";
import type { Backend } from "../internal/backend.ts";
import { hasCaughtUp } from "../internal/caught-up.ts";
import { PassCounter } from "../internal/pass-counter.ts";
import { settle } from "../internal/settle.ts";
import { turn } from "../internal/turns.ts";
import { withTime, withTimeout } from "../internal/virtual-time.ts";
import { OperatorProcess } from "./operator-process.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { ExploredParts } from "./scenario.ts";

/** Options of {@link RestartingOperator}. */
export interface RestartingOperatorOptions {
  readonly backend: Backend;
  readonly injector: FaultInjector;
  readonly clock: FakeClock;
  readonly seed: number;
  readonly parts: () => ExploredParts;
  readonly namespaces: readonly string[] | undefined;
  readonly controller: ControllerOptions;
  readonly horizonMs: number;
}

/** Time until a killed process is started again: enough to make times and jitter differ. */
const RESTART_MS = 1_000;
/** Horizon of a wait while an event is withheld: after 90 s the informer would replace the watch and see the event. */
const WITHHELD_HORIZON_MS = 10_000;
/** Number of horizons for which an operator is watched that writes at every poll. */
const MAX_HORIZONS = 10;
/** More turns than an event takes through the process. */
const ARRIVAL_TURNS = 12;
/** Real time, well above the needs of a busy machine. */
const TIMEOUT_MS = 40_000;
const MAX_PASSES = 300;
/** Passes that one late event may bring, with those of the writes that follow. */
const PASSES_OF_PAST_EVENT = 3;
/** Passes of one object after which withheld events are delivered: no watch lags forever. */
const MAX_BLIND_PASSES = 50;

/** The operator does not settle. */
export class UnsettledError extends Error {
  override readonly name = "UnsettledError";
}

/** The operator of a run. */
export class RestartingOperator {
  readonly #options: RestartingOperatorOptions;
  readonly #counter: PassCounter;
  readonly #past: OperatorProcess[] = [];
  #process: OperatorProcess | undefined;
  #unsettled = new AbortController();
  passes = 0;

  constructor(options: RestartingOperatorOptions) {
    this.#options = options;
    this.#counter = new PassCounter(options.clock);
  }

  /**
   * Waits until the operator is settled. `final`: withheld events are shown first, so that the operator knows everything.
   * @throws UnsettledError that says what is unfinished
   */
  async settled(isFinal: boolean, horizonMs: number = this.#options.horizonMs): Promise<void> {
    const { backend, clock, injector } = this.#options;
    const beganMs = clock.now();
    const soon = beganMs + WITHHELD_HORIZON_MS;
    const latest = beganMs + MAX_HORIZONS * horizonMs;
    // Counted from the last write: after an attempt that failed late there is another one.
    const horizonNow = (): number => Math.min(latest, Math.max(beganMs, injector.wroteAtMs) + horizonMs);
    const horizon = (): number => Math.min(horizonNow(), (injector.isWithholding && !isFinal) || injector.isRewound ? soon : latest);
    const timeout = (): Error => new UnsettledError(`it does not settle within ${TIMEOUT_MS} real ms: ${this.#state()}`);
    await withTimeout(TIMEOUT_MS, timeout, async (controller) => {
      const signal = AbortSignal.any([controller.signal, this.#unsettled.signal]);
      await settle({
        backend,
        signal,
        process: async () => await this.#arrived(await this.#living(signal)),
        horizon,
        isHeld: ({ kind }) => injector.withholds(kind),
        isBusy: () => false,
        unblock: async (process) =>
          (await injector.unblock(process)) || (isFinal && injector.release()) || (process.hasRunnables && (await this.#moved(horizon()))),
        passes: () => this.passes,
        isUnfinished: (process) => clock.now() < horizon() && injector.wroteAtMs > beganMs && this.#isDue(process, horizon()),
      });
    });
  }

  /** Moves the time to the next timer up to `endMs`: it may be one of a runnable. Returns whether there is one. */
  async #moved(endMs: number): Promise<boolean> {
    const { clock } = this.#options;
    const due = clock.nextDue();
    if (due === undefined || due > endMs) return false;
    await clock.advance(Math.max(0, due - clock.now()));
    return true;
  }

  /** Waits until the events of the last action have arrived: a fault that withholds one is known before time moves. */
  async #arrived(process: OperatorProcess): Promise<OperatorProcess> {
    for (let turns = 0; turns < ARRIVAL_TURNS; turns++) await turn();
    return process;
  }

  #isDue(process: OperatorProcess, horizon: number): boolean {
    return process.manager.status().controllers.some(({ nextDueAt }) => nextDueAt !== undefined && nextDueAt <= horizon);
  }

  /** Kills the process; the next wait starts another one. */
  leave(): void {
    this.#process?.kill();
  }

  /** Enqueues every primary, as a resync does. */
  resync(): void {
    for (const controller of this.#process?.manager.controllers ?? [])
      for (const { metadata } of this.#options.backend.list(controller.handler.kind) as readonly KubernetesObject[])
        controller.enqueue(metadata);
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    for (const process of [...this.#past, ...(this.#process === undefined ? [] : [this.#process])]) await process.dispose();
  }

  /** Returns the running process; starts one if there is none. */
  async #living(signal: AbortSignal): Promise<OperatorProcess> {
    for (;;) {
      if (this.#process !== undefined && !this.#process.isDead) return this.#process;
      const { clock, injector, seed, parts, namespaces, controller } = this.#options;
      if (this.#process !== undefined) {
        this.#past.push(this.#process);
        await clock.advance(RESTART_MS);
        injector.journal.push({ type: "restart", process: this.#past.length + 1 });
      }
      const random = seededRandom(seed + this.#past.length);
      const process = new OperatorProcess({
        injector,
        clock,
        random,
        parts,
        namespaces,
        controller,
        onPass: (key) => this.#passed(key),
      });
      this.#process = process;
      await this.#started(process, signal);
    }
  }

  /** Starts a process; returns early when a fault kills it. */
  async #started(process: OperatorProcess, signal: AbortSignal): Promise<void> {
    const isAbandoned = (): boolean => process.isDead;
    const started = process.start();
    started.catch(() => undefined); // A process that is killed during its start fails later.
    await withTime(started, { clock: this.#options.clock, isAbandoned, signal }).catch((error: unknown) => {
      if (!process.isDead || signal.aborted) throw error;
    });
  }

  #passed(key: string): void {
    this.passes++;
    const count = this.#counter.count(key);
    if (count === MAX_BLIND_PASSES) this.#options.injector.release();
    if (count >= MAX_PASSES + PASSES_OF_PAST_EVENT * this.#options.injector.pastEvents)
      this.#unsettled.abort(new UnsettledError(`it does not settle: ${count} passes of ${key} at the same time`));
  }

  #state(): string {
    const busy = this.#process?.manager
      .status()
      .controllers.map(({ name, queued, running, delayed }) => `${name}: ${running} running, ${queued} queued, ${delayed} delayed`);
    const { backend, injector } = this.#options;
    const behind = (this.#process?.manager.informers?.all() ?? []).filter(
      (informer) => !injector.withholds(informer.kind) && !hasCaughtUp(informer, backend),
    );
    const missing = behind.map(({ kind }) => `the informer of ${kind.kind} does not show what the server has`);
    return [...(busy ?? ["no process"]), ...missing].join("; ");
  }
}
