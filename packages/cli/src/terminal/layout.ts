/** Text for a terminal: colours, line breaks, ages. Pure functions. */
import { styleText } from "node:util";
import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

/** A way to emphasise text. Each has one meaning in all commands. */
export type Tone = "good" | "waiting" | "bad" | "quiet" | "title";

const STYLES = { good: "green", waiting: "yellow", bad: "red", quiet: "dim", title: "bold" } as const satisfies Record<Tone, string>;

/** Returns a function that colours text, or leaves it as it is where there are no colours. */
export function painter(hasColors: boolean): (tone: Tone, text: string) => string {
  if (!hasColors) return (_, text) => text;
  // The terminal has decided about colours.
  return (tone, text) => styleText(STYLES[tone], text, { validateStream: false });
}

/** Indents of a block of lines. */
export interface Indent {
  /** In front of the first line. */
  readonly first: string;
  /** In front of the other lines. */
  readonly rest: string;
}

/** Breaks text into lines of at most `columns`, colours not counted; `undefined` breaks none. Words that are too long are cut. */
export function wrapped(text: string, columns: number | undefined, { first, rest }: Indent = { first: "", rest: "" }): string {
  if (columns === undefined) return first + text.replaceAll("\n", `\n${rest}`);
  const room = Math.max(10, columns - Math.max(stringWidth(first), stringWidth(rest)));
  return first + wrapAnsi(text, room, { hard: true, trim: true }).replaceAll("\n", `\n${rest}`);
}

/** Returns the number of columns that a text takes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Cuts a text to `width` columns, with an ellipsis in the middle: names differ at both ends. */
export function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const signs = [...text];
  const room = Math.max(1, width - 1);
  const front = Math.ceil(room / 2);
  return `${signs.slice(0, front).join("")}…${signs.slice(signs.length - (room - front)).join("")}`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a duration as kubectl shows ages: `42s`, `4m10s`, `3h5m`, `12d`. A negative one, by clocks that differ, is `0s`. */
export function duration(ms: number): string {
  const given = Math.max(0, ms);
  if (given < 2 * MINUTE) return `${Math.floor(given / SECOND)}s`;
  if (given < 10 * MINUTE) return joined(given, MINUTE, SECOND, ["m", "s"]);
  if (given < 3 * HOUR) return `${Math.floor(given / MINUTE)}m`;
  if (given < 8 * HOUR) return joined(given, HOUR, MINUTE, ["h", "m"]);
  if (given < 2 * DAY) return `${Math.floor(given / HOUR)}h`;
  return `${Math.floor(given / DAY)}d`;
}

function joined(ms: number, unit: number, part: number, [one, other]: readonly [string, string]): string {
  const rest = Math.floor((ms % unit) / part);
  return `${Math.floor(ms / unit)}${one}${rest === 0 ? "" : `${rest}${other}`}`;
}
