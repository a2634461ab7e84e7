/** An operator in a test cluster: a manager over the cluster's server and in its time. */
import { isFakeClock, keyOf } from "@treadle/apimachinery";
import { createClient, httpTransport } from "@treadle/client";
import { createManager, isManagerError, type Manager, type PassReport } from "@treadle/controller";
import type { AnyHandler, UndeclaredUse } from "@treadle/reconcile";
import { WAITING_BACKOFF } from "@treadle/workqueue";
import { faultyTransport } from "../faults/transport.ts";
import type { LogLine, RecordedEvent, RecordedPass } from "../test-environment.ts";
import type { SettledOptions, StartOptions, TestOperator } from "../test-operator.ts";
import type { Backend } from "./backend.ts";
import { recordingEvents } from "./event-records.ts";
import { recordingLogger } from "./log-recorder.ts";
import { PassCounter } from "./pass-counter.ts";
import { outcomeOf } from "./pass-outcome.ts";
import { settle } from "./settle.ts";
import { collectUndeclared } from "./undeclared.ts";
import { unsettledText } from "./unsettled-text.ts";
import { withTime, withTimeout } from "./virtual-time.ts";

/** What an operator is made of. */
export interface OperatorSetup {
  readonly handlers: readonly AnyHandler[];
  readonly options: StartOptions;
  /** The HTTP front of the server; undefined for a connection in the process. */
  readonly url: string | undefined;
  /** The user that the operator acts as; undefined for the administrator. */
  readonly user: string | undefined;
}

export class Operator implements TestOperator {
  readonly manager: Manager;
  readonly handlers: readonly AnyHandler[];
  readonly passes: RecordedPass[] = [];
  readonly events: RecordedEvent[] = [];
  readonly logs: LogLine[] = [];
  readonly undeclared: UndeclaredUse[] = [];
  readonly #backend: Backend;
  /** Called with every pass, each by a `settled` that waits. */
  readonly #watchers = new Set<(report: PassReport) => void>();
  #isStopped = false;
  #hasTimedOut = false;

  constructor(backend: Backend, { handlers, options, url, user }: OperatorSetup) {
    const { namespaces, controller = {}, runnables = [] } = options;
    this.#backend = backend;
    this.handlers = handlers;
    const { clock, random, requests, faults } = backend;
    let passes = 0;
    this.manager = createManager({
      client: (clientOptions) => {
        // The manager closes its transport when it stops, so each operator has its own.
        const server = url === undefined ? backend.transport(user) : httpTransport({ server: url });
        const transport = recordingEvents(requests.through(faultyTransport(server, faults)), this.events);
        return createClient({ transport, ...clientOptions });
      },
      clock,
      random,
      log: recordingLogger(this.logs),
      probes: false,
      metrics: false,
      onUndeclared: collectUndeclared(this.undeclared),
      newReconcileID: () => `pass-${++passes}`,
      onPass: (report) => this.#passed(report),
      ...(namespaces === undefined ? {} : { namespaces }),
    });
    for (const handler of handlers) this.manager.add(handler, controller);
    for (const runnable of runnables) this.manager.add(runnable);
  }

  /** Starts the operator. A signal that is aborted stops it, also later. Rejects when nothing of it runs any more. */
  async begin(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const stop = (): Promise<void> => this.stop().catch(() => undefined); // Another caller of stop() gets its error.
    signal?.addEventListener("abort", () => void stop(), { once: true });
    try {
      await this.#withTime(this.manager.start());
    } catch (error) {
      if (signal?.aborted === true) await stop();
      throw error;
    }
  }

