/**
 * What a plugin writes, as lines of the host's log. It never waits and keeps at most one line: what is over the limits is read, counted
 * and dropped, so that a plugin that writes without end blocks neither the host nor itself.
 */
import type { Timer } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import type { ConnectEnv } from "../connection.ts";
import { shown } from "../shown.ts";

type LogEnv = Pick<ConnectEnv, "log" | "clock" | "hide">;

/** The log of one plugin. */
export interface PluginLog {
  /** Returns a writer for one stream, with its own unfinished line. The limits are common. */
  stream(): (data: Uint8Array) => void;
  /** Logs what is still unfinished, and what was dropped. */
  end(): void;
}

/** Maximum number of lines in a second. */
export const MAX_LINES = 1_000;

/** Maximum length of a line, in bytes. */
export const MAX_LINE_BYTES = 8_192;

/** A value of a Secret at the end of a line is hidden as a whole, and then the line is cut. */
const MORE_BYTES = 2_048;

/** Makes the log of a plugin, with `hide` for values of Secrets. What was dropped is logged once a minute. */
export function pluginLog({ log, clock, hide }: LogEnv): PluginLog {
  const flushes: (() => void)[] = [];
  let [second, logged, dropped, cut] = [0, 0, 0, 0];
  let timer: Timer | undefined;
  const report = (): void => {
    timer?.cancel();
    timer = undefined;
    if (dropped > 0 || cut > 0) log.warn({ dropped, cut }, "the plugin logs too much: lines were dropped or cut");
    [dropped, cut] = [0, 0];
  };
  const line = (bytes: Buffer, isCut: boolean): void => {
    const now = Math.floor(clock.elapsed() / 1_000);
    if (now !== second) [second, logged] = [now, 0];
    const isOver = logged >= MAX_LINES;
    if (isOver) dropped += 1;
    else if (isCut) cut += 1;
    if (isOver || isCut) timer ??= clock.after(60_000, report);
    const text = isOver ? "" : bytes.toString("utf8").trimEnd();
    if (text === "") return;
    logged += 1;
    write({ log, hide }, isCut ? `${hide(text).slice(0, MAX_LINE_BYTES)}…` : text);
  };
  return {
    stream() {
      // Only the beginning of a line that is not complete is copied.
      let [start, isCut] = [EMPTY, false];
      const keep = (part: Buffer): void => {
        const rest = MAX_LINE_BYTES + MORE_BYTES - start.length;
        if (start.length + part.length > MAX_LINE_BYTES) isCut = true;
        if (rest > 0) start = Buffer.concat([start, part.subarray(0, rest)]);
      };
      const end = (): void => {
        if (start.length > 0) line(start, isCut);
        [start, isCut] = [EMPTY, false];
      };
      flushes.push(end);
      return (chunk) => {
        const data = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
        let from = 0;
        for (let to = data.indexOf("\n"); to !== -1; to = data.indexOf("\n", from)) {
          keep(data.subarray(from, to));
          end();
          from = to + 1;
        }
        if (from < data.length) keep(data.subarray(from));
      };
    },
    end() {
      for (const flush of flushes) flush();
      report();
    },
  };
}

const EMPTY: Buffer = Buffer.alloc(0);

type Level = keyof Logger;

/** hclog's levels; others are info, because the trace of an exception has none. */
const LEVELS: ReadonlyMap<unknown, Level> = new Map([
  ["trace", "debug"],
  ["debug", "debug"],
  ["info", "info"],
  ["warn", "warn"],
  ["error", "error"],
]);

/** A line of hclog's text format, with or without its time. */
const HCLOG = /^(?:\d{4}-\d\d-\d\dT[\d:.]{8,15}(?:Z|[+-]\d\d:?\d\d) )?\[(TRACE|DEBUG|INFO|WARN|ERROR)\] +/;

function write({ log, hide }: Pick<LogEnv, "log" | "hide">, line: string): void {
  const entry = line.startsWith("{") ? jsonEntry(line) : undefined;
  if (entry !== undefined)
    return log[entry.level](entry.fields === "{}" ? {} : { fields: shown(hide(entry.fields)) }, shown(hide(entry.text)));
  const [prefix = "", level = ""] = HCLOG.exec(line) ?? [];
  const isPanic = /^(panic|fatal error): /.test(line);
  log[isPanic ? "error" : (LEVELS.get(level.toLowerCase()) ?? "info")]({}, shown(hide(line.slice(prefix.length))));
}

/** A line of hclog's JSON format. */
function jsonEntry(line: string): { readonly level: Level; readonly text: string; readonly fields: string } | undefined {
  try {
    // The line begins with a brace.
    const {
      "@level": level,
      "@message": message,
      "@module": module,
      "@timestamp": _,
      ...fields
    } = JSON.parse(line) as Record<string, unknown>;
    if (typeof message !== "string") return undefined;
    const text = typeof module === "string" ? `${module}: ${message}` : message;
    return { level: LEVELS.get(level) ?? "info", text, fields: JSON.stringify(fields) };
  } catch {
    return undefined;
  }
}
