/**
 * Time as a service: everything in Treadle that reads the time or waits does it through a {@link Clock},
 * so that tests run in virtual time.
 */

/** A pending timer. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `run` once after `delayMs` (values below zero count as zero). Never keeps the process alive on its own. */
  after(delayMs: number, run: () => void): Timer;
}

/** The real time. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const deadline = Date.now() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      // setTimeout fires at once for delays above 2^31-1 ms, so long waits are taken in pieces.
      const rest = deadline - Date.now();
      handle = rest > MAX_TIMEOUT_MS ? setTimeout(arm, MAX_TIMEOUT_MS) : setTimeout(run, Math.max(0, rest));
      handle.unref();
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

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
  /** Moves the time forward, firing due timers in order; work they start runs between them. */
  advance(delayMs: number): Promise<void>;
  /** When the next timer is due, or `undefined` when none is pending. */
  nextDue(): number | undefined;
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
    after(delayMs, run) {
      const id = sequence++;
      timers.set(id, { due: now + Math.max(0, delayMs), run });
      return { cancel: () => void timers.delete(id) };
    },
    nextDue: () => next()?.due,
    async advance(delayMs) {
      const target = now + delayMs;
      await macrotask();
      for (let due = next(); due !== undefined && due.due <= target; due = next()) {
        now = Math.max(now, due.due);
        const run = timers.get(due.id)?.run;
        timers.delete(due.id);
        run?.();
        await macrotask();
      }
      now = target;
    },
  };
}

/** Lets everything that is ready to run, run: promise jobs and one turn of the event loop. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
