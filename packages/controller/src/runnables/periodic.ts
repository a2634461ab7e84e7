/** Custom work that repeats: `manager.add(periodic({ name: "sweep", everyMs: 60_000, run }))`. */
import { errorFields } from "../internal/error-text.ts";
import type { Runnable } from "../runnable.ts";
import { checkRecurrence, type Recurrence, Recurring } from "./recurring.ts";

/** Options of {@link periodic}. */
export type PeriodicOptions = Recurrence & {
  /** The name in messages. */
  readonly name: string;
  /** Whether it runs only in the leader. @defaultValue true */
  readonly needsLeader?: boolean;
  /** The work. `signal` is aborted when the manager begins to stop; the stop waits for it. What it throws is logged. */
  run(signal: AbortSignal): void | Promise<void>;
};

/**
 * Makes a runnable that repeats work, never twice at a time. A run that fails is logged; it does not change when the next
 * one starts.
 *
 * @throws RangeError for invalid times
 */
export function periodic(options: PeriodicOptions): Runnable {
  const { name, needsLeader = true } = options;
  checkRecurrence(`periodic "${name}"`, options);
  let recurring: Recurring | undefined;
  return {
    name,
    needsLeader,
    start(signal, { clock, random, log }) {
      const failed = (error: unknown): void => log.error({ runnable: name, ...errorFields(error) }, `periodic "${name}" failed`);
      const run = async (): Promise<undefined> => {
        try {
          await options.run(signal);
        } catch (error) {
          if (!signal.aborted) failed(error);
        }
      };
      recurring = new Recurring(options, { clock, random, signal, run, failed });
    },
    stop: () => recurring?.stop(),
  };
}
