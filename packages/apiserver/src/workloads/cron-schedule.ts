/** The times of a CronJob's schedule in a time zone. Pure. */
import { type CronFields, parseCron, WEEKDAYS } from "../builtin/cron.ts";

export interface Schedule {
  /** Returns the first time after `ms`, or `undefined` when there is none within five years. */
  next(ms: number): number | undefined;
  /** Returns the last time in (`afterMs`, `untilMs`]. */
  last(afterMs: number, untilMs: number): number | undefined;
}

/** Parses a schedule. Returns `undefined` for an invalid schedule or an unknown time zone, which is an IANA name. */
export function parseSchedule(text: string, timeZone = "UTC"): Schedule | undefined {
  const cron = parseCron(text);
  if (typeof cron === "string") return undefined;
  if (cron.type === "every") return new Interval(cron.ms);
  const local = localTime(timeZone);
  return local === undefined ? undefined : new Calendar(cron, local);
}

/** A fixed interval after the given time, in whole seconds. */
class Interval implements Schedule {
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  next(ms: number): number {
    return Math.floor(ms / 1_000) * 1_000 + this.#ms;
  }

  last(afterMs: number, untilMs: number): number | undefined {
    const first = this.next(afterMs);
    return first > untilMs ? undefined : first + Math.floor((untilMs - first) / this.#ms) * this.#ms;
  }
}

class Calendar implements Schedule {
  readonly #cron: CronFields;
  readonly #local: (ms: number) => Local;

  constructor(cron: CronFields, local: (ms: number) => Local) {
    this.#cron = cron;
    this.#local = local;
  }

  next(ms: number): number | undefined {
    let at = Math.floor(ms / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    const end = at + 5 * 366 * DAY_MS;
    while (at <= end) {
      const distance = this.#distance(at);
      if (distance === 0) return at;
      at += distance * MINUTE_MS;
    }
    return undefined;
  }

  last(afterMs: number, untilMs: number): number | undefined {
    // A schedule that repeats often needs no search over years.
    for (const spanMs of [60 * MINUTE_MS, DAY_MS, 32 * DAY_MS, 366 * DAY_MS, 5 * 366 * DAY_MS]) {
      const from = Math.max(afterMs, untilMs - spanMs);
      let found: number | undefined;
      for (let at = this.next(from); at !== undefined && at <= untilMs; at = this.next(at)) found = at;
      if (found !== undefined || from === afterMs) return found;
    }
    return undefined;
  }
  /** Returns the number of minutes to skip. Zero: this minute matches. */
  #distance(ms: number): number {
    const time = this.#local(ms);
    if (!this.#isDay(time)) return Math.max(1, 22 - time.hour) * 60 - time.minute;
    if (!this.#cron.hours.has(time.hour)) return 60 - time.minute;
    return this.#cron.minutes.has(time.minute) ? 0 : 1;
  }

  #isDay({ day, month, weekday }: Local): boolean {
    const { months, days, weekdays, needsBothDays } = this.#cron;
    if (!months.has(month)) return false;
    return needsBothDays ? days.has(day) && weekdays.has(weekday) : days.has(day) || weekdays.has(weekday);
  }
}

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

interface Local {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

function localTime(timeZone: string): ((ms: number) => Local) | undefined {
  if (timeZone === "UTC" || timeZone === "Etc/UTC") {
    return (ms) => {
      const date = new Date(ms);
      return {
        minute: date.getUTCMinutes(),
        hour: date.getUTCHours(),
        day: date.getUTCDate(),
        month: date.getUTCMonth() + 1,
        weekday: date.getUTCDay(),
      };
    };
  }
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      minute: "numeric",
      hour: "numeric",
      day: "numeric",
      month: "numeric",
      weekday: "short",
    });
    return (ms) => {
      const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
      const weekday = WEEKDAYS.indexOf((parts["weekday"] ?? "").toLowerCase());
      return {
        minute: Number(parts["minute"]),
        hour: Number(parts["hour"]),
        day: Number(parts["day"]),
        month: Number(parts["month"]),
        weekday,
      };
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
