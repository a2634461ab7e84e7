/** The lives of an operator in one run: a process after the other, and the wait until there is nothing left to do. */
import type { FakeClock, KubernetesObject } from "@treadle/apimachinery";
import type { ControllerOptions } from "@treadle/controller";
import { seededRandom } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import type { Backend } from "../internal/backend.ts";
import { hasCaughtUp } from "../internal/caught-up.ts";
import { PassCounter } from "../internal/pass-counter.ts";
import { turn } from "../internal/turns.ts";
import { OperatorProcess } from "./operator-process.ts";
import type { FaultInjector } from "./fault-injector.ts";

export interface RestartingOperatorOptions {
  readonly backend: Backend;
  readonly injector: FaultInjector;
  readonly clock: FakeClock;
  readonly seed: number;
  readonly handlers: () => readonly AnyHandler[];
  readonly namespaces: readonly string[] | undefined;
  readonly controller: ControllerOptions;
  readonly horizonMs: number;
}

/** A process that was killed is back after so long: time enough to make times and jitter differ. */
const RESTART_MS = 1_000;
/** As far as a wait looks ahead while something is withheld: beyond 90 s the watch would be given up, and the event seen. */
const WITHHELD_HORIZON_MS = 10_000;
/** Who writes at every poll has no rest: it is looked at for so many times the horizon. */
const MAX_HORIZONS = 10;
/** More than an event takes through the process. */
const ARRIVAL_TURNS = 12;
/** Real time; well above what a busy machine needs. */
const GIVE_UP_MS = 40_000;
const MAX_PASSES = 300;
/** Who runs that often against what is withheld from it, such as the end of its object, is shown it: no watch lags for ever. */
const MAX_BLIND_PASSES = 50;
const PATIENCE_TURNS = 100;

/** It does not come to rest, wherever that was waited for. */
export class UnsettledError extends Error {
  override readonly name = "UnsettledError";
}

export class RestartingOperator {
  readonly #options: RestartingOperatorOptions;
  readonly #counter: PassCounter;
  readonly #past: OperatorProcess[] = [];
  #process: OperatorProcess | undefined;
  #restless = new AbortController();
  passes = 0;

  constructor(options: RestartingOperatorOptions) {
    this.#options = options;
    this.#counter = new PassCounter(options.clock);
  }

  /**
   * Waits until the operator is at rest. `final`: what is withheld is shown first, so that it knows everything.
   * @throws Error that says what does not come to rest
   */
  async settled(isFinal: boolean, horizonMs: number = this.#options.horizonMs): Promise<void> {
    const { clock, injector } = this.#options;
    const beganMs = clock.now();
    const soon = beganMs + WITHHELD_HORIZON_MS;
    const latest = beganMs + MAX_HORIZONS * horizonMs;
    // Counted from the last write: a try that failed late is to be followed by the next.
    const horizonNow = (): number => Math.min(latest, Math.max(beganMs, injector.wroteAtMs) + horizonMs);
    const givingUp = new AbortController();
    const timer = setTimeout(
      () => givingUp.abort(new UnsettledError(`it does not come to rest within ${GIVE_UP_MS} real ms: ${this.#state()}`)),
      GIVE_UP_MS,
    );
    const signal = AbortSignal.any([givingUp.signal, this.#restless.signal]);
    try {
      for (;;) {
        const process = await this.#living(signal);
        // What was done last may be about to be withheld: that is known before time moves.
        for (let turns = 0; turns < ARRIVAL_TURNS; turns++) await turn();
        const end = (): number => Math.min(horizonNow(), (injector.isWithholding && !isFinal) || injector.isRewound ? soon : latest);
        if (!(await this.#quiet(process, end(), signal))) continue;
        if (await injector.atRest(process)) continue;
        if (isFinal && injector.release()) continue;
        if (!(await this.#caughtUp(process, end(), signal))) continue;
        const due = this.#options.backend.workloadsDue(end());
        if (due !== undefined) {
          await this.#options.backend.pass(due);
          continue;
        }
        if (clock.now() < end() && injector.wroteAtMs > beganMs && this.#isDue(process, end())) continue;
        if (process.manager.status().controllers.every(({ queued, running }) => queued + running === 0)) return;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #isDue(process: OperatorProcess, horizon: number): boolean {
    return process.manager.status().controllers.some(({ nextDueAt }) => nextDueAt !== undefined && nextDueAt <= horizon);
  }

  /** Ends the process; the next one begins when somebody waits for it. */
  leave(): void {
    this.#process?.kill();
  }

  /** A pass of every primary, as after a resync. */
  resync(): void {
    for (const controller of this.#process?.manager.controllers ?? [])
      for (const { metadata } of this.#options.backend.list(controller.handler.kind) as readonly KubernetesObject[])
        controller.enqueue(metadata);
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    for (const process of [...this.#past, ...(this.#process === undefined ? [] : [this.#process])]) await process.bury();
  }

  /** The process that lives, or a new one. */
  async #living(signal: AbortSignal): Promise<OperatorProcess> {
    for (;;) {
      if (this.#process !== undefined && !this.#process.isDead) return this.#process;
      const { clock, injector, seed, handlers, namespaces, controller } = this.#options;
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
        handlers,
        namespaces,
        controller,
        onPass: (key) => this.#passed(key),
      });
      this.#process = process;
      await this.#started(process, signal);
    }
  }

  async #started(process: OperatorProcess, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let isOver = false;
    let failure: { readonly error: unknown } | undefined;
    process.start().then(
      () => (isOver = true),
      (error: unknown) => {
        isOver = true;
        failure = { error };
      },
    );
    for (let turns = 0; !isOver && !process.isDead; turns++) {
      signal.throwIfAborted();
      const due = clock.nextDue();
      await clock.advance(turns < PATIENCE_TURNS || due === undefined ? 0 : Math.max(0, due - clock.now()));
    }
    if (failure !== undefined && !process.isDead) throw failure.error;
  }

  /** Whether it came to rest; false when it was killed. */
  async #quiet(process: OperatorProcess, horizon: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    try {
      await process.manager.settled({
        horizonMs: Math.max(0, horizon - clock.now()),
        signal: AbortSignal.any([signal, process.death]),
      });
      return !process.isDead;
    } catch (error) {
      if (process.isDead && !signal.aborted) return false;
      throw error;
    }
  }

  /** Waits until the operator knows what the server has. */
  async #caughtUp(process: OperatorProcess, horizon: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    for (let turns = 0; !(await this.#isCaughtUp(process)); turns++) {
      signal.throwIfAborted();
      if (process.isDead) return false;
      const due = clock.nextDue();
      if (turns >= PATIENCE_TURNS && due !== undefined && due <= horizon) {
        await clock.advance(Math.max(0, due - clock.now()));
        turns = 0;
      } else await turn();
    }
    return !process.isDead;
  }

  async #isCaughtUp(process: OperatorProcess): Promise<boolean> {
    const { backend, injector } = this.#options;
    if (!(await backend.rests())) return false;
    return (process.manager.informers?.all() ?? []).every(
      (informer) => injector.withholds(informer.kind) || hasCaughtUp(informer, backend),
    );
  }

  #passed(key: string): void {
    this.passes++;
    const count = this.#counter.count(key);
    if (count === MAX_BLIND_PASSES) this.#options.injector.release();
    if (count >= MAX_PASSES)
      this.#restless.abort(new UnsettledError(`it does not come to rest: ${MAX_PASSES} passes of ${key} without time moving`));
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
