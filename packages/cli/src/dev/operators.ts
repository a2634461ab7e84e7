/**
 * The processes of the operator, one after the other. A new one is started beside the one that works; when it has started, the old one
 * stops, and then the new one works. So there is never more than one that works, and broken code ends nothing.
 *
 * Guarantees
 * - At most one process works at any time.
 * - A process that cannot start leaves the one before it as it was.
 * - After `close` no process is left.
 */
import type { Clock, Timer } from "@treadle/apimachinery";
import { type Backoff, delayAfter, EXTERNAL_BACKOFF } from "@treadle/workqueue";
import type { FromOperator } from "./messages.ts";
import type { Exit, OperatorProcess, StartOperator } from "./operator-process.ts";

/** Why a process is started. */
export type StartReason = "start" | "edit" | "crash" | "port";

type Starting = Extract<FromOperator, { readonly type: "starting" }>;

/** What the processes need of their surroundings. */
export interface OperatorsOptions {
  readonly start: StartOperator;
  readonly clock: Clock;
  /** Prepares the cluster for a process that is about to start. What it throws ends the process. */
  prepare(starting: Starting): Promise<void>;
  /** Called with each file that the newest process loads, and its state before that. */
  onFile(path: string, stamp: string): void;
  readonly report: OperatorReports;
}

/** What happens, for the output. */
export interface OperatorReports {
  starting(reason: StartReason): void;
  /** A process works. */
  working(started: { readonly handlers: readonly string[]; readonly durationMs: number; readonly pid: number | undefined }): void;
  /** A process could not start. `isPreviousRunning`: another one still works. `retryMs`: the time until the next attempt. */
  failed(failed: { readonly message: string; readonly isPreviousRunning: boolean; readonly retryMs?: number }): void;
  /** A process that worked has ended by itself. `retryMs`: the time until it is started again. */
  ended(ended: { readonly how: Exit; readonly message?: string; readonly retryMs?: number }): void;
  /** The newest process still loads, after a time in which others have started. */
  slow(): void;
  /** A process that worked does not stop in time, and is ended. */
  killed(): void;
  /** `isLeaving`: the process is being replaced. */
  line(line: Extract<FromOperator, { readonly type: "line" }>["line"], isLeaving: boolean): void;
  pass(pass: Extract<FromOperator, { readonly type: "pass" }>["pass"]): void;
  printed(stream: "stdout" | "stderr", text: string): void;
}

/** A program that starts no manager for so long may have none, in milliseconds. */
const SLOW_MS = 10_000;
/** How long a process may take to stop, in milliseconds. */
const STOP_MS = 10_000;
/** A process that worked for so long is healthy, in milliseconds: the backoff starts again. */
const HEALTHY_MS = 60_000;
/** The backoff after a crash: the cause may be outside of the program, so more attempts help, but not many in a second. */
const CRASH_BACKOFF: Backoff = EXTERNAL_BACKOFF;

interface Running {
  readonly process: OperatorProcess;
  readonly startedMs: number;
  readonly handlers: string[];
  /** Whether the module was loaded, and a manager of it is about to start. */
  isLoaded: boolean;
  workingSinceMs: number | undefined;
  failure: Extract<FromOperator, { readonly type: "failed" }> | undefined;
}

export class Operators {
  readonly #options: OperatorsOptions;
  readonly #ending = new Map<Running, Promise<void>>();
  #current: Running | undefined;
  #next: Running | undefined;
  #retry: Timer | undefined;
  #crashes = 0;
  #isClosed = false;

  constructor(options: OperatorsOptions) {
    this.#options = options;
  }

