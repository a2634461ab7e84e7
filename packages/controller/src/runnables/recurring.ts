/** Repeats work by a period or a schedule, never twice at a time. It does not know the work, nor handles its failures. */
import type { Clock, Random, Timer } from "@treadle/apimachinery";

/** When work repeats: by a period, or by a schedule. */
export type Recurrence = Every | Scheduled;

/** Repeats work by a period. */
export interface Every {
  /** Time from the end of one run to the start of the next, in milliseconds. */
  readonly everyMs: number;
  /** Maximum random share of `everyMs` that is added, so that many runs do not start together. @defaultValue 0.1 */
  readonly jitter?: number;
  /** Whether the first run starts immediately; false: after `everyMs`. @defaultValue true */
  readonly atOnce?: boolean;
  /** Not together with `everyMs`. */
  readonly schedule?: undefined;
}

/** Repeats work by a schedule. */
export interface Scheduled {
  /** `cron()` of `@treadle/controller/cron`, or a custom schedule. Times during a run, or while no manager runs, are skipped. */
  readonly schedule: Schedule;
  /** Not together with `schedule`. */
  readonly everyMs?: undefined;
}

/** A list of times of day. */
export interface Schedule {
  /**
   * The first time after `afterMs`, both in milliseconds since the epoch; undefined: there are no more times. An error at
   * the start makes the start fail. A later error is logged, and the schedule is asked again after a minute.
   */
  next(afterMs: number): number | undefined;
}

export interface RecurringOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Ends the repetition. */
  readonly signal: AbortSignal;
  /** The work, which must not reject. It may resolve with the delay of the next run, in milliseconds. */
  readonly run: () => Promise<number | undefined>;
  /** Called with the error of a schedule, which is asked again after a minute. */
  readonly failed: (error: unknown) => void;
}

/** Checks times. @throws RangeError that begins with `what` */
export function checkRecurrence(what: string, { everyMs, schedule, ...rest }: Recurrence): void {
  if (schedule !== undefined) {
    if (everyMs !== undefined || typeof schedule.next !== "function")
      throw new RangeError(`${what}: give everyMs, or a schedule such as cron("0 3 * * *")`);
    return;
  }
  const { jitter = 0.1 } = rest as Pick<Every, "jitter">;
  if (!(everyMs > 0 && everyMs <= MAX_MS)) throw new RangeError(`${what}: everyMs is ${everyMs}: give milliseconds above 0, or a schedule`);
  if (!(jitter >= 0 && jitter <= 1)) throw new RangeError(`${what}: jitter is ${jitter}: give a share from 0 to 1`);
}

/** Work that repeats until it is stopped. */
export class Recurring {
  readonly #recurrence: Recurrence;
  readonly #options: RecurringOptions;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  /** Starts. @throws what a schedule throws, and RangeError for an invalid first time */
  constructor(recurrence: Recurrence, options: RecurringOptions) {
    this.#recurrence = recurrence;
    this.#options = options;
    if (recurrence.schedule === undefined && recurrence.atOnce !== false) this.#begin();
    else this.#plan(undefined);
  }

  /** Resolves when the run in progress has ended. No run starts after it. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#running;
  }

  readonly #begin = (): void => {
    this.#running = this.#run();
  };

  async #run(): Promise<void> {
    const againMs = await this.#options.run();
    this.#running = undefined;
    this.#planAgain(againMs);
  }

  #planAgain(againMs?: number): void {
    try {
      this.#plan(againMs);
    } catch (error) {
      const { clock, failed } = this.#options;
      failed(error);
      this.#timer = clock.after(PIECE_MS, () => this.#planAgain());
    }
  }

  #plan(againMs: number | undefined): void {
    const { clock, random, signal } = this.#options;
    if (signal.aborted) return;
    if (againMs !== undefined) this.#timer = clock.after(againMs, this.#begin);
    else if (this.#recurrence.schedule === undefined) {
      const { everyMs, jitter = 0.1 } = this.#recurrence;
      this.#timer = clock.after(everyMs * (1 + jitter * random.next()), this.#begin);
    } else {
      const now = clock.now();
      const at = this.#recurrence.schedule.next(now);
      if (at === undefined) return;
      if (!(at > now)) throw new RangeError(`the schedule gave ${at} as the first time after ${now}: it must be later`);
      this.#waitFor(at);
    }
  }

  /** Waits in pieces, because the time of day may be set, and the machine may sleep. */
  #waitFor(at: number): void {
    const { clock } = this.#options;
    const restMs = at - clock.now();
    if (restMs <= 0) this.#begin();
    else this.#timer = clock.after(Math.min(restMs, PIECE_MS), () => this.#waitFor(at));
  }
}

const PIECE_MS = 60_000;
/** The longest time that a timer of Node can wait, less the jitter. */
const MAX_MS = 2 ** 30;
