/** What the box of a step says, line by line. */
import type { FactDescription, StepDescription } from "@treadle/reconcile/unstable/engine";

/** Makes a text of a user safe for the inside of a label. Everything else in a chart is our own words. */
export type Text = (text: string) => string;

/** Returns the lines of a step. The first one is its name. */
export function stepLines(step: StepDescription, text: Text): readonly string[] {
  const { name, phases, conditions, gives, facts, writes, events, hasState, finalizer, parts } = step;
  return [
    text(name),
    ...(parts === undefined ? [] : [`${text(parts.maker)}, ${parts.concurrency === 1 ? "one at a time" : `${parts.concurrency} at once`}`]),
    phases.join(", "),
    ...facts.map((fact) => factText(fact, text)),
    listed(
      "conditions",
      conditions.map(({ type, counts }) => (counts ? text(type) : `${text(type)} (Ready ignores it)`)),
    ),
    listed("provides", gives.map(text)),
    listed("writes", writes),
    listed("events", events.map(text)),
    hasState ? "keeps state" : "",
    finalizer === "on-demand" ? "finalizer on demand" : "",
  ].filter((line) => line !== "");
}

function factText({ type, name, kinds }: FactDescription, text: Text): string {
  const shown = [...new Set(kinds.map(({ kind }) => text(kind)))].join(", ");
  if (name === undefined) return shown === "" ? text(type) : `${text(type)} ${shown}`;
  return `${text(type)} ${text(name)}${shown === "" ? "" : ` (${shown})`}`;
}

/** Longer lists make a box that hides the others. `-o json` has all names. */
const MAX_NAMES = 4;

function listed(what: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMES + 1 ? [`${names.length - MAX_NAMES} more`] : [];
  return `${what} ${[...names.slice(0, more.length === 0 ? names.length : MAX_NAMES), ...more].join(", ")}`;
}
