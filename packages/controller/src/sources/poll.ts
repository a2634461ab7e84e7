/** Polling: asks a system that cannot be watched which primaries need a pass. */
import { type Ref, TurnBudget } from "@treadle/apimachinery";
import type { Cache } from "@treadle/reconcile";
import { delayAfter, EXTERNAL_BACKOFF } from "@treadle/workqueue";
import { errorFields } from "../internal/error-text.ts";
import { checkRecurrence, type Recurrence, Recurring } from "../runnables/recurring.ts";
import type { Source } from "./source.ts";

/** Options of {@link poll}. */
export type PollOptions = Recurrence & {
  /** The name in messages. */
  readonly name: string;
  /**
   * Returns the primaries that need a pass, for example those whose external object has changed since the last call.
   * `signal` is aborted when the manager begins to stop. An error is logged, and the next call follows after 1 s, doubling
   * to 60 s, whatever the period.
   */
  refs(signal: AbortSignal, cache: Cache): Iterable<Ref> | Promise<Iterable<Ref>>;
};

/** Number of refs that are queued in one turn of the event loop: they take some milliseconds. */
const MAX_IN_TURN = 1_000;

/** Makes a source that calls `refs` repeatedly, never twice at a time. @throws RangeError for invalid times */
export function poll(options: PollOptions): Source {
  const { name } = options;
  checkRecurrence(`poll "${name}"`, options);
  let recurring: Recurring | undefined;
  return {
    name,
    start(signal, { clock, random, log, cache, enqueue }) {
      const turn = new TurnBudget({ maxPieces: MAX_IN_TURN });
      let failures = 0;
      const failed = (error: unknown, again: { readonly againMs?: number } = {}): void =>
        log.error({ source: name, ...again, ...errorFields(error) }, `poll "${name}" failed`);
      const run = async (): Promise<number | undefined> => {
        try {
          await turn.each(await options.refs(signal, cache), signal, (ref) => enqueue(ref));
          failures = 0;
          return undefined;
        } catch (error) {
          if (signal.aborted) return undefined;
          const againMs = delayAfter(EXTERNAL_BACKOFF, failures++);
          failed(error, { againMs });
          return againMs;
        }
      };
      recurring = new Recurring(options, { clock, random, signal, run, failed });
    },
    stop: () => recurring?.stop(),
  };
}
