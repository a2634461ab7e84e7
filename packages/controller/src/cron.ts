/**
 * `@treadle/controller/cron`: cron schedules for `periodic()` and `poll()`, e.g.
 * `schedule: cron("0 3 * * *", { timeZone: "Europe/Berlin" })`. A separate entry point, so that other programs do not load
 * the parser.
 */
import { Cron } from "croner";
import type { Schedule } from "./runnables/recurring.ts";

/** Options of {@link cron}. */
export interface CronOptions {
  /** The name of a time zone in the IANA database. Changes to and from daylight saving time are followed. @defaultValue "UTC" */
  readonly timeZone?: string;
}

/**
 * Makes a schedule of a cron expression: minute, hour, day of the month, month, day of the week; with six fields the first
 * is the second. `@daily` and similar names, names of months and days, `L`, `W` and `#` are allowed. If both days are given,
 * either of them matches.
 *
 * @throws RangeError for an invalid expression or time zone
 */
export function cron(expression: string, { timeZone = "UTC" }: CronOptions = {}): Schedule {
  const refuse = (problem: string): never => {
    throw new RangeError(`cron(${JSON.stringify(expression)}): ${problem}`);
  };
  let pattern: Cron;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    pattern = new Cron(expression, { timezone: timeZone, paused: true });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  return { next: (afterMs) => pattern.nextRun(new Date(afterMs))?.getTime() };
}
