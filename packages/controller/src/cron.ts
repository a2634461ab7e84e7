/**
 * Schedules in the language of cron, for `periodic()` and `poll()`: `schedule: cron("0 3 * * *", { timeZone: "Europe/Berlin" })`.
 * An entry point of its own, so that who needs none does not load the parser.
 */
import { Cron } from "croner";
import type { Schedule } from "./runnables/recurring.ts";

export interface CronOptions {
  /** By its name in the IANA data base; in it an hour that is left out or comes twice is followed. @defaultValue "UTC" */
  readonly timeZone?: string;
}

/**
 * Minute, hour, day of the month, month, day of the week; with six fields the first is the second. Also `@daily` and the
 * like, names of months and days, `L`, `W` and `#`; where both days are given either counts.
 *
 * @throws RangeError for an expression or time zone that is none
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
