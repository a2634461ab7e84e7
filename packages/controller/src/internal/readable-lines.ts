/**
 * Lines of the log as text for a person at a terminal: time, level, object, text, and then the fields that the text does
 * not name. A field is on the line as `name=value`; a stack follows on lines of its own.
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
  const color = COLORS[level as keyof typeof COLORS] ?? "white";
  const name = `${String(kind)} ${String(object)}`;
  const subject = kind === undefined || object === undefined || String(msg).includes(name) ? "" : paint("cyan", `${name}: `);
  const details = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || IN_TEXT.has(name) || (level === "info" && name === "reconcileID") ? [] : [`${name}=${shown(value)}`],
  );
  const head = `${paint("dim", clockTime(time))} ${paint(color, String(level).toUpperCase().padEnd(5))} ${subject}${String(msg)}`;
  const frames = typeof stack === "string" ? `\n${paint("dim", stack)}` : "";
  return `${[head, paint("dim", details.join(" "))].filter((part) => part !== "").join("  ")}${frames}\n`;
}

/** Fields that the text of their line names. */
const IN_TEXT: ReadonlySet<string> = new Set(["controller", "change", "of", "paths", "condition", "status", "reason", "message"]);

/** `2026-01-02T03:04:05.678Z` is `03:04:05.678`. */
function clockTime(time: unknown): string {
  return String(time).slice(11, 23);
}

function shown(value: unknown): string {
  return typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}
