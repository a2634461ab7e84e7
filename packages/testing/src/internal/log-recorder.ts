/** The log of a test, which is recorded and not printed. */
import type { Logger } from "@treadle/reconcile";
import type { LogLine } from "../test-environment.ts";

/** Creates a logger that appends to `lines`. */
export function recordingLogger(lines: LogLine[]): Logger {
  const at =
    (level: LogLine["level"]) =>
    (data: object, text: string): void => {
      lines.push({ level, data, text });
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
