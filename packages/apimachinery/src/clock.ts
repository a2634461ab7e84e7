/** Time as a service: whatever reads the time or waits uses a {@link Clock}, so that tests run in virtual time. */
import { monotonicNow } from "./internal/monotonic.ts";

/** A pending timer. */
export interface Timer {
  /** Cancels the timer. Does nothing when it has fired. */
  cancel(): void;
}

/** Reads the time and sets timers. */
export interface Clock {
  /** Returns the milliseconds since the epoch. It never goes back, so differences are durations. */
  now(): number;
  /**
   * Returns the milliseconds since a fixed moment, by a clock that is never adjusted. It never jumps, but it may stop while
   * the machine is suspended. Between two moments it never counts more than {@link now}. So use `elapsed` where acting
   * too early is wrong, and `now` where acting too late is wrong.
   */
  elapsed(): number;
  /**
   * Calls `run` once after `delayMs` (values below zero count as zero). A timer does not keep the process alive.
   * @throws RangeError when `delayMs` is NaN
   */
  after(delayMs: number, run: () => void): Timer;
}

/**
 * The clock of the machine.
 *
 * Guarantees: a change of the machine's time does not stall any wait. When the wall clock is set back, `now` continues
 * and stays ahead of it until the process ends. When the wall clock jumps forward, `now` follows. The time that a machine was
 * suspended counts.
 *
 * Caveats: timers stop while a machine is suspended. A timer that became due meanwhile fires late, after the rest of its delay.
 */
export const systemClock: Clock = {
  now: monotonicNow(
    () => Date.now(),
    () => performance.now(),
  ),
  elapsed: () => performance.now(),
  after(delayMs, run) {
    checkDelay(delayMs);
    const deadline = systemClock.now() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      // setTimeout fires at once for delays above 2^31-1 ms, so a long wait is split.
      const rest = deadline - systemClock.now();
      handle = rest > MAX_TIMEOUT_MS ? setTimeout(arm, MAX_TIMEOUT_MS) : setTimeout(run, Math.max(0, rest));
      handle.unref();
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** NaN has no order: a timer with this delay would hide all others. */
function checkDelay(delayMs: number): void {
  if (Number.isNaN(delayMs)) throw new RangeError("a delay must be a number of milliseconds, not NaN");
}

/** Waits for `delayMs` milliseconds. Rejects with the signal's reason when the signal is aborted first. */
export async function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** A clock that moves only by {@link FakeClock.advance}. Timers that are due at the same time fire in the order in which they were set. */
export interface FakeClock extends Clock {
  /**
   * Moves the time forward and fires due timers in order. Work that a timer starts runs before the next timer fires.
   * Concurrent calls end at the latest of their times. A timer that throws does not stop the others.
   * @throws RangeError when `delayMs` is not finite or is below zero; at the end, the error of a timer, or an AggregateError of several
   */
  advance(delayMs: number): Promise<void>;
  /** Returns the time at which the next timer is due, or `undefined` when no timer is pending. */
  nextDue(): number | undefined;
}

/** Tells whether the clock is a {@link FakeClock}. */
export function isFakeClock(clock: Clock): clock is FakeClock {
  return "advance" in clock && "nextDue" in clock;
}

/** Creates a {@link FakeClock} that starts at `startMs`, by default 2026-01-01T00:00:00Z. */
export function fakeClock(startMs: number = Date.UTC(2026, 0, 1)): FakeClock {
  let now = startMs;
  let sequence = 0;
  const timers = new Map<number, { readonly due: number; readonly run: () => void }>();

  const next = (): { readonly id: number; readonly due: number } | undefined => {
    let found: { id: number; due: number } | undefined;
    for (const [id, timer] of timers) if (found === undefined || timer.due < found.due) found = { id, due: timer.due };
    return found;
  };
  return {
    now: () => now,
    elapsed: () => now - startMs,
    after(delayMs, run) {
      checkDelay(delayMs);
      const id = sequence++;
      timers.set(id, { due: now + Math.max(0, delayMs), run });
      return { cancel: () => void timers.delete(id) };
    },
    nextDue: () => next()?.due,
    async advance(delayMs) {
      if (!Number.isFinite(delayMs) || delayMs < 0)
        throw new RangeError(`a clock can be advanced by finite milliseconds from 0 on, not by ${delayMs}`);
      const target = now + delayMs;
      const thrown: unknown[] = [];
      await macrotask();
      for (let due = next(); due !== undefined && due.due <= target; due = next()) {
        now = Math.max(now, due.due);
        const run = timers.get(due.id)?.run;
        timers.delete(due.id);
        try {
          run?.();
        } catch (error) {
          thrown.push(error);
        }
        await macrotask();
      }
      now = Math.max(now, target);
      if (thrown.length > 1) throw new AggregateError(thrown, `${thrown.length} timers threw`);
      if (thrown.length === 1) throw thrown[0];
    },
  };
}

/** Lets all promise jobs and one turn of the event loop run. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
