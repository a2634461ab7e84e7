/**
 * The log: JSON lines by pino. What looks like a secret never gets into a line: the data of Secrets, values whose name
 * says that they are one, and what a message gives away. Nothing that is logged can make the logger throw.
 */
import type { Logger } from "@treadle/reconcile";
import { destination, type DestinationStream, type Level, type LevelWithSilent, pino, stdTimeFunctions } from "pino";
import { loggable, loggableText } from "./internal/loggable.ts";

export interface LogOptions {
  /** @defaultValue `TREADLE_LOG_LEVEL`, else `LOG_LEVEL`, read when the logger is made, else "info" */
  readonly level?: LevelWithSilent;
  /** @defaultValue standard output */
  readonly destination?: DestinationStream;
  /** @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A logger that writes one line of JSON per entry. @throws RangeError when the level is not one of pino's. */
export function createLogger(options: LogOptions = {}): Logger {
  const level = levelOf(options);
  const settings = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    messageKey: "msg",
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Synchronous: a line that explains the end of the process must be out before it.
  const logger = pino(settings, options.destination ?? destination({ fd: process.stdout.fd, sync: true }));
  const write =
    (at: Level) =>
    (data: object, text: string): void => {
      // Looking for secrets costs time, so only in what is written.
      if (logger.isLevelEnabled(at)) logger[at](loggable(data), loggableText(text));
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

/** From the most to the least that is written. */
export const LOG_LEVELS: readonly LevelWithSilent[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

function levelOf({ level, env = process.env }: LogOptions): LevelWithSilent {
  const given = level ?? (env["TREADLE_LOG_LEVEL"] || env["LOG_LEVEL"] || "info").toLowerCase();
  const known = LOG_LEVELS.find((name) => name === given);
  if (known === undefined) throw new RangeError(`unknown log level ${JSON.stringify(given)}: use one of ${LOG_LEVELS.join(", ")}`);
  return known;
}
