/** Splits a long loop over several turns of the event loop. */

/** Number of items in one turn: of the shortest work they take some milliseconds. */
const SLICE = 1_000;

/** Calls `each` for every item; yields after each slice, and ends early when `signal` is aborted. */
export async function inSlices<T>(items: Iterable<T>, signal: AbortSignal, each: (item: T) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    if (signal.aborted) return;
    each(item);
    if (++done % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
