/** Waits for several operations, of which some may fail or not end. */
import type { Clock } from "@treadle/apimachinery";

/** Stops something that was started. */
export type Undo = () => void | Promise<void>;

/** Runs all steps in reverse order, whatever fails. */
export async function unwind(undo: readonly Undo[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of undo.toReversed()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} failures while stopping`);
}

/** Whether `promise` resolved in time; rejects with it. Leaves no timer. */
export async function within(clock: Clock, delayMs: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(delayMs, () => resolve(false));
    void promise.finally(() => timer.cancel()).then(() => resolve(true), reject);
  });
}

/** Resolves with both, or rejects with the first error; closes `first` when only the other failed. */
export async function both<A, B>(first: Promise<A>, second: Promise<B>, close: (made: A) => Promise<void>): Promise<[A, B]> {
  try {
    return await Promise.all([first, second]);
  } catch (error) {
    const [made] = await Promise.allSettled([first]);
    if (made.status === "fulfilled") await close(made.value).catch(() => undefined); // The first error is the one that matters.
    throw error;
  }
}
