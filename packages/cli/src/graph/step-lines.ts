/** What the box of a step says, line by line. */
import type { FactDescription, StepDescription } from "@treadle/reconcile/unstable/engine";
import { labelText } from "./mermaid-text.ts";

/** Returns the lines of a step. The first one is its name. */
export function stepLines(step: StepDescription): readonly string[] {
  const { name, phases, conditions, gives, facts, writes, events, hasState, finalizer, parts } = step;
  return [
    `<b>${labelText(name)}</b>`,
    ...(parts === undefined
      ? []
      : [`${labelText(parts.maker)}, ${parts.concurrency === 1 ? "one at a time" : `${parts.concurrency} at once`}`]),
    phases.join(", "),
    ...facts.map(factText),
    listed(
      "conditions",
      conditions.map(({ type, counts }) => (counts ? labelText(type) : `${labelText(type)} (Ready ignores it)`)),
    ),
    listed("provides", gives.map(labelText)),
    listed("writes", writes),
    listed("events", events.map(labelText)),
    hasState ? "keeps state" : "",
    finalizer === "on-demand" ? "finalizer on demand" : "",
  ].filter((line) => line !== "");
}

function factText({ type, name, kinds }: FactDescription): string {
  const shown = [...new Set(kinds.map(({ kind }) => labelText(kind)))].join(", ");
  if (name === undefined) return shown === "" ? labelText(type) : `${labelText(type)} ${shown}`;
  return `${labelText(type)} ${labelText(name)}${shown === "" ? "" : ` (${shown})`}`;
}

/** Longer lists make a box that hides the others. `-o json` has all names. */
const MAX_NAMES = 4;

function listed(what: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMES + 1 ? [`${names.length - MAX_NAMES} more`] : [];
  return `${what} ${[...names.slice(0, more.length === 0 ? names.length : MAX_NAMES), ...more].join(", ")}`;
}
