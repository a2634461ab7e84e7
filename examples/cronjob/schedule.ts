/** Pure: which start of a schedule is due, and when the next one is. */
import { Cron } from "croner";

/** The starts of a schedule around a point in time. */
export interface Starts {
  /** The last start that is due; `undefined`: none. */
  readonly due: Date | undefined;
  /** The next start. */
  readonly next: Date;
}

/** Returns the starts around `now`; a start up to `since` is not due. @throws Error for an invalid schedule, and for one that has ended */
export function startsOf(schedule: string, { since, now }: { readonly since: Date; readonly now: Date }): Starts {
  const cron = new Cron(schedule, { timezone: "UTC" });
  const next = cron.nextRun(now);
  if (next === null) throw new Error(`the schedule "${schedule}" has no further start`);
  const [last] = cron.previousRuns(1, new Date(now.getTime() + 1)); // up to now, inclusive
  return { due: last !== undefined && last > since ? last : undefined, next };
}
