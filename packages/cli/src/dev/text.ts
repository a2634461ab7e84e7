/** The events as text. Pure, but for the width and the colours. */
import type { PhaseReport } from "@treadle/reconcile";
import { painter, type Tone, wrapped } from "../terminal/layout.ts";
import type { DevEvent, LoggedLine, ObjectName, PassEvent, PassWrite } from "./events.ts";

/** How text is laid out. */
export interface TextOptions {
  readonly columns: number | undefined;
  readonly hasColors: boolean;
  /** Returns the time of day of now, as in `10:12:03`. */
  time(): string;
}

/** A line of text: where it begins, and how it looks. */
interface Line {
  readonly text: string;
  readonly tone?: Tone;
  /** Columns in front of the text. @defaultValue 2 */
  readonly indent?: number;
  /** Whether it is one line in any width, because a user copies it. @defaultValue false */
  readonly isCopied?: boolean;
}

/** Returns the text of an event, with a line break at its end. */
export function eventText(event: DevEvent, { columns, hasColors, time }: TextOptions): string {
  const paint = painter(hasColors);
  const [head, ...rest] = linesOf(event);
  if (head === undefined) return "";
  const shown = (line: Line, first: string, rest: string): string => {
    const text = wrapped(line.text, line.isCopied === true ? undefined : columns, { first, rest });
    return line.tone === undefined ? text : paint(line.tone, text);
  };
  const begin = event.type === "output" ? "| " : `${time()} `;
  const lines = [
    shown(head, begin, event.type === "output" ? "| " : "  "),
    ...rest.map((line) => shown(line, " ".repeat(line.indent ?? 2), " ".repeat((line.indent ?? 2) + 2))),
  ];
  return `${lines.join("\n")}\n`;
}

function linesOf(event: DevEvent): readonly Line[] {
  switch (event.type) {
    case "cluster":
      return [
        { text: `${event.isInMemory ? "in-memory cluster" : "cluster"} at ${event.server}`, tone: "title" },
        ...(event.kubeconfig === undefined ? [] : [{ text: `export KUBECONFIG=${quoted(event.kubeconfig)}`, isCopied: true }]),
      ];
    case "loading":
      return [{ text: loadingText(event), tone: "quiet" }];
    case "applied":
      return [{ text: `${event.what === "crd" ? "CRD" : `sample ${event.object.kind}`} ${event.object.name} was ${event.operation}` }];
    case "refused":
      return failure(event.message);
    case "started":
      return [{ text: `operator running after ${seconds(event.durationMs)}: ${event.handlers.join(", ")}`, tone: "good" }];
    case "failed":
      return [...failure(`cannot start the operator: ${event.message}`), { text: afterFailure(event) }];
    case "ended":
      return [
        { text: `the operator ended with ${event.how}`, tone: "bad" },
        ...(event.message === undefined ? [] : failure(event.message)),
        { text: afterEnd(event.retryMs) },
      ];
    case "pass":
      return passLines(event);
    case "quiet":
      return [{ text: `${event.passes} ${event.passes === 1 ? "pass" : "passes"} changed nothing`, tone: "quiet" }];
    case "log":
      return [logLine(event)];
    case "output":
      return [{ text: event.text }];
    case "note":
      return [{ text: event.message, tone: "waiting" }];
    case "stopping":
      return [{ text: "stopping; press Ctrl-C again to end at once", tone: "quiet" }];
  }
}

function afterEnd(retryMs: number | undefined): string {
  return retryMs === undefined ? "Waiting for an edit." : `Restarting in ${seconds(retryMs)}.`;
}

function loadingText({ module, reason, files }: Extract<DevEvent, { readonly type: "loading" }>): string {
  switch (reason) {
    case "start":
      return `loading ${module}`;
    case "edit":
      return `loading ${module}: ${listed(files)} ${files.length === 1 ? "was" : "were"} edited`;
    case "crash":
      return `loading ${module} again`;
    case "port":
      return `loading ${module} again, after the operator that uses its port has stopped`;
  }
}

/** More files than a line shows. */
const MAX_FILES = 3;

