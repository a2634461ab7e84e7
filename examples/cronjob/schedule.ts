/** Pure: which start of a schedule is due, and when the next one is. */
import { Cron } from "croner";

/** Starts that were missed, at most. More mean that clocks differ, or that nothing ran for long. */
const MAX_MISSED = 100;

/** The starts of a schedule around a point in time. */
export interface Starts {
  /** The last start that is due; `undefined`: none. */
  readonly due: Date | undefined;
  /** The next start. */
  readonly next: Date;
}

/** Returns the starts after `since`. @throws Error for an invalid schedule, and for more than 100 missed starts */
export function startsOf(schedule: string, { since, now }: { readonly since: Date; readonly now: Date }): Starts {
  const cron = new Cron(schedule, { timezone: "UTC" });
  let due: Date | undefined;
  let next = cron.nextRun(since);
  for (let missed = 0; next !== null && next <= now; missed++) {
    if (missed === MAX_MISSED)
      throw new Error(`more than ${MAX_MISSED} starts were missed: set startingDeadlineSeconds, or check the clocks`);
    due = next;
    next = cron.nextRun(next);
  }
  if (next === null) throw new Error(`the schedule "${schedule}" has no further start`);
  return { due, next };
}
