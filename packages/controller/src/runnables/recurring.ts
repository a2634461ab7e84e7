/**
 * What comes back, by a period or a schedule: never twice at a time, with what waits for it to end. Knows nothing of what
 * is run, nor of its failures.
 */
import type { Clock, Random, Timer } from "@treadle/apimachinery";

/** When something comes back. */
export type Recurrence = Every | Scheduled;

export interface Every {
  /** From the end of one run to the beginning of the next, in milliseconds. */
  readonly everyMs: number;
  /** Up to this share of `everyMs` is added by chance, so that many do not come at once. @defaultValue 0.1 */
  readonly jitter?: number;
  /** Whether the first run begins with the manager, not after `everyMs`. @defaultValue true */
  readonly atOnce?: boolean;
  readonly schedule?: undefined;
}

export interface Scheduled {
  /** `cron()` of `@treadle/controller/cron`, or one of your own. A time that comes while a run is in progress, or no manager runs, is left out. */
  readonly schedule: Schedule;
  readonly everyMs?: undefined;
}

/** Times of the day's clock. */
export interface Schedule {
  /**
   * The first time after `afterMs`, both in milliseconds of the epoch; undefined: there is none any more. What it throws
   * at the start ends that; later it is logged, and it is asked again after a minute.
   */
  next(afterMs: number): number | undefined;
}

export interface RecurringOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Must not reject. What it resolves to is, in milliseconds, when to run again instead. */
  readonly run: () => Promise<number | undefined>;
  /** Told why a schedule gives no next time; it is asked again after a minute. */
  readonly failed: (error: unknown) => void;
}

/** @throws RangeError for times that are none; `what` names whose they are */
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

export class Recurring {
  readonly #recurrence: Recurrence;
  readonly #options: RecurringOptions;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  /** Begins. @throws what a schedule throws, and RangeError where its first time is none */
  constructor(recurrence: Recurrence, options: RecurringOptions) {
    this.#recurrence = recurrence;
    this.#options = options;
    if (recurrence.schedule === undefined && recurrence.atOnce !== false) this.#begin();
    else this.#plan(undefined);
  }

  /** Resolves when the run in progress, if any, has ended; nothing comes after it. */
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

  /** In pieces: the time of day may be set, and the machine may sleep. */
  #waitFor(at: number): void {
    const { clock } = this.#options;
    const restMs = at - clock.now();
    if (restMs <= 0) this.#begin();
    else this.#timer = clock.after(Math.min(restMs, PIECE_MS), () => this.#waitFor(at));
  }
}

const PIECE_MS = 60_000;
/** The longest time that a timer of Node can wait, with its jitter. */
const MAX_MS = 2 ** 30;