function listed(files: readonly string[]): string {
  const more = files.length - MAX_FILES;
  return more > 0 ? `${files.slice(0, MAX_FILES).join(", ")} and ${more} more` : files.join(", ");
}

function afterFailure({ isPreviousRunning, retryMs }: Extract<DevEvent, { readonly type: "failed" }>): string {
  return isPreviousRunning ? "The previous operator keeps running. Waiting for an edit." : afterEnd(retryMs);
}

function failure(message: string): readonly Line[] {
  return message.split("\n").map((text) => ({ text, tone: "bad" }));
}

function passLines({ object, cause, durationMs, steps, writes, conditions, events, lines, ...end }: PassEvent): readonly Line[] {
  const isShort = steps.length === 0 && end.error === undefined;
  const name = nameOf(object);
  // Most passes are caused by their own object.
  const head = `${cause?.startsWith(`${name} `) === true ? cause : `${name}: ${cause ?? "pass"}`} (${seconds(durationMs)})`;
  return [
    { text: head, tone: "title" },
    ...steps.flatMap((step) => stepLines(step, end)),
    ...(end.error !== undefined && !steps.some(({ result }) => result === "failed") ? errorLines(end.error, end.place) : []),
    ...writes.map((write) => ({ text: writeText(write) })),
    ...conditions.map(({ type, status, reason, message }) => ({
      text: `${type} is ${status} (${reason})${message === "" ? "" : `: ${message}`}`,
      tone: toneOfStatus(status),
    })),
    ...events.map(({ type, reason, note }): Line => ({ text: `event ${reason}: ${note}`, ...(type === "Warning" ? { tone: "bad" } : {}) })),
    ...lines.map(logLine),
    ...(end.nextMs === undefined || isShort ? [] : [{ text: `next pass in ${seconds(end.nextMs)}`, tone: "quiet" as const }]),
  ];
}

const WORDS = { done: "done", wait: "waits", stop: "stops", failed: "failed" } as const satisfies Record<PhaseReport["result"], string>;
const TONES = { done: "good", wait: "waiting", stop: "quiet", failed: "bad" } as const satisfies Record<PhaseReport["result"], Tone>;
/** The longest word of an outcome, so that the names of steps are in one column. */
const WORD_LENGTH = 6;

function stepLines(report: PhaseReport, { place }: Pick<PassEvent, "place">): readonly Line[] {
  const { step, phase, result, reason, durationMs } = report;
  const name = phase === "do" ? step : `${step} (${phase})`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return [
    { text: `${WORDS[result].padEnd(WORD_LENGTH)} ${name}, ${seconds(durationMs)}${why}`, tone: TONES[result] },
    ...(result === "failed" && place !== undefined ? [{ text: `at ${place}`, indent: 4, tone: "bad" as const }] : []),
  ];
}

function errorLines(error: string, place: string | undefined): readonly Line[] {
  return [{ text: error, tone: "bad" }, ...(place === undefined ? [] : [{ text: `at ${place}`, indent: 4, tone: "bad" as const }])];
}

function writeText({ operation, object, paths, step }: PassWrite): string {
  const by = step === undefined ? "" : ` by ${step}`;
  return `${operation} ${nameOf(object)}${by}${paths.length === 0 ? "" : `: ${paths.join(", ")}`}`;
}

function logLine({ level, text, fields }: LoggedLine): Line {
  const { stack: _stack, step, ...rest } = fields;
  const shown = Object.keys(rest).length === 0 ? "" : ` ${JSON.stringify(rest)}`;
  const by = typeof step === "string" ? `${step} ` : "";
  return {
    text: `${by}${level}: ${text}${shown}`,
    ...(level === "error" || level === "fatal" ? { tone: "bad" } : level === "warn" ? { tone: "waiting" } : { tone: "quiet" }),
  };
}

function toneOfStatus(status: string): Tone {
  return status === "True" ? "good" : "waiting";
}

function nameOf({ kind, name }: ObjectName): string {
  return `${kind} ${name}`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;
}

/** Returns a path as a word of a shell. */
function quoted(path: string): string {
  return /^[\w./:@\\-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
