/** The report of a check as text. */
import { painter, wrapped } from "../terminal/layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Change, Problem } from "./problem.ts";

/** What a check found. */
export interface Report {
  readonly problems: readonly Problem[];
  /** Absent without an old version. */
  readonly changes?: readonly Change[];
}

/** Returns the report, with a line break at its end. */
export function reportText({ problems, changes }: Report, { columns, hasColors }: Pick<Terminal, "columns" | "hasColors">): string {
  const paint = painter(hasColors);
  const bad = [...problems, ...(changes ?? []).filter(({ severity }) => severity !== "none")];
  const safe = (changes ?? []).filter(({ severity }) => severity === "none");
  const blocks = bad.map((each) => {
    const what = "breaks" in each ? `${each.id}, breaks ${each.breaks === "objects" ? "stored objects" : "clients"}` : each.id;
    const head = wrapped(`${each.severity}: ${each.where} (${what})`, columns, { first: "", rest: "  " });
    return [
      paint(each.severity === "error" ? "bad" : "waiting", head),
      wrapped(each.message, columns, INDENT),
      ...(each.remedy === "" ? [] : [wrapped(each.remedy, columns, INDENT)]),
    ].join("\n");
  });
  const safeLines = safe.map(({ where, message }) => wrapped(`- ${where}: ${message}`, columns, { first: "  ", rest: "    " }));
  return [
    ...blocks,
    ...(safe.length === 0 ? [] : [paint("quiet", ["Changes that break nothing:", ...safeLines].join("\n"))]),
    paint("title", wrapped(summary(bad, changes), columns)),
  ]
    .join("\n\n")
    .concat("\n");
}

const INDENT = { first: "  ", rest: "  " } as const;

function summary(bad: readonly (Problem | Change)[], changes: readonly Change[] | undefined): string {
  const count = (severity: string): number => bad.filter((each) => each.severity === severity).length;
  const compared = changes?.length === 0 ? " The CRDs have no changes to report." : "";
  if (bad.length === 0) return `Nothing to correct.${compared}`;
  return `${counted(count("error"), "error")}, ${counted(count("warning"), "warning")}.${compared}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
