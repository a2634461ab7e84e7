/** Timestamps and durations: their texts and their parts. */
import type { Library } from "../overloads.ts";
import { CelError, Duration, Timestamp } from "../values.ts";

const SECOND = 1_000_000_000n;

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
  d: 86_400n * SECOND,
  w: 604_800n * SECOND,
};

/** Parses a duration of Go, in nanoseconds. `hasDays` allows the days and weeks of the format `duration` of schemas. */
export function parseDuration(text: string, hasDays: boolean): bigint | undefined {
  const compact = hasDays ? text.replaceAll(" ", "") : text;
  const match = /^([+-]?)(0|(?:(?:\d+\.?\d*|\.\d+)[a-zµ]+)+)$/.exec(compact);
  if (match === null) return undefined;
  let total = 0n;
  for (const [, number = "", unit = ""] of (match[2] ?? "").matchAll(/(\d+\.?\d*|\.\d+)([a-zµ]+)/g)) {
    const factor = UNITS[unit];
    if (factor === undefined || (!hasDays && (unit === "d" || unit === "w"))) return undefined;
    const [whole = "", fraction = ""] = number.split(".");
    total += BigInt(whole || "0") * factor;
    if (fraction !== "") total += (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length);
  }
  return match[1] === "-" ? -total : total;
}

/** Parses an RFC 3339 text. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return undefined;
  const [, day = "", time = "", fraction = "", zone = ""] = match;
  const millis = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(millis) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) return undefined;
  const ahead = /^([+-])(\d\d):(\d\d)$/.exec(zone);
  const minutes = ahead === null ? 0 : (ahead[1] === "-" ? -1 : 1) * (Number(ahead[2]) * 60 + Number(ahead[3]));
  return new Timestamp(BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, "0").slice(0, 9)), minutes);
}

export function timestampText({ nanos, zone }: Timestamp): string {
  const [seconds, rest] = split(nanos);
  const text = new Date((Number(seconds) + zone * 60) * 1000).toISOString().slice(0, 19);
  const size = Math.abs(zone);
  const ahead = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${text}${fractionText(rest)}${zone === 0 ? "Z" : `${zone < 0 ? "-" : "+"}${ahead}`}`;
}

/** Formats a duration in seconds, with the digits of a double. */
export function durationText({ nanos }: Duration): string {
  const seconds = Number(nanos / SECOND) + Number(nanos % SECOND) / 1e9;
  const text = String(seconds);
  return `${text.includes("e") ? seconds.toFixed(20).replace(/\.?0+$/, "") : text}s`;
}

function fractionText(nanos: bigint): string {
  return nanos === 0n ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
}

function split(nanos: bigint): readonly [seconds: bigint, rest: bigint] {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  return [(nanos - rest) / SECOND, rest];
}

export const time: Library = {
  getFullYear: part((date) => date.getUTCFullYear()),
  getMonth: part((date) => date.getUTCMonth()),
  getDate: part((date) => date.getUTCDate()),
  getDayOfMonth: part((date) => date.getUTCDate() - 1),
  getDayOfWeek: part((date) => date.getUTCDay()),
  getDayOfYear: part((date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000)),
  getHours: { ...part((date) => date.getUTCHours()), ".duration -> int": (a: Duration) => a.nanos / (3600n * SECOND) },
  getMinutes: { ...part((date) => date.getUTCMinutes()), ".duration -> int": (a: Duration) => a.nanos / (60n * SECOND) },
  getSeconds: { ...part((date) => date.getUTCSeconds()), ".duration -> int": (a: Duration) => a.nanos / SECOND },
  getMilliseconds: {
    ...part((_, nanos) => Number(split(nanos)[1] / 1_000_000n)),
    ".duration -> int": (a: Duration) => a.nanos / 1_000_000n,
  },
};

function part(of: (date: Date, nanos: bigint) => number): Library[string] {
  return {
    ".timestamp -> int": (a: Timestamp) => BigInt(of(new Date(Number(split(a.nanos)[0]) * 1000), a.nanos)),
    ".timestamp, string -> int": (a: Timestamp, zone: string) => {
      const local = a.nanos + BigInt(offsetOf(zone, Number(split(a.nanos)[0]) * 1000)) * 1_000_000n;
      return BigInt(of(new Date(Number(split(local)[0]) * 1000), local));
    },
  };
}

/** Returns the offset of a zone at a time, in milliseconds ahead of UTC. The zone is an IANA name or `+01:00`. */
function offsetOf(zone: string, millis: number): number {
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed !== null) return (fixed[1] === "-" ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000;
  try {
    const parts = Object.fromEntries(
      new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      })
        .formatToParts(millis)
        .map(({ type, value }) => [type, Number(value)]),
    );
    return Date.UTC(parts["year"] ?? 0, (parts["month"] ?? 1) - 1, parts["day"], parts["hour"], parts["minute"], parts["second"]) - millis;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}
