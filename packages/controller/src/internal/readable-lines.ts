/**
 * Lines of the log as text for a person at a terminal: time, level, object, text, and then the fields that the text does
 * not name. A field is on the line as `name=value`; a stack follows on lines of its own. Control characters of a text are
 * escaped: they could change the terminal, or look like another line.
 */
import { styleText } from "node:util";

/** Writes the JSON lines of pino as text. */
export interface ReadableLines {
  write(line: string): void;
}

/** Makes a destination for pino that writes its JSON lines to `out` as text. */
export function readableLines(out: { write(text: string): unknown }, { colors }: { readonly colors: boolean }): ReadableLines {
  const paint: Paint = colors ? (format, text) => styleText(format, text, { validateStream: false }) : (_format, text) => text;
  return { write: (line) => void out.write(readable(line, paint)) };
}

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

const COLORS = { debug: "gray", info: "green", warn: "yellow", error: "red" } as const;

function readable(line: string, paint: Paint): string {
  const { time, level, msg, kind, object, stack, ...fields } = JSON.parse(line) as Readonly<Record<string, unknown>>; // Of pino.
  const inText = isChange(fields) ? IN_TEXT_OF_CHANGE : IN_TEXT;
  const color = COLORS[level as keyof typeof COLORS] ?? "white";
  const name = `${String(kind)} ${String(object)}`;
  const subject = kind === undefined || object === undefined || String(msg).includes(name) ? "" : paint("cyan", `${escaped(name)}: `);
  const details = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || inText.has(name) || (level === "info" && name === "reconcileID") ? [] : [`${escaped(name)}=${shown(value)}`],
  );
  const head = `${paint("dim", clockTime(time))} ${paint(color, String(level).toUpperCase().padEnd(5))} ${subject}${escaped(String(msg))}`;
  const frames = typeof stack === "string" ? `\n${paint("dim", stack.split("\n").map(escaped).join("\n"))}` : "";
  return `${[head, paint("dim", details.join(" "))].filter((part) => part !== "").join("  ")}${frames}\n`;
}

/** Fields that no line shows: the object of the line names its controller well enough. */
const IN_TEXT: ReadonlySet<string> = new Set(["controller"]);
/** Fields that the text of a line of the log of changes names. */
const IN_TEXT_OF_CHANGE: ReadonlySet<string> = new Set(["controller", "change", "of", "paths", "condition", "status", "reason", "message"]);

/** Whether a line is one of the engine's log of changes. The line of a step has the field `step`, and may use the same names. */
function isChange({ controller, step, change, condition }: Readonly<Record<string, unknown>>): boolean {
  return controller !== undefined && step === undefined && (change !== undefined || condition !== undefined);
}

/** Escapes control characters, as JSON does. */
function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `2026-01-02T03:04:05.678Z` is `03:04:05.678`. */
function clockTime(time: unknown): string {
  return String(time).slice(11, 23);
}

function shown(value: unknown): string {
  return typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : escaped(JSON.stringify(value));
}
