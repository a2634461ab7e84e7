/**
 * The work that only a leader does: passes, and runnables that need a leader. An operator without leader election always
 * leads. The work starts at most once, and ends once; a stop during the start ends the parts that have started.
 */
import type { HandlerController } from "../controller/handler-controller.ts";
import { isManagerError, ManagerError } from "../manager-error.ts";
import type { Runnable } from "../runnable.ts";
import { type Undo, unwind, within } from "../internal/promises.ts";
import { type RunnablesOptions, startRunnables } from "./start-runnables.ts";
import type { ShutdownBudget } from "./shutdown-budget.ts";
import type { Services } from "./services.ts";

type LeaderServices = Pick<Services, "clock" | "log" | "signal">;

/** What a leader runs. */
export interface LeaderWorkParts {
  readonly controllers: readonly HandlerController[];
  readonly runnables: readonly Runnable[];
  /** How the runnables are started. */
  readonly starting: RunnablesOptions;
  readonly budget: ShutdownBudget;
}

/** The work of a leader, from its start to its stop. */
export class LeaderWork {
  readonly #services: LeaderServices;
  readonly #parts: LeaderWorkParts;
  readonly #undo: Undo[] = [];
  #starting: Promise<void> | undefined;
  #isRunning = false;

  constructor(services: LeaderServices, parts: LeaderWorkParts) {
    this.#services = services;
    this.#parts = parts;
  }

  /** Whether a pass or a runnable may still act for the operator. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Starts the work. Rejects with the signal's reason, or with the error of a runnable. */
  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  /**
   * Waits for the passes in progress, then aborts their signals, then leaves them behind. If the leadership was `lost`, the
   * signals are aborted immediately, because the writes of those passes are refused.
   *
   * @throws ManagerError ERR_SHUTDOWN_TIMEOUT or ERR_RUNNABLE
   */
  async stop(lost?: Error): Promise<void> {
    await this.#starting?.catch(() => undefined); // The caller of start() gets the error.
    this.#undo.push(() => stopControllers(this.#services, this.#parts, lost));
    try {
      await unwind(this.#undo);
      this.#isRunning = false;
    } catch (error) {
      this.#isRunning = this.#isRunning && isTimeout(error);
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { signal } = this.#services;
    const { controllers, runnables, starting } = this.#parts;
    signal.throwIfAborted();
    this.#isRunning = true;
    await startRunnables(runnables, starting, this.#undo);
    signal.throwIfAborted();
    for (const controller of controllers) controller.start();
  }
}

async function stopControllers(
  { clock, log }: LeaderServices,
  { controllers, budget }: LeaderWorkParts,
  lost: Error | undefined,
): Promise<void> {
  for (const controller of controllers) controller.close();
  const ended = Promise.all(controllers.map((controller) => controller.ended()));
  const politeMs = lost === undefined ? budget.politeMs : 0;
  if (politeMs > 0 || lost === undefined) {
    if (await within(clock, politeMs, ended)) return;
    log.warn({ running: runningOf(controllers) }, `passes still in progress after ${politeMs / 1000} s: aborting their signals`);
  }
  for (const controller of controllers) controller.abort(lost ?? new Error("the operator is shutting down"));
  if (await within(clock, budget.abortedMs, ended)) return;
  const running = runningOf(controllers);
  const names = Object.entries(running).map(([name, passes]) => `${passes} of ${name}`);
  throw new ManagerError(
    "ERR_SHUTDOWN_TIMEOUT",
    `cannot stop within ${budget.totalMs / 1000} s: passes still in progress: ${names.join(", ")}; pass req.signal to what their steps wait for`,
  );
}

function isTimeout(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isTimeout);
  return isManagerError(error) && error.code === "ERR_SHUTDOWN_TIMEOUT";
}

function runningOf(controllers: readonly HandlerController[]): Readonly<Record<string, number>> {
  return Object.fromEntries(controllers.map((each) => [each.name, each.unfinished()] as const).filter(([, running]) => running > 0));
}
