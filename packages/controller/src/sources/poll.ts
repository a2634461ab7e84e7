/** Polling: what cannot be watched is asked now and then which primaries need a pass. */
import type { Ref } from "@treadle/apimachinery";
import type { Cache } from "@treadle/reconcile";
import { delayAfter, EXTERNAL_BACKOFF } from "@treadle/workqueue";
import { errorFields, messageOf } from "../internal/error-text.ts";
import { inSlices } from "../internal/slices.ts";
import { checkRecurrence, type Recurrence, Recurring } from "../runnables/recurring.ts";
import type { Source } from "./source.ts";

export type PollOptions = Recurrence & {
  /** For messages. */
  readonly name: string;
  /**
   * The primaries whose passes are due, for instance those whose external object changed since the last time; or all, when
   * it is a timer. `signal` is aborted when the manager begins to stop. What it throws is logged, and it is asked again after 1 s, doubling to
   * 60 s, whatever the period.
   */
  refs(signal: AbortSignal, cache: Cache): Iterable<Ref> | Promise<Iterable<Ref>>;
};

/** A source that asks again and again, never twice at a time. @throws RangeError for times that are none */
export function poll(options: PollOptions): Source {
  const { name } = options;
  checkRecurrence(`poll "${name}"`, options);
  let recurring: Recurring | undefined;
  return {
    name,
    start(signal, { clock, random, log, cache, enqueue }) {
      let failures = 0;
      const failed = (error: unknown, again: { readonly againMs?: number } = {}): void =>
        log.error({ source: name, ...again, ...errorFields(error) }, `poll "${name}" failed: ${messageOf(error)}`);
      const run = async (): Promise<number | undefined> => {
        try {
          await inSlices(await options.refs(signal, cache), signal, (ref) => enqueue(ref));
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
