/** The progress of a run as text: one line that is rewritten on a terminal, and one line for each change in a pipe. */
import type { RunObject, RunProgress } from "@treadle/dependents/unstable/run";
import { duration, shortened } from "../../terminal/layout.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { sentenceOf } from "./object-text.ts";
import type { RunEnd } from "./verdict.ts";

/** Shows the progress of one run. */
export interface ProgressLine {
  update(progress: RunProgress): void;
  /** Removes the line of a terminal. */
  end(): void;
}

const CLEAR_LINE = "\r\u001B[K";

export function progressLine(terminal: Pick<Terminal, "err" | "columns" | "nowMs">): ProgressLine {
  const startedMs = terminal.nowMs();
  const { columns } = terminal;
  let last = "";
  return {
    update(progress) {
      const text = progressText(progress);
      if (columns !== undefined) {
        const age = ` ${duration(terminal.nowMs() - startedMs)}`;
        terminal.err(`${CLEAR_LINE}${shortened(text, Math.max(8, columns - age.length - 1))}${age}`);
      } else if (text !== last) terminal.err(`${text}\n`);
      last = text;
    },
    end() {
      if (columns !== undefined && last !== "") terminal.err(CLEAR_LINE);
      last = "";
    },
  };
}

/** Returns wave, totals and the worst object. */
export function progressText({ objects, leaving, wave, waves, message }: RunProgress): string {
  const awaited = objects.filter(({ isAwaited }) => isAwaited);
  if (awaited.length === 0) return leaving.length === 0 ? message : `${counted(leaving.length, "object")} left: ${message}`;
  const ready = awaited.filter(({ isReady }) => isReady).length;
  const number = waves.indexOf(wave) + 1;
  const where = waves.length > 1 && number > 0 ? `wave ${number} of ${waves.length}, ` : "";
  const worst = worstOf(awaited);
  const removal =
    leaving.length === 0 || worst !== undefined ? "" : `, ${counted(leaving.length, "object")} to remove: ${leaving[0]?.message ?? ""}`;
  const rest = worst === undefined ? removal : `: ${sentenceOf(worst)}`;
  return `${where}${ready} of ${awaited.length} ready${rest}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Returns why a run has not made all objects ready. */
export function endText({ end, progress }: { readonly end: RunEnd; readonly progress: RunProgress | undefined }): string {
  if (end.type === "failed") return end.message;
  return progress === undefined ? "no pass has looked at the objects" : progressText(progress);
}

/** The object that is named: one that has failed, else one that is not ready, else one that waits. */
export function worstOf(objects: readonly RunObject[]): RunObject | undefined {
  const open = objects.filter(({ isReady }) => !isReady);
  return open.find(({ state }) => state.type === "Failed") ?? open.find(({ phase }) => phase !== "Waiting") ?? open[0];
}