  /** Starts a process of the present code. One that is starting is given up. */
  start(reason: StartReason): void {
    if (this.#isClosed) return;
    if (reason !== "crash") this.#crashes = 0;
    this.#retry?.cancel();
    if (this.#next !== undefined) void this.#end(this.#next);
    this.#options.report.starting(reason);
    this.#next = this.#spawn();
  }

  /** Stops everything gracefully. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.cancel();
    for (const running of [this.#next, this.#current]) if (running !== undefined) void this.#end(running);
    this.#next = this.#current = undefined;
    await Promise.all(this.#ending.values());
  }

  #spawn(): Running {
    const { start, clock, report } = this.#options;
    const process = start({
      message: (message) => this.#heard(running, message),
      printed: (stream, text) => report.printed(stream, text),
    });
    const running: Running = {
      process,
      startedMs: clock.now(),
      handlers: [],
      isLoaded: false,
      workingSinceMs: undefined,
      failure: undefined,
    };
    const timer = clock.after(SLOW_MS, () => {
      if (running === this.#next && !running.isLoaded) report.slow();
    });
    void process.exited.then((how) => {
      timer.cancel();
      this.#exited(running, how);
    });
    return running;
  }

  #heard(running: Running, message: FromOperator): void {
    const { report, onFile } = this.#options;
    switch (message.type) {
      case "file":
        if (running === (this.#next ?? this.#current)) onFile(message.path, message.stamp);
        return;
      case "starting":
        return void this.#prepare(running, message);
      case "running":
        if (running === this.#next) void this.#handOver(running);
        return;
      case "line":
        return report.line(message.line, running !== this.#next && (running !== this.#current || this.#next?.isLoaded === true));
      case "pass":
        return report.pass(message.pass);
      case "failed":
        running.failure = message;
    }
  }

  async #prepare(running: Running, message: Starting): Promise<void> {
    running.isLoaded = true;
    running.handlers.push(...message.handlers);
    try {
      await this.#options.prepare(message);
      running.process.send({ type: "prepared", manager: message.manager });
    } catch (error) {
      if (this.#isClosed) return;
      running.failure = { type: "failed", message: error instanceof Error ? error.message : String(error), isPortInUse: false };
      running.process.kill();
    }
  }

  async #handOver(next: Running): Promise<void> {
    const { clock, report } = this.#options;
    const old = this.#current;
    this.#current = undefined;
    if (old !== undefined) await this.#end(old);
    // A later edit may have replaced it, or it may have ended.
    if (this.#next !== next) return;
    this.#next = undefined;
    this.#current = next;
    next.workingSinceMs = clock.now();
    next.process.send({ type: "lead" });
    report.working({ handlers: next.handlers, durationMs: next.workingSinceMs - next.startedMs, pid: next.process.pid });
  }

  #exited(running: Running, how: Exit): void {
    if (this.#ending.has(running) || this.#isClosed) return;
    if (running === this.#next) this.#startFailed(running, how);
    else if (running === this.#current) this.#crashed(running, how);
  }

  #startFailed({ failure, isLoaded }: Running, how: Exit): void {
    this.#next = undefined;
    const isPreviousRunning = this.#current !== undefined;
    if (failure?.isPortInUse === true && this.#current !== undefined) return void this.#startAlone(this.#current);
    const message = failure?.message ?? `the program ended with ${howText(how)} before a manager of it had started`;
    // The same code would fail to load again. What follows depends on the cluster as well.
    const retryMs = isLoaded && !isPreviousRunning ? this.#startLater() : undefined;
    this.#options.report.failed({ message, isPreviousRunning, ...(retryMs === undefined ? {} : { retryMs }) });
  }

  /** The program has a port of its own, so two processes cannot run at the same time. */
  async #startAlone(old: Running): Promise<void> {
    this.#current = undefined;
    this.#options.report.starting("port");
    await this.#end(old);
    if (this.#next === undefined && !this.#isClosed) this.#next = this.#spawn();
  }

  #crashed({ failure, workingSinceMs }: Running, how: Exit): void {
    const { clock, report } = this.#options;
    this.#current = undefined;
    if (clock.now() - (workingSinceMs ?? 0) >= HEALTHY_MS) this.#crashes = 0;
    const isDone = how.code === 0 && failure === undefined;
    const retryMs = isDone || this.#next !== undefined ? undefined : this.#startLater();
    report.ended({
      how,
      ...(failure === undefined ? {} : { message: failure.message }),
      ...(retryMs === undefined ? {} : { retryMs }),
    });
  }

  #startLater(): number {
    const { clock } = this.#options;
    const delayMs = delayAfter(CRASH_BACKOFF, this.#crashes++);
    this.#retry?.cancel();
    this.#retry = clock.after(delayMs, () => this.start("crash"));
    return delayMs;
  }

  #end(running: Running): Promise<void> {
    const { clock, report } = this.#options;
    const known = this.#ending.get(running);
    if (known !== undefined) return known;
    running.process.send({ type: "stop" });
    const timer = clock.after(STOP_MS, () => {
      report.killed();
      running.process.kill();
    });
    const ended = running.process.exited.then(() => {
      timer.cancel();
      this.#ending.delete(running);
    });
    this.#ending.set(running, ended);
    return ended;
  }
}

/** Returns how a process ended, as in `exit code 1`. */
export function howText({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`;
}
