/** Times as Go writes them, `1h30m`: the form of the annotation `reapply-interval`. */

/** Returns the milliseconds of a Go duration such as `90s` or `1h30m`, at least 1; `undefined` for a text that is not a positive one. */
export function parseGoDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let ms = 0;
  for (const [, value = "", unit = ""] of text.matchAll(PART)) ms += Number(value) * (MS_PER_UNIT[unit] ?? Number.NaN);
  return ms > 0 && ms <= MAX_MS ? Math.max(1, Math.round(ms)) : undefined;
}

/** Returns milliseconds as a Go duration. A value that is not a time becomes a text that {@link parseGoDuration} refuses. */
export function formatGoDuration(ms: number): string {
  if (!Number.isInteger(ms) || ms <= 0) return `${ms}ms`;
  let rest = ms;
  let text = "";
  for (const unit of ["h", "m", "s", "ms"]) {
    const size = MS_PER_UNIT[unit] ?? 1;
    if (rest >= size) text += `${Math.floor(rest / size)}${unit}`;
    rest %= size;
  }
  return text;
}

const NUMBER = String.raw`\d+(?:\.\d*)?|\.\d+`;
const UNIT = "ns|us|µs|μs|ms|s|m|h";
const WHOLE = new RegExp(`^\\+?(?:(?:${NUMBER})(?:${UNIT}))+$`);
const PART = new RegExp(`(${NUMBER})(${UNIT})`, "g");

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5
  μs: 1e-3, // U+03BC
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** The longest time.Duration of Go: 2^63 nanoseconds. */
const MAX_MS = 2 ** 63 / 1e6;
