/** Letting things happen, without waiting for time: turns of the event loop. */

/** Everything that is ready to run, runs. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Turns until `isDone`. In this process everything comes within a few turns; over a socket, within some milliseconds.
 * @throws Error that says what did not come
 */
export async function until(isDone: () => boolean | Promise<boolean>, whatFor: () => string): Promise<void> {
  const startedMs = performance.now();
  for (let turns = 0; !(await isDone()); turns++) {
    // Both limits: a busy machine makes few turns in that time, an idle one many.
    if (turns > MIN_TURNS && performance.now() - startedMs > MAX_MS) throw new Error(whatFor());
    await turn();
  }
}

const MIN_TURNS = 200;
const MAX_MS = 5_000;
