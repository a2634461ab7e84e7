/**
 * Time as a service: everything in Treadle that reads the time or waits does it through a {@link Clock},
 * so that tests run in virtual time.
 */
import { monotonicNow } from "./internal/monotonic.ts";

/** A pending timer. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. Never less than before: differences are durations. */
  now(): number;
  /**
   * Milliseconds since some moment, by a clock that nobody sets: it never jumps, but may stand still while the machine is
   * suspended. Between two moments it never counts more than {@link now}: who must not act too early counts by this one,
   * who must not act too late by the other.
   */
  elapsed(): number;
  /**
   * Calls `run` once after `delayMs` (values below zero count as zero). Never keeps the process alive on its own.
   * @throws RangeError when `delayMs` is NaN.
   */
  after(delayMs: number, run: () => void): Timer;
}

/**
 * The real time. Its timers do not keep the process alive.
 *
 * `now` is no wall clock: when that is set back, `now` runs on and stays ahead of it until the process ends; when it jumps
 * forward, `now` follows. So no wait and no watchdog is stalled by a change of the time, and the hours that a suspended
 * machine slept count. Timers themselves stand still while a machine is suspended: one that was due meanwhile fires late, after the rest
 * of its delay.
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
      // setTimeout fires at once for delays above 2^31-1 ms, so long waits are taken in pieces.
      const rest = deadline - systemClock.now();
      handle = rest > MAX_TIMEOUT_MS ? setTimeout(arm, MAX_TIMEOUT_MS) : setTimeout(run, Math.max(0, rest));
      handle.unref();
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** NaN is neither before nor after anything: a timer with it would hide all others. */
function checkDelay(delayMs: number): void {
  if (Number.isNaN(delayMs)) throw new RangeError("a delay must be a number of milliseconds, not NaN");
}

/** Resolves after `delayMs`; rejects with the signal's reason when aborted first. */
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

/** A clock that moves only when told to. Timers due at the same time fire in the order in which they were set. */
export interface FakeClock extends Clock {
  /**
   * Moves the time forward, firing due timers in order; work they start runs between them. Several at once end at the
   * latest of their times. A timer that throws does not keep the others from firing.
   * @throws RangeError when `delayMs` is not finite or below zero; what timers threw (AggregateError when several did), at the end.
   */
  advance(delayMs: number): Promise<void>;
  /** When the next timer is due, or `undefined` when none is pending. */
  nextDue(): number | undefined;
}

/** Tells a {@link FakeClock} from a clock whose time passes by itself. */
export function isFakeClock(clock: Clock): clock is FakeClock {
  return "advance" in clock && "nextDue" in clock;
}

/** Creates a {@link FakeClock}; it starts at 2026-01-01T00:00:00Z unless told otherwise. */
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

/** Lets everything that is ready to run, run: promise jobs and one turn of the event loop. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