  async settled(options: SettledOptions = {}): Promise<void> {
    if (this.#isStopped) return;
    const backend = this.#backend;
    const { clock } = backend;
    const { horizonMs, timeoutMs } = this.#limits(options);
    const horizon = clock.now() + horizonMs;
    this.#hasTimedOut = true;
    await withTimeout(
      timeoutMs,
      () => this.#unsettled(timeoutMs),
      async (timeout) => {
        const stopCounting = this.#countPasses((reason) => timeout.abort(reason));
        try {
          await settle({
            backend,
            signal: timeout.signal,
            process: () => this,
            horizon: () => horizon,
            // Simulated workloads act before passes that are due later.
            end: () => Math.min(horizon, backend.workloadsDue(horizon) ?? horizon),
            isHeld: ({ kind }) => backend.faults.freezes(kind), // The test wants to see how the operator lives with a frozen watch.
            isBusy: () => this.#isBusy(),
            passes: () => this.passes.length,
          });
        } finally {
          stopCounting();
        }
      },
    );
    this.#hasTimedOut = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#withTime(this.manager.stop());
  }

  /** Whether the operator was stopped, so that its handlers no longer keep their statuses. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Whether the last `settled` failed: then the test has its error, and statuses may be unfinished. */
  get hasTimedOut(): boolean {
    return this.#hasTimedOut;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.stop();
    } catch (error) {
      // A SuppressedError would hide the error that `settled` threw for the same pass.
      if (!(this.#hasTimedOut && isManagerError(error) && error.code === "ERR_SHUTDOWN_TIMEOUT")) throw error;
    }
  }

  #passed(report: PassReport): void {
    const { handler, ref, result } = report;
    const pass = { ...result, outcome: outcomeOf(result), handler: handler.name, key: keyOf(ref), atMs: this.#backend.clock.now() };
    this.passes.push(pass);
    for (const watch of this.#watchers) watch(report);
  }

  /** Calls `fail` when one object has too many passes without a move of time, until the returned function is called. */
  #countPasses(fail: (reason: Error) => void): () => void {
    const counter = new PassCounter(this.#backend.clock);
    const watch = ({ handler, ref, result }: PassReport): void => {
      if (counter.count(`${handler.name} ${keyOf(ref)}`) < MAX_PASSES) return;
      fail(new Error(unsettledText(`op.settled: ${keyOf(ref)}`, result, MAX_PASSES)));
    };
    this.#watchers.add(watch);
    return () => void this.#watchers.delete(watch);
  }

  #limits(options: SettledOptions): Required<SettledOptions> {
    const { clock, isReal } = this.#backend;
    const wantedMs = options.horizonMs ?? (isFakeClock(clock) ? DEFAULT_HORIZON_MS : isReal ? REAL_HORIZON_MS : 0);
    const horizonMs = isReal ? Math.min(wantedMs, MAX_REAL_HORIZON_MS) : wantedMs;
    const timeoutMs = options.timeoutMs ?? (isReal ? REAL_TIMEOUT_MS : TIMEOUT_MS) + (isFakeClock(clock) ? 0 : horizonMs);
    return { horizonMs, timeoutMs };
  }

  /** Whether a request is on its way that neither a fault nor a webhook holds back: a webhook may wait for the time. */
  #isBusy(): boolean {
    const { requests, faults, webhookCalls } = this.#backend;
    return requests.pending > faults.waiting + webhookCalls;
  }

  async #withTime(work: Promise<void>): Promise<void> {
    await withTime(work, { clock: this.#backend.clock, isBusy: () => this.#isBusy() });
  }

  #unsettled(afterMs: number): string {
    const { state, controllers } = this.manager.status();
    const busy = controllers.map(
      ({ name, queued, running, delayed }) => `${name}: ${running} running, ${queued} queued, ${delayed} delayed`,
    );
    const last = this.passes.at(-1);
    const lastText = last === undefined ? "no pass has ended yet" : `the last pass, of ${last.key}, ended ${endOf(last)}`;
    const inProgress = this.#backend.workloadsInProgress();
    const workloads =
      inProgress.length === 0 ? "" : ` The cluster has not finished ${inProgress.join(", ")}: does it have controllers and nodes?`;
    return `op.settled: not settled after ${afterMs} real ms (manager ${state}; ${busy.join("; ")}; ${lastText}).${workloads} A running step waits for something that does not happen or for time beyond the horizon (raise horizonMs), or each pass triggers another one`;
  }
}

function endOf({ outcome }: RecordedPass): string {
  const reason = outcome.type === "wait" || outcome.type === "stop" ? ` at step "${outcome.step}": ${outcome.reason}` : "";
  return `"${outcome.type}"${reason}`;
}

/** The longest delay of a wait. */
export const DEFAULT_HORIZON_MS: number = WAITING_BACKOFF.maxMs;
/** The first five delays of a wait. */
const REAL_HORIZON_MS = 1_000;
const MAX_REAL_HORIZON_MS = 2_000;
/** The garbage collector of a real cluster discovers a new kind within 30 s. */
const REAL_TIMEOUT_MS = 60_000;
/** Well above the needs of a busy machine, below the patience of a person. */
const TIMEOUT_MS = 10_000;
/** More passes of one object without a move of time are a loop; as in `fakeWorld`. */
const MAX_PASSES = 1_000;
