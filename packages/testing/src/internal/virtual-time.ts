/** Virtual time that moves while something is waited for: to the next timer, when nothing else happens. */
import { type Clock, isFakeClock } from "@treadle/apimachinery";

/**
 * Turns of the event loop without a request on its way, after which virtual time moves. Ten times what a promise chain in
 * this process takes: time that moves too early fires a deadline that the work would have met.
 */
export const PATIENCE_TURNS = 100;

/** What {@link withTime} asks while it waits. */
export interface TimedWork {
  readonly clock: Clock;
  /** Whether a request is on its way, so that time must not move. @defaultValue never */
  readonly isBusy?: () => boolean;
  /** Whether the result no longer matters. @defaultValue never */
  readonly isAbandoned?: () => boolean;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** Waits for `work`, and moves virtual time meanwhile. Resolves early when the work is abandoned. @throws what `work` throws */
export async function withTime(work: Promise<void>, { clock, isBusy, isAbandoned, signal }: TimedWork): Promise<void> {
  if (!isFakeClock(clock)) return await work;
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  for (let turns = 0; !isOver; turns = isBusy?.() === true ? 0 : turns + 1) {
    if (isAbandoned?.() === true) return;
    signal?.throwIfAborted();
    const due = clock.nextDue();
    await clock.advance(turns < PATIENCE_TURNS || due === undefined ? 0 : Math.max(0, due - clock.now()));
  }
  await work;
}

/** Runs `work` with a signal that is aborted after so much real time. @throws Error with the message when it is aborted */
export async function withTimeout<T>(
  timeoutMs: number,
  message: () => string | Error,
  work: (timeout: AbortController) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(errorOf(message())), timeoutMs);
  try {
    return await work(controller);
  } finally {
    clearTimeout(timer);
  }
}

function errorOf(message: string | Error): Error {
  return typeof message === "string" ? new Error(message) : message;
}
