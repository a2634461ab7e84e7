/** Work of the author's own that comes back: `manager.add(periodic({ name: "sweep", everyMs: 60_000, run }))`. */
import type { Timer } from "@treadle/apimachinery";
import { errorFields, messageOf } from "../internal/error-text.ts";
import type { Runnable } from "../options.ts";

export interface PeriodicOptions {
  /** For messages. */
  readonly name: string;
  /** From the end of one run to the beginning of the next, in milliseconds. */
  readonly everyMs: number;
  /** Up to this share of `everyMs` is added by chance, so that many do not come at once. @defaultValue 0.1 */
  readonly jitter?: number;
  /** Whether the first run begins with the manager, not after `everyMs`. @defaultValue true */
  readonly atOnce?: boolean;
  /** False: in every replica. @defaultValue true: only in the one that leads */
  readonly needsLeader?: boolean;
  /** `signal` is aborted when the manager begins to stop; the stop waits for the run. What it throws is logged. */
  run(signal: AbortSignal): void | Promise<void>;
}

/**
 * A runnable that does something again and again, never twice at a time; a run that fails is logged, and the next one
 * comes as if it had not.
 *
 * @throws RangeError for times that are none
 */
export function periodic(options: PeriodicOptions): Runnable {
  const { name, everyMs, jitter = 0.1, atOnce = true, needsLeader = true } = options;
  if (!(everyMs > 0 && everyMs <= MAX_MS)) throw new RangeError(`periodic "${name}": everyMs is ${everyMs}: give milliseconds above 0`);
  if (!(jitter >= 0 && jitter <= 1)) throw new RangeError(`periodic "${name}": jitter is ${jitter}: give a share from 0 to 1`);
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  return {
    name,
    needsLeader,
    start(signal, { clock, random, log }) {
      const run = async (): Promise<void> => {
        try {
          await options.run(signal);
        } catch (error) {
          if (!signal.aborted) log.error({ runnable: name, ...errorFields(error) }, `"${name}" failed: ${messageOf(error)}`);
        }
        running = undefined;
        plan();
      };
      const begin = (): void => {
        running = run();
      };
      const plan = (): void => {
        if (!signal.aborted) timer = clock.after(everyMs * (1 + jitter * random.next()), begin);
      };
      if (atOnce) begin();
      else plan();
    },
    async stop() {
      timer?.cancel();
      await running;
    },
  };
}

/** The longest time that a timer of Node can wait, with its jitter. */
const MAX_MS = 2 ** 30;
