/** What `treadle generate` did, or would do, as text for a terminal or a pipe. Pure. */
import { painter, type Tone, wrapped } from "../terminal/layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { PlannedFile } from "./files/plan.ts";

/** The result of a run. */
export interface Generated {
  readonly folder: string;
  readonly isCheck: boolean;
  /** The files, with whether a check accepts them. */
  readonly files: readonly (PlannedFile & { readonly isAccepted: boolean })[];
  /** What could not be known. */
  readonly notes: readonly string[];
}

/** The words for what was done to a file. */
const DONE = { missing: "written", stale: "written", superfluous: "removed" } as const;

/** Returns the result as text, with a line break at its end. Files that are as they should be are counted only. */
export function generatedText({ folder, isCheck, files, notes }: Generated, terminal: Pick<Terminal, "columns" | "hasColors">): string {
  const paint = painter(terminal.hasColors);
  const line = (text: string, first = "", rest = first): string => wrapped(text, terminal.columns, { first, rest });
  const shown = files.flatMap(({ path, state, isAccepted }): readonly [string, Tone, string][] => {
    if (isCheck) return isAccepted ? [] : [[state, "bad", path]];
    return state === "missing" || state === "stale" || state === "superfluous" ? [[DONE[state], "good", path]] : [];
  });
  const width = Math.max(...shown.map(([word]) => word.length));
  const rows = shown.map(([word, tone, path]) => `${paint(tone, word.padEnd(width))}  ${path}`);
  const rest = files.length - shown.length;
  return [
    line(headOf({ folder, isCheck, count: shown.length, rest })),
    ...rows.map((row) => `  ${row}`),
    ...(isCheck && shown.length > 0 ? [line("Run the same command without --check, and commit the result.")] : []),
    ...(notes.length === 0 ? [] : ["", paint("title", "What you should know:"), ...notes.map((note) => line(note, "  - ", "    "))]),
    "",
  ].join("\n");
}

interface Counts extends Pick<Generated, "folder" | "isCheck"> {
  readonly count: number;
  readonly rest: number;
}

function headOf({ folder, isCheck, count, rest }: Counts): string {
  const files = (n: number): string => `${n} ${n === 1 ? "file" : "files"}`;
  if (isCheck) return count === 0 ? `${folder} is up to date: ${files(rest)}.` : `${folder} is not up to date:`;
  return count === 0
    ? `${folder} was up to date: ${files(rest)}.`
    : `${folder}: ${files(count)} changed${rest === 0 ? "" : `, ${rest} ${rest === 1 ? "was" : "were"} up to date`}.`;
}
