import { type Clock, sleep } from "@treadle/apimachinery";

/**
 * Resolves after `delayMs`, or rejects with the signal's reason. It keeps the process alive, which timers of the clock do not: a
 * program must not end in the middle of a call.
 */
export async function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  const hold = setInterval(() => {}, 2 ** 30);
  try {
    await sleep(clock, delayMs, signal);
  } finally {
    clearInterval(hold);
  }
}
