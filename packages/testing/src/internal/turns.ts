/** Turns of the event loop: they let other code run without a wait for time. */

/** Lets everything run that is ready to run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Lets other code run until `isDone`. In this process that takes a few turns, over a socket some milliseconds.
 * @throws Error with `whatFor` after a timeout
 */
export async function until(isDone: () => boolean | Promise<boolean>, whatFor: () => string, maxMs: number = MAX_MS): Promise<void> {
  const startedMs = performance.now();
  for (let turns = 0; !(await isDone()); turns++) {
    // Both limits: in the same time a busy machine makes few turns, an idle one many.
    if (turns > MIN_TURNS && performance.now() - startedMs > maxMs) throw new Error(whatFor());
    await turn();
  }
}

const MIN_TURNS = 200;
const MAX_MS = 5_000;
