/** A failing run, told for a person: what the reference did, what went wrong where, what the operator did then, what came of it. */
import { type Entry, textOf } from "./journal.ts";
import { idOf } from "./point.ts";
import type { Outcome, Problem } from "./run.ts";

/** Lines before and after a fault that are told. */
const BEFORE = 6;
const AFTER = 24;

export function tell(reference: Outcome, run: Outcome, problems: readonly Problem[], seed: number): string {
  const id = idOf(run.point);
  const headline = [...new Set(problems.map(({ oracle }) => HEADLINES[oracle]))].join("; ") || "nothing is wrong";
  const seen = `${reference.writes.length} writes, ${reference.events.length} events, ${reference.passes} passes`;
  return [
    `${id}: ${headline}`,
    `the reference: ${seen}`,
    ...(run.point.length === 0
      ? []
      : [...writesAt(reference, run), `the run with ${id}:`, ...excerpt(run.journal).map((line) => `  ${line}`)]),
    ...problems.flatMap(({ oracle, lines }) => [`${HEADLINES[oracle]}:`, ...lines.map((line) => `  ${line}`)]),
    ...(run.hasStruck ? [] : ["(not every fault did strike: the run came to its end before)"]),
    `replay: explore(operator, scenario, { seed: ${seed}, replay: "${id}" })`,
  ].join("\n");
}

const HEADLINES: Readonly<Record<Problem["oracle"], string>> = {
  rest: "the operator does not come to rest",
  scenario: "the scenario threw",
  "end state": "the end state differs (- the reference, + this run)",
  leak: "objects are left over",
  effects: "external effects differ",
  status: "a status breaks an invariant (docs/status-invariants.md)",
  "fixed point": "it is at no fixed point",
  deletion: "deletion does not end",
  check: "the scenario's check failed",
};

function writesAt(reference: Outcome, run: Outcome): readonly string[] {
  return run.point.flatMap((fault) => {
    if (fault.type === "skip") {
      const event = reference.events.find(({ watch, number }) => watch === fault.watch && number === fault.event);
      return event === undefined ? [] : [`  ${fault.watch}#${fault.event} is the event ${event.type} ${event.key}`];
    }
    const write = reference.writes[fault.write - 1];
    return write === undefined ? [] : [`  write ${fault.write} is ${textOf(write.target)}`];
  });
}

/** What happened around the faults. */
function excerpt(journal: readonly Entry[]): readonly string[] {
  const faults = journal.flatMap((entry, index) => (entry.type === "fault" ? [index] : []));
  const first = faults[0];
  if (first === undefined) return journal.slice(-AFTER).map(line);
  const from = Math.max(0, first - BEFORE);
  const to = (faults.at(-1) ?? first) + AFTER;
  return [
    ...(from > 0 ? ["..."] : []),
    ...journal.slice(from, to).map(line),
    ...(to < journal.length ? [`... (${journal.length - to} lines more)`] : []),
  ];
}

function line(entry: Entry): string {
  switch (entry.type) {
    case "user":
      return `user: ${entry.text}`;
    case "write":
      return `write ${entry.number}: ${textOf(entry.target)}${entry.status === 0 ? "" : ` -> ${entry.status}`}`;
    case "event":
      return `event ${entry.watch}#${entry.number}: ${entry.change} ${entry.key}`;
    case "fault":
      return `FAULT: ${entry.text}`;
    case "restart":
      return `process ${entry.process} starts`;
    case "pass":
      return `pass of ${entry.key}: ${entry.outcome}`;
    case "effect":
      return `effect: ${entry.text}`;
  }
}
