/** Work of the author's own that comes back: `manager.add(periodic({ name: "sweep", everyMs: 60_000, run }))`. */
import { errorFields, messageOf } from "../internal/error-text.ts";
import type { Runnable } from "../runnable.ts";
import { checkRecurrence, type Recurrence, Recurring } from "./recurring.ts";

export type PeriodicOptions = Recurrence & {
  /** For messages. */
  readonly name: string;
  /** False: in every replica. @defaultValue true: only in the one that leads */
  readonly needsLeader?: boolean;
  /** `signal` is aborted when the manager begins to stop; the stop waits for the run. What it throws is logged. */
  run(signal: AbortSignal): void | Promise<void>;
};

/**
 * A runnable that does something again and again, never twice at a time; a run that fails is logged, and the next one
 * comes as if it had not.
 *
 * @throws RangeError for times that are none
 */
export function periodic(options: PeriodicOptions): Runnable {
  const { name, needsLeader = true } = options;
  checkRecurrence(`periodic "${name}"`, options);
  let recurring: Recurring | undefined;
  return {
    name,
    needsLeader,
    start(signal, { clock, random, log }) {
      const failed = (error: unknown): void =>
        log.error({ runnable: name, ...errorFields(error) }, `"${name}" failed: ${messageOf(error)}`);
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
