/** An operator in a test cluster: a manager over the cluster's server, in its time, and the wait until it is at rest. */
import { setTimeout as delay } from "node:timers/promises";
import { type Clock, type FakeClock, keyOf, type Kind } from "@treadle/apimachinery";
import { createClient, httpTransport } from "@treadle/client";
import {
  type ControllerOptions,
  createManager,
  isManagerError,
  type Manager,
  type PassReport,
  type RbacManifest,
} from "@treadle/controller";
import type { AnyHandler, UndeclaredUse } from "@treadle/reconcile";
import type { Backend } from "./internal/backend.ts";
import { faultyTransport } from "./faults/transport.ts";
import { hasCaughtUp } from "./internal/caught-up.ts";
import { PassCounter } from "./internal/pass-counter.ts";
import { type LogLine, recordingLogger } from "./internal/log-recorder.ts";
import { restless } from "./internal/restless.ts";
import { collectUndeclared } from "./internal/undeclared.ts";
import { turn } from "./internal/turns.ts";

export interface StartOptions extends ControllerOptions {
  /** The namespaces that are watched. @defaultValue all */
  readonly namespaces?: readonly string[];
  /** Kinds whose CRDs are not installed for this operator; they come later by `cluster.install`. */
  readonly missing?: readonly Kind[];
  /** How the operator reaches the server; `"http"` needs a cluster with `http` and real time. @defaultValue "in-process" */
  readonly transport?: "in-process" | "http";
  /**
   * What the operator may do: what these manifests grant to the ServiceAccount among them, or everything. @defaultValue `rbacManifests()` of the handlers, and no more
   */
  readonly rbac?: readonly RbacManifest[] | "administrator";
}

export interface SettledOptions {
  /**
   * Keys due within so many milliseconds from now are waited for, too: virtual time moves to each of them.
   * @defaultValue 10_000 in virtual time (the longest delay of the waiting curve), 0 in real time; on a real server 1_000,
   * and never more than 2_000: what is claimed of longer times is proven in virtual time
   */
  readonly horizonMs?: number;
  /** Real milliseconds after which it is given up. @defaultValue 10_000 beyond a horizon in real time, 60_000 on a real server */
  readonly timeoutMs?: number;
}

/** An operator at work. */
export interface TestOperator extends AsyncDisposable {
  /**
   * Resolves when no key is queued or running, none is due before the horizon, the garbage collector has nothing left to do,
   * and everything that the server has was delivered. Never looks by the clock. @throws Error that says what is still going on when it is given up, or which
   * object does not come to rest: 1,000 passes of it without virtual time moving
   */
  settled(options?: SettledOptions): Promise<void>;
  /** Stops it gracefully; the cluster goes on. Idempotent. */
  stop(): Promise<void>;
  /** Every pass so far, oldest first. */
  readonly passes: readonly PassReport[];
  readonly logs: readonly LogLine[];
  /** What steps read by `req.client` of kinds that their handler does not declare. */
  readonly undeclared: readonly UndeclaredUse[];
  readonly manager: Manager;
}

export class Operator implements TestOperator {
  readonly manager: Manager;
  readonly passes: PassReport[] = [];
  readonly logs: LogLine[] = [];
  readonly undeclared: UndeclaredUse[] = [];
  readonly #backend: Backend;
  /** Told of every pass, each by a `settled` that waits. */
  readonly #watchers = new Set<(report: PassReport) => void>();
  #hasGivenUp = false;

