/**
 * Whether anything happens in a manager, and waiting until nothing does. Nothing here looks again after a while: what
 * happens says so, and turns of the event loop pass without time.
 */
import type { Clock, FakeClock } from "@treadle/apimachinery";
import type { QueueStatus } from "@treadle/workqueue";

export interface Activity {
  /** Something happened. */
  readonly note: () => void;
  /** Grows whenever something happens. */
  readonly count: () => number;
  /** Calls `listener` each time that something happened. Returns the way to unsubscribe. */
  readonly subscribe: (listener: () => void) => () => void;
}

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

export interface SettleOptions {
  /**
   * Timers due within so many milliseconds must have fired, too. A fake clock is moved as far as that takes; the real
   * time is waited for. @defaultValue 0
   */
  readonly horizonMs?: number;
  /**
   * Whether the informers have been told everything that the server has; asked when all else is at rest, and again after
   * every change. Without it, what is on its way on a socket is not waited for; in-process transports need none.
   */
  readonly isCaughtUp?: () => boolean | Promise<boolean>;
  readonly signal?: AbortSignal;
}

export interface Settling {
  readonly activity: Activity;
  readonly clock: Clock;
  /** Whether anything goes on besides the queues. */
  readonly isBusy: () => boolean;
  readonly queues: () => readonly QueueStatus[];
}

/**
 * What is on its way inside the process arrives within so many turns of the event loop: promise chains need one, and an
 * informer gives one back between two slices of a list. An allowance, not a limit: anything that happens begins the count anew.
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
    const dueAt = isBusy() && isFake(clock) ? clock.nextDue() : nextDueAt(queues());
    const isDue = dueAt !== undefined && dueAt <= horizon;
    if (isDue && isFake(clock)) {
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

/** Lets the event loop turn until it has turned several times without anything happening. */
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

function isFake(clock: Clock): clock is FakeClock {
  return "advance" in clock && "nextDue" in clock;
}
