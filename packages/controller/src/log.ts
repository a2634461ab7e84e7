/**
 * The log: JSON lines by pino. Secrets are removed from every line: the data of Secrets, values whose name looks like a
 * secret, and secrets in messages. No value that is logged can make the logger throw.
 */
import type { Logger } from "@treadle/reconcile";
import { destination, type DestinationStream, type Level, type LevelWithSilent, pino, stdTimeFunctions } from "pino";
import { loggable, loggableText } from "./internal/loggable.ts";

/** Options of {@link createLogger}. */
export interface LogOptions {
  /** The lowest level that is written. @defaultValue `TREADLE_LOG_LEVEL`, else `LOG_LEVEL`, read when the logger is made, else "info" */
  readonly level?: LevelWithSilent;
  /** Where the lines are written to. @defaultValue standard output */
  readonly destination?: DestinationStream;
  /** Where the variables are read from. @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Makes a logger that writes one line of JSON for each entry. @throws RangeError for a level that pino does not know */
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
  const logger = pino(settings, options.destination ?? destination({ fd: process.stdout.fd, sync: true }));
  const write =
    (at: Level) =>
    (data: object, text: string): void => {
      // The search for secrets takes time, so only written lines are searched.
      if (logger.isLevelEnabled(at)) logger[at](loggable(data), loggableText(text));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** The levels, from the most lines to none. */
export const LOG_LEVELS: readonly LevelWithSilent[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

function levelOf({ level, env = process.env }: LogOptions): LevelWithSilent {
  const given = level ?? (env["TREADLE_LOG_LEVEL"] || env["LOG_LEVEL"] || "info").toLowerCase();
  const known = LOG_LEVELS.find((name) => name === given);
  if (known === undefined) throw new RangeError(`unknown log level ${JSON.stringify(given)}: use one of ${LOG_LEVELS.join(", ")}`);
  return known;
}
