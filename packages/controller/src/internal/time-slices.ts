/** Long loops in turns of the event loop. */

/** So many of the shortest things are some milliseconds. */
const SLICE = 1_000;

/** Calls `each` for every item; gives way after each slice, and ends early when `signal` is aborted. */
export async function inSlices<T>(items: Iterable<T>, signal: AbortSignal, each: (item: T) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    if (signal.aborted) return;
    each(item);
    if (++done % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
