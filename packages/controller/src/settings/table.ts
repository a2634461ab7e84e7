/**
 * The options that can be set by environment or file. Each setting has the name of its option, and a rule for its value. The
 * same table reads files and the environment, suggests names, and is compared with docs/operations.md.
 */
import { LOG_FORMATS, LOG_LEVELS } from "../log.ts";

/** The rule for the value of a setting. */
export interface Taken {
  /** The end of a message that begins with "give". */
  readonly says: string;
  readonly accepts: (value: unknown) => boolean;
  /** The value of a text of the environment; a value that is not accepted is refused. */
  readonly fromText: (text: string) => unknown;
}

const asIs = (text: string): unknown => text;
const asNumber = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text);
const asJson = (text: string): unknown => (text === "true" || text === "false" ? text === "true" : asNumber(text));

const TEXT: Taken = { says: "a text", accepts: (value) => typeof value === "string" && value !== "", fromText: asIs };
const SWITCH: Taken = { says: "true or false", accepts: (value) => typeof value === "boolean", fromText: asJson };
const PORT: Taken = { says: "a port from 0 to 65535", accepts: (value) => isWhole(value, 0, 65_535), fromText: asNumber };
const MILLISECONDS: Taken = { says: "milliseconds, a whole number", accepts: (value) => isWhole(value, 0), fromText: asNumber };
const COUNT: Taken = { says: "a whole number from 1", accepts: (value) => isWhole(value, 1), fromText: asNumber };
const NAMES: Taken = {
  says: "a list of names",
  accepts: (value) => Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string"),
  fromText: (text) => text.split(",").map((name) => name.trim()),
};
const RESYNC: Taken = {
  says: "milliseconds above 0, or false",
  accepts: (value) => value === false || isWhole(value, 1),
  fromText: asJson,
};

/** The settings of one controller, below `controllers.<name>`; only in files. */
export const CONTROLLER_SETTINGS: Readonly<Record<string, Taken>> = {
  concurrency: COUNT,
  backoff: oneOf("cluster", "external"),
  resyncMs: RESYNC,
};

/** The settings, by path. Setting a part switches its parent on. */
export const SETTINGS: Readonly<Record<string, Taken>> = {
  namespaces: NAMES,
  logLevel: oneOf(...LOG_LEVELS),
  logFormat: oneOf(...LOG_FORMATS),
  host: TEXT,
  probes: SWITCH,
  "probes.host": TEXT,
  "probes.port": PORT,
  metrics: SWITCH,
  "metrics.host": TEXT,
  "metrics.port": PORT,
  "metrics.authorize": SWITCH,
  "metrics.conditions": oneOf("each"),
  "metrics.tls.certFile": TEXT,
  "metrics.tls.keyFile": TEXT,
  debug: SWITCH,
  "debug.host": TEXT,
  "debug.port": PORT,
  events: SWITCH,
  dryRun: SWITCH,
  drain: oneOf("release", "clean"),
  leaderElection: SWITCH,
  "leaderElection.name": TEXT,
  "leaderElection.namespace": TEXT,
  "leaderElection.leaseDurationMs": MILLISECONDS,
  "leaderElection.renewDeadlineMs": MILLISECONDS,
  "leaderElection.retryPeriodMs": MILLISECONDS,
  concurrency: COUNT,
  resyncMs: RESYNC,
  gracefulShutdownMs: MILLISECONDS,
  cacheSyncTimeoutMs: MILLISECONDS,
  kindRetryMs: MILLISECONDS,
};

/** The variable of a setting: `metrics.tls.certFile` is `TREADLE_METRICS_TLS_CERT_FILE`. */
export function variableOf(path: string): string {
  return `TREADLE_${path.replaceAll(".", "_").replaceAll(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase();
}

/** Makes `did you mean "x"?` with the nearest known name, or nothing if none is near. */
export function nearest(given: string, known: Iterable<string>): string {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = changesBetween(given.toLowerCase(), name.toLowerCase());
    if (distance <= given.length / 3 && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best === undefined ? "" : `: did you mean ${best.name}?`;
}

function oneOf(...names: readonly string[]): Taken {
  return { says: `one of ${names.join(", ")}`, accepts: (value) => names.includes(value as string), fromText: asIs };
}

function isWhole(value: unknown, from: number, to = 2 ** 31 - 1): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= from && value <= to;
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
