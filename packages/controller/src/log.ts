/**
 * The log: JSON lines by pino. What looks like a secret never gets into a line: the data of Secrets, and values whose
 * name says that they are one.
 */
import type { Logger } from "@treadle/reconcile";
import { destination, type DestinationStream, type Level, type LevelWithSilent, pino, stdTimeFunctions } from "pino";

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
      if (logger.isLevelEnabled(at)) logger[at](loggable(data, 0) as object, text);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

const LEVELS: readonly LevelWithSilent[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];
const REDACTED = "[redacted]";
/** Whole words of a name, in whatever spelling: `clientSecret`, `api-key`, `AUTHORIZATION`. Names of things are no secrets: `secretName`, `inputSecretRef`. */
const SECRET_NAME: RegExp =
  /^(?:.*[-_.]|[a-z0-9]+(?=[A-Z]))?(?:password|passwd|pwd|token|secret|apikey|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|authorization|cookie)$/i;
/** Deeper than any line that a person reads. */
const MAX_DEPTH = 8;

function levelOf({ level, env = process.env }: LogOptions): LevelWithSilent {
  const given = level ?? (env["TREADLE_LOG_LEVEL"] || env["LOG_LEVEL"] || "info").toLowerCase();
  const known = LEVELS.find((name) => name === given);
  if (known === undefined) throw new RangeError(`unknown log level ${JSON.stringify(given)}: use one of ${LEVELS.join(", ")}`);
  return known;
}

/** A copy of `value` as it may be written. */
function loggable(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value;
  if (depth > MAX_DEPTH) return "[too deep]";
  if (value instanceof Error) return loggableError(value, depth);
  if (Array.isArray(value)) return value.map((item) => loggable(item, depth + 1));
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON();
  const isSecret = "kind" in value && value.kind === "Secret";
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const isHidden = (isSecret && (name === "data" || name === "stringData")) || name === LAST_APPLIED;
    const isNamed = typeof inner === "string" && SECRET_NAME.test(name);
    copy[name] = isHidden || isNamed ? REDACTED : loggable(inner, depth + 1);
  }
  return copy;
}

/** Holds the whole object as text, of a Secret too. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

function loggableError(error: Error, depth: number): object {
  const { name, message, stack, cause } = error;
  const code = "code" in error ? { code: error.code } : {};
  const errors = error instanceof AggregateError ? { errors: error.errors.map((inner) => loggable(inner, depth + 1)) } : {};
  return { name, message, ...code, stack, ...(cause === undefined ? {} : { cause: loggable(cause, depth + 1) }), ...errors };
}
