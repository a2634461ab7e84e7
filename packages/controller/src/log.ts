/**
 * The log: lines of JSON by pino, or text for a person at a terminal. Secrets are removed from every line: the data of Secrets, values whose name looks like a
 * secret, and secrets in messages. No value that is logged can make the logger throw.
 */
import type { Logger } from "@treadle/reconcile";
import { destination, type DestinationStream, type Level, type LevelWithSilent, pino, stdTimeFunctions } from "pino";
import { loggable, loggableText } from "./internal/loggable.ts";
import { readableLines } from "./internal/readable-lines.ts";

/** Options of {@link createLogger}. */
export interface LogOptions {
  /** The lowest level that is written. @defaultValue `TREADLE_LOG_LEVEL`, else `LOG_LEVEL`, read when the logger is made, else "info" */
  readonly level?: LevelWithSilent;
  /**
   * The form of the lines: `json`, or `pretty` for text, with colours on a terminal.
   * @defaultValue `TREADLE_LOG_FORMAT`, else `pretty` if standard output is a terminal, else `json`
   */
  readonly format?: LogFormat;
  /** Where the lines are written to. @defaultValue standard output */
  readonly destination?: DestinationStream;
  /** Where the variables are read from. @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Form of the lines of a log. */
export type LogFormat = "pretty" | "json";

/** The forms of the lines. */
export const LOG_FORMATS: readonly ["pretty", "json"] = ["pretty", "json"];

/** Makes a logger that writes one line for each entry. @throws RangeError for an unknown level or format */
export function createLogger(options: LogOptions = {}): Logger {
  const level = levelOf(options);
  const settings = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    messageKey: "msg",
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Synchronous: the line that explains the end of the process must be written before it ends.
  const out = options.destination ?? destination({ fd: process.stdout.fd, sync: true });
  const logger = pino(
    settings,
    formatOf(options) === "json" ? out : readableLines(out, { colors: options.destination === undefined && process.stdout.isTTY }),
  );
  const write =
    (at: Level) =>
    (data: unknown, text: unknown): void => {
      // The search for secrets takes time, so only written lines are searched.
      if (!logger.isLevelEnabled(at)) return;
      const isTextAlone = typeof data === "string" && text === undefined;
      logger[at](fieldsOf(isTextAlone ? {} : data), textOf(isTextAlone ? data : text));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** A value that has no fields is the field `value`. */
function fieldsOf(data: unknown): object {
  const copy = loggable(data ?? {});
  return typeof copy === "object" && copy !== null && !Array.isArray(copy) ? copy : { value: copy };
}

function textOf(text: unknown): string {
  try {
    return loggableText(text === undefined ? "" : String(text));
  } catch {
    return "[unreadable]"; // A toString that throws.
  }
}

/** The levels, from the most lines to none. */
export const LOG_LEVELS: readonly LevelWithSilent[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

function levelOf({ level, env = process.env }: LogOptions): LevelWithSilent {
  const given = level ?? (env["TREADLE_LOG_LEVEL"] || env["LOG_LEVEL"] || "info").toLowerCase();
  const known = LOG_LEVELS.find((name) => name === given);
  if (known === undefined) throw new RangeError(`unknown log level ${JSON.stringify(given)}: use one of ${LOG_LEVELS.join(", ")}`);
  return known;
}

function formatOf({ format, destination: given, env = process.env }: LogOptions): LogFormat {
  const name = format ?? (env["TREADLE_LOG_FORMAT"] || (given === undefined && process.stdout.isTTY ? "pretty" : "json"));
  const known = LOG_FORMATS.find((each) => each === name);
  if (known === undefined) throw new RangeError(`unknown log format ${JSON.stringify(name)}: use one of ${LOG_FORMATS.join(", ")}`);
  return known;
}
