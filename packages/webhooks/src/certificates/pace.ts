/** Limits how often something is repeated: the first times at once, then with pauses that double. */
import type { Clock } from "@treadle/apimachinery";

/** Repetitions without a pause. A start takes two writes of the Secret and one of each configuration. */
const FREE = 5;
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 5 * 60_000;
/** After this time without a repetition, the next ones are without a pause again. */
const QUIET_MS = 30 * 60_000;

/** What limits a repetition. */
export interface Pace {
  /** Earliest time of the next repetition, in milliseconds since 1970. */
  readonly nextAtMs: number;
  /** Notes a repetition, or a failure when `isFailure`, which always causes a pause. */
  note(isFailure?: boolean): void;
  /** Ends the pauses: what was tried has succeeded. */
  reset(): void;
}

/** Creates a {@link Pace}. */
export function pace(clock: Clock): Pace {
  let count = 0;
  let lastMs = -Infinity;
  let nextAtMs = -Infinity;
  return {
    get nextAtMs() {
      return nextAtMs;
    },
    note(isFailure = false) {
      const now = clock.now();
      count = now - lastMs > QUIET_MS ? 1 : count + 1;
      lastMs = now;
      const pauses = isFailure ? count : count - FREE;
      nextAtMs = pauses <= 0 ? now : now + Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (pauses - 1));
    },
    reset() {
      count = 0;
      nextAtMs = -Infinity;
    },
  };
}
