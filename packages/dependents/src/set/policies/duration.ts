/** Durations as Go writes them, such as `1h30m`: the form of durations in annotations and specs of Kubernetes. */

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // U+00B5 (micro sign) and U+03BC (mu): Go takes both.
  "\u00b5s": 1e-3,
  "\u03bcs": 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const WHOLE = /^([-+]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;

/** The longest duration of Go: 2^63 - 1 nanoseconds, about 292 years. */
const MAX_MS = 2 ** 63 / 1e6;

/**
 * Returns the milliseconds of a duration in Go's form, such as `90s`, `1h30m` or `-1.5h`; `undefined` for any other text. A number
 * without a unit is not a duration, except for `0`. The answer may be negative, and may have a fraction.
 */
export function parseDuration(text: string): number | undefined {
  const unsigned = text.replace(/^[-+]/, "");
  if (unsigned === "0") return 0;
  const [, sign, parts] = WHOLE.exec(text) ?? [];
  if (parts === undefined) return undefined;
  let ms = 0;
  for (const [, amount, unit] of parts.matchAll(PART)) ms += Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (ms > MAX_MS) return undefined;
  return sign === "-" && ms !== 0 ? -ms : ms;
}

/** Returns whole milliseconds above 0 as a duration in Go's form. A value that is not a time becomes a text that is not positive, or not a duration. */
export function formatDuration(ms: number): string {
  if (!Number.isInteger(ms) || ms <= 0) return `${ms}ms`;
  let rest = ms;
  let text = "";
  for (const unit of ["h", "m", "s", "ms"]) {
    const size = UNITS[unit] ?? 1;
    if (rest >= size) text += `${Math.floor(rest / size)}${unit}`;
    rest %= size;
  }
  return text;
}