  constructor(
    backend: Backend,
    given: {
      readonly options: StartOptions;
      readonly handlers: readonly AnyHandler[];
      readonly url: string | undefined;
      readonly user?: string | undefined;
    },
  ) {
    const { namespaces, transport: _transport, rbac: _rbac, missing: _missing, ...controllerOptions } = given.options;
    this.#backend = backend;
    const { clock, random, requests } = backend;
    let passes = 0;
    this.manager = createManager({
      client: (wish) =>
        createClient({
          // One of its own: whoever stops closes what it had.
          transport: requests.through(
            faultyTransport(given.url === undefined ? backend.transport(given.user) : httpTransport({ server: given.url }), backend.faults),
          ),
          ...wish,
        }),
      clock,
      random,
      log: recordingLogger(this.logs),
      probes: false,
      metrics: false,
      onUndeclared: collectUndeclared(this.undeclared),
      newReconcileID: () => `pass-${++passes}`,
      onPass: (report) => {
        this.passes.push(report);
        for (const watch of this.#watchers) watch(report);
      },
      ...(namespaces === undefined ? {} : { namespaces }),
    });
    for (const handler of given.handlers) this.manager.add(handler, controllerOptions);
  }

  async begin(): Promise<void> {
    await this.#withTime(this.manager.start());
  }

  async settled(options: SettledOptions = {}): Promise<void> {
    const { clock } = this.#backend;
    const { isReal } = this.#backend;
    const wantedMs = options.horizonMs ?? (isFake(clock) ? DEFAULT_HORIZON_MS : isReal ? REAL_HORIZON_MS : 0);
    const horizonMs = isReal ? Math.min(wantedMs, MAX_REAL_HORIZON_MS) : wantedMs;
    const horizon = clock.now() + horizonMs;
    const timeoutMs = options.timeoutMs ?? (isReal ? GIVE_UP_REAL_MS : GIVE_UP_MS) + (isFake(clock) ? 0 : horizonMs);
    const givingUp = new AbortController();
    const timer = setTimeout(() => givingUp.abort(new Error(this.#unsettled(timeoutMs))), timeoutMs);
    const { signal } = givingUp;
    const counter = new PassCounter(clock);
    const watch = ({ handler, ref, result }: PassReport): void => {
      if (counter.count(`${handler.name} ${keyOf(ref)}`) < MAX_PASSES) return;
      givingUp.abort(new Error(restless(`op.settled: ${keyOf(ref)}`, result, MAX_PASSES)));
    };
    this.#watchers.add(watch);
    this.#hasGivenUp = true;
    try {
      for (;;) {
        // What the simulated workloads do first is seen first.
        const end = Math.min(horizon, this.#backend.workloadsDue(horizon) ?? horizon);
        await this.manager.settled({ horizonMs: Math.max(0, end - clock.now()), signal });
        const { length } = this.passes;
        await this.#catchUp(end, signal);
        const due = this.#backend.workloadsDue(horizon);
        if (due !== undefined) {
          await this.#backend.pass(due);
          continue;
        }
        if (end < horizon) continue;
        // What a pass wrote while everything was compared may be on its way to others.
        if (this.passes.length > length) continue;
        if (this.manager.status().controllers.every(({ queued, running }) => queued + running === 0)) break;
      }
      this.#hasGivenUp = false;
    } finally {
      this.#watchers.delete(watch);
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    await this.#withTime(this.manager.stop());
  }

  /** Whether `settled` was called and did not see it at rest: whoever called knows that something is wrong. */
  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.stop();
    } catch (error) {
      // A SuppressedError in its place would hide what `settled` said of the same pass.
      if (!(this.#hasGivenUp && isManagerError(error) && error.code === "ERR_SHUTDOWN_TIMEOUT")) throw error;
    }
  }

  /** Waits for what may need time: virtual time moves where nothing else does. */
  async #withTime(work: Promise<void>): Promise<void> {
    const { clock, requests, faults } = this.#backend;
    let isOver = !isFake(clock);
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    for (let turns = 0; !isOver && isFake(clock); turns = requests.pending > faults.waiting ? 0 : turns + 1) {
      const due = clock.nextDue();
      await clock.advance(turns < PATIENCE_TURNS || due === undefined ? 0 : Math.max(0, due - clock.now()));
    }
    await work;
  }

  /** Everything that the server has is delivered; an informer that lost its watch may need time to come back. */
  async #catchUp(horizon: number, signal: AbortSignal): Promise<void> {
    const { clock, requests, faults } = this.#backend;
    for (let turns = 0; !(await this.#isCaughtUp()); turns = requests.pending > faults.waiting ? 0 : turns + 1) {
      signal.throwIfAborted();
      const due = isFake(clock) ? clock.nextDue() : undefined;
      if (isFake(clock) && due !== undefined && due <= horizon && turns >= PATIENCE_TURNS)
        await clock.advance(Math.max(0, due - clock.now()));
      else if (this.#backend.isReal) await delay(REAL_POLL_MS);
      else await turn();
    }
  }

  async #isCaughtUp(): Promise<boolean> {
    if (!(await this.#backend.rests())) return false;
    return (this.manager.informers?.all() ?? []).every(
      // What is frozen is not waited for: how the operator lives with it is what the test wants to see.
      (informer) => this.#backend.faults.freezes(informer.kind) || hasCaughtUp(informer, this.#backend),
    );
  }

  #unsettled(afterMs: number): string {
    const { state, controllers } = this.manager.status();
    const busy = controllers.map(
      ({ name, queued, running, delayed }) => `${name}: ${running} running, ${queued} queued, ${delayed} delayed`,
    );
    const last = this.passes.at(-1);
    const lastText =
      last === undefined
        ? "no pass has ended yet"
        : `the last pass, of ${keyOf(last.ref)}, ended "${last.result.outcome.type}"${reasonOf(last.result.outcome)}`;
    const inProgress = this.#backend.workloadsInProgress();
    const workloads =
      inProgress.length === 0 ? "" : ` The cluster is not done with ${inProgress.join(", ")}: does it have controllers and nodes?`;
    return `op.settled: not settled after ${afterMs} real ms (manager ${state}; ${busy.join("; ")}; ${lastText}).${workloads} A step that runs waits for something that does not come, for time beyond the horizon (raise horizonMs), or every pass starts another`;
  }
}

function reasonOf(outcome: PassReport["result"]["outcome"]): string {
  return outcome.type === "wait" || outcome.type === "stop" ? ` at step "${outcome.step}": ${outcome.reason}` : "";
}

/** Virtual time that `settled` looks ahead: the longest wait of the waiting backoff (WAITING_BACKOFF of `@treadle/workqueue`). */
export const DEFAULT_HORIZON_MS = 10_000;
/** Of a wait on a real server the first five tries. */
const REAL_HORIZON_MS = 1_000;
const MAX_REAL_HORIZON_MS = 2_000;
/** Each look lists every kind in use. */
const REAL_POLL_MS = 20;
/** The garbage collector learns of a new kind within 30 s. */
const GIVE_UP_REAL_MS = 60_000;
/** More passes of one object than that without time moving are a loop; as in `fakeWorld`. */
const MAX_PASSES = 1_000;
/** Real time after which `settled` reports what does not come: well above what a busy machine needs, below what a person waits. */
const GIVE_UP_MS = 10_000;
/**
 * Turns of the event loop in which nothing is asked of the server before virtual time moves. Ten times what a promise
 * chain inside the process takes (QUIET_TURNS of the manager): moving too early would fire a deadline that work beats.
 */
const PATIENCE_TURNS = 100;

export function isFake(clock: Clock): clock is FakeClock {
  return "advance" in clock;
}
