/** Parses schedules as `robfig/cron` does for CronJobs, with its errors. Pure. */

export type Cron = CronFields | CronInterval;

/** A schedule as the set of numbers of each field. */
export interface CronFields {
  readonly type: "fields";
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** Whether the day and the weekday must both match. Otherwise one is enough. */
  readonly needsBothDays: boolean;
}

/** A schedule such as `@every 90m`: a fixed time after the last run. */
export interface CronInterval {
  readonly type: "every";
  readonly ms: number;
}

/** Parses a schedule, or returns its error. */
export function parseCron(text: string): Cron | string {
  if (text.startsWith("@")) return parseDescriptor(text);
  const parts = text.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== FIELDS.length) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  const sets: Set<number>[] = [];
  for (const [i, field] of FIELDS.entries()) {
    const set = parseField(parts[i] ?? "", field);
    if (typeof set === "string") return set;
    sets.push(set);
  }
  const [minutes, hours, days, months, weekdays] = sets as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>]; // one a field
  const needsBothDays = [parts[2], parts[4]].some((part) => part?.split(",").some((range) => /^[*?](-[^/]*)?(\/0*1)?$/.test(range)));
  return { type: "fields", minutes, hours, days, months, weekdays, needsBothDays };
}

interface Field {
  readonly low: number;
  readonly high: number;
  /** Names of the numbers, each at the index of its number. */
  readonly names?: readonly string[];
}

export const WEEKDAYS: readonly string[] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const FIELDS: readonly Field[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"] },
  { low: 0, high: 6, names: WEEKDAYS },
];

function parseField(text: string, field: Field): Set<number> | string {
  const found = new Set<number>();
  for (const part of text.split(",").filter((one) => one !== "")) {
    const range = parseRange(part, field);
    if (typeof range === "string") return range;
    for (let value = range.start; value <= range.end; value += range.stride) found.add(value);
  }
  return found;
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly stride: number;
}

function parseRange(text: string, { low, high, names = [] }: Field): Range | string {
  const [range = "", step, ...more] = text.split("/");
  const [first = "", last, ...others] = range.split("-");
  const numberOf = (word: string): number | string => {
    const named = names.indexOf(word.toLowerCase());
    return named >= 0 && word !== "" ? named : parseNumber(word);
  };
  const isAny = first === "*" || first === "?";
  const start = isAny ? low : numberOf(first);
  if (typeof start === "string") return start;
  const named = isAny ? high : last === undefined ? start : numberOf(last);
  if (typeof named === "string") return named;
  if (!isAny && others.length > 0) return `too many hyphens: ${text}`;
  if (more.length > 0) return `too many slashes: ${text}`;
  const stride = step === undefined ? 1 : parseNumber(step);
  if (typeof stride === "string") return stride;
  // With a step, a single number begins a range without an end.
  const end = step !== undefined && last === undefined ? high : named;
  if (start < low) return `beginning of range (${start}) below minimum (${low}): ${text}`;
  if (end > high) return `end of range (${end}) above maximum (${high}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return stride === 0 ? `step of range should be a positive number: ${text}` : { start, end, stride };
}

/** Parses a number, or returns its error. */
function parseNumber(text: string): number | string {
  if (!/^[+-]?\d+$/.test(text)) return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  return text.startsWith("-") ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}

const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const EVERY = "@every ";

function parseDescriptor(text: string): Cron | string {
  const fields = Object.hasOwn(DESCRIPTORS, text) ? DESCRIPTORS[text] : undefined;
  if (fields !== undefined) return parseCron(fields);
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(EVERY.length);
  const ms = parseDuration(duration);
  if (ms === undefined) return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
  return { type: "every", ms: Math.max(1_000, Math.floor(ms / 1_000) * 1_000) }; // whole seconds, at least one
}

const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses a duration of Go, such as `1h30m`, in milliseconds. */
function parseDuration(text: string): number | undefined {
  if (!/^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+)$/.test(text)) return undefined;
  let ms = 0;
  for (const [, number = "", unit = ""] of text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) ms += Number(number) * (UNIT_MS[unit] ?? 0);
  return text.startsWith("-") ? -ms : ms;
}
