/**
 * Waits until nothing happens in a manager. It does not poll: every activity is reported, and turns of the event loop pass
 * without time.
 */
import { type Clock, isFakeClock } from "@treadle/apimachinery";
import type { QueueStatus } from "@treadle/workqueue";

/** Counts what happens in a manager. */
export interface Activity {
  /** Reports that something happened. */
  readonly note: () => void;
  /** The number of reports so far. */
  readonly count: () => number;
  /** Calls `listener` at each report. Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** Makes a counter. */
export function createActivity(): Activity {
  let count = 0;
  let listeners: readonly (() => void)[] = [];
  return {
    note() {
      count++;
      for (const listener of listeners) listener();
    },
    count: () => count,
    subscribe(listener) {
      listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((other) => other !== listener);
      };
    },
  };
}

/** Options of `manager.settled()`. */
export interface SettleOptions {
  /**
   * Horizon in milliseconds: timers that are due within it must have fired. A fake clock is advanced as far as needed; real
   * time is waited for. @defaultValue 0
   */
  readonly horizonMs?: number;
  /**
   * Whether the informers have received everything that the server has. It is asked when the manager is idle, and again
   * after each change. Without it, events that are still on a socket are not waited for; an in-process transport needs none.
   */
  readonly isCaughtUp?: () => boolean | Promise<boolean>;
  /** Ends the wait, which then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** What is waited for. */
export interface Settling {
  readonly activity: Activity;
  readonly clock: Clock;
  /** Whether anything happens besides the queues. */
  readonly isBusy: () => boolean;
  readonly queues: () => readonly QueueStatus[];
}

/**
 * The number of idle turns of the event loop after which nothing is on its way inside the process. A promise chain needs
 * one, and an informer yields one between two slices of a list. Every activity restarts the count.
 */
const QUIET_TURNS = 10;

/** Resolves when nothing happens and nothing is due before the horizon. Rejects with the signal's reason. */
export async function settle(settling: Settling, options: SettleOptions): Promise<void> {
  const { signal } = options;
  const { activity, clock, queues } = settling;
  const isBusy = (): boolean => settling.isBusy() || queues().some(({ queued, running }) => queued + running > 0);
  const horizon = clock.now() + (options.horizonMs ?? 0);
  for (;;) {
    await quiet(activity, signal);
    const seen = activity.count();
    // A pass in progress may itself be waiting for the time.
    const dueAt = isBusy() && isFakeClock(clock) ? clock.nextDue() : nextDueAt(queues());
    const isDue = dueAt !== undefined && dueAt <= horizon;
    if (isDue && isFakeClock(clock)) {
      await clock.advance(Math.max(0, dueAt - clock.now()));
    } else if (isBusy() || isDue) {
      await changed(activity, seen, signal);
    } else {
      const isCaughtUp = (await options.isCaughtUp?.()) ?? true;
      if (activity.count() !== seen) continue;
      if (isCaughtUp) return;
      await changed(activity, seen, signal);
    }
  }
}

/** When the next key is due. */
function nextDueAt(queues: readonly QueueStatus[]): number | undefined {
  const due = queues.flatMap((queue) => queue.nextDueAt ?? []);
  return due.length === 0 ? undefined : Math.min(...due);
}

/** Resolves after several turns of the event loop in which nothing happened. */
async function quiet(activity: Activity, signal: AbortSignal | undefined): Promise<void> {
  let seen = activity.count();
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (activity.count() !== seen) turns = 0;
    seen = activity.count();
  }
}

/** Resolves when something has happened since `seen`. */
async function changed(activity: Activity, seen: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (activity.count() !== seen) return;
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      unsubscribe();
      reject(signal?.reason);
    };
    const unsubscribe = activity.subscribe(() => {
      unsubscribe();
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
