/** A failing run, told for a person: what the reference did, what went wrong where, what the operator did then, what came of it. */
import { type Entry, textOf } from "./journal.ts";
import { idOf, type PointType } from "./fault-point.ts";
import type { ExplorationProblem } from "./exploration-problem.ts";
import type { RunOutcome } from "./run-outcome.ts";

/** Lines before and after a fault that are told. */
const BEFORE = 6;
const AFTER = 24;

export interface ReportOptions {
  readonly seed: number;
  /** Whether all that happened is told, not only what is near the faults and the problems. */
  readonly isWhole: boolean;
}

export function reportOf(
  reference: RunOutcome,
  run: RunOutcome,
  problems: readonly ExplorationProblem[],
  { seed, isWhole }: ReportOptions,
): string {
  const id = idOf(run.point);
  const headline = [...new Set(problems.map(({ type }) => HEADLINES[type]))].join("; ") || "nothing is wrong";
  const told = run.point.length === 0 ? [] : isWhole ? folded(run.journal.map(line)) : excerpt(run.journal);
  const seen = `${reference.writes.length} writes, ${reference.events.length} events, ${reference.passes} passes`;
  return [
    `${id}: ${headline}`,
    `the reference: ${seen}`,
    ...(run.point.length === 0 ? [] : [...writesAt(reference, run), `the run with ${id}:`, ...told.map((each) => `  ${each}`)]),
    ...(isWhole ? [] : [...lives(run, problems, told), ...deeds(run, problems, told)]),
    ...problems.flatMap(({ type, lines }) => [`${HEADLINES[type]}:`, ...lines.map((line) => `  ${line}`)]),
    ...(problems.some(({ type }) => type === "not idle") ? busiest(run) : []),
    ...hints(run.point, problems),
    ...(run.hasStruck ? [] : ["(not every fault did strike: the run came to its end before)"]),
    `replay: explore(operator, scenario, { seed: ${seed}, replay: "${id}" })`,
  ].join("\n");
}

const HEADLINES: Readonly<Record<ExplorationProblem["type"], string>> = {
  "not idle": "the operator does not become idle",
  scenario: "the scenario threw",
  "end state": "the end state differs (- the reference, + this run)",
  leak: "objects are left over",
  recreated: "what was there is deleted, and made again",
  effects: "external effects differ",
  status: "a status breaks an invariant (docs/status-invariants.md)",
  "fixed point": "it is at no fixed point",
  deletion: "deletion does not end",
  check: "the scenario's check failed",
};

function writesAt(reference: RunOutcome, run: RunOutcome): readonly string[] {
  return run.point.flatMap((fault) => {
    if (fault.type === "skip") {
      const event = reference.events.find(({ watch, number }) => watch === fault.watch && number === fault.event);
      return event === undefined ? [] : [`  ${fault.watch}#${fault.event} is the event ${event.type} ${event.key}`];
    }
    if (fault.type === "away") return [];
    const numbers = fault.type === "crash-stale" ? [...new Set([fault.before, fault.write])] : [fault.write];
    return numbers.flatMap((number) => {
      const write = reference.writes[number - 1];
      return write === undefined ? [] : [`  write ${number} is ${textOf(write.target)}`];
    });
  });
}

/** What was written again and again before it was given up. */
function busiest({ writes }: RunOutcome): readonly string[] {
  const last = writes.slice(-LAST_WRITES);
  const counts = new Map<string, number>();
  for (const { target } of last) {
    const text = `${textOf(target)} ${JSON.stringify(target.body ?? null).slice(0, MAX_BODY)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const most = [...counts].filter(([, count]) => count > 1).toSorted(([, a], [, b]) => b - a);
  return most.slice(0, MAX_OBJECTS).map(([text, count]) => `  ${count} of the last ${last.length} writes: ${text}`);
}

const LAST_WRITES = 100;
const MAX_BODY = 200;

/** What the fault stands for, and what helps against it. */
const HINTS: Readonly<Record<PointType, string>> = {
  crash:
    "whatever is done between two writes may be lost, or done again: note what is about to be done (req.checkpoint), then do it, and look for it first",
  "crash-lost": "what was done last may be there although nobody remembers it: look for it under a name that is the same in the next life",
  "crash-stale":
    "the process that takes over may know less than the one before: a guarded write (req.checkpoint) or a live read comes before what cannot be undone",
  deposed:
    "a process that was paused may write after another took over: make what is written harmless when it is late, by fixed names and preconditions",
  lost: "a write without an answer may have been done: repeat it so that it cannot be done twice",
  stale: "the cache may be behind: what was just written is not to be concluded from it",
  conflict: "somebody else may be faster: throw the conflict, and the pass is run again",
  error: "what fails once is to be tried again: let it throw",
  reset: "what fails once is to be tried again: let it throw",
  skip: "states in between may never be seen: act on what is, not on what has changed",
  away: "what happens while no process runs is never seen: act on what is, not on what has changed",
};

function hints(point: RunOutcome["point"], problems: readonly ExplorationProblem[]): readonly string[] {
  const kinds = new Set(point.map(({ type }) => type));
  return problems.length === 0 ? [] : [...kinds].map((kind) => `hint: ${HINTS[kind]}`);
}

/** What happened around the faults. */
function excerpt(journal: readonly Entry[]): readonly string[] {
  const faults = journal.flatMap((entry, index) => (entry.type === "fault" ? [index] : []));
  const first = faults[0];
  if (first === undefined) return folded(journal.slice(-AFTER).map(line));
  const from = Math.max(0, first - BEFORE);
  const after = folded(journal.slice(from).map(line));
  const to = faults.length - 1 + BEFORE + AFTER;
  return [...(from > 0 ? ["..."] : []), ...after.slice(0, to), ...(to < after.length ? [`... (${after.length - to} lines more)`] : [])];
}

/** Lines of which some come again and again, whatever their numbers: once, and how often. */
function folded(lines: readonly string[]): readonly string[] {
  const shapes = lines.map((each) => each.replace(/\b(write|event \S+#) ?\d+/, "$1"));
  const told: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const [length, times] = repetition(shapes, index);
    told.push(...lines.slice(index, index + length));
    if (times > 2)
      told.push(length === 1 ? `... (the same ${times - 1} times more)` : `... (these ${length} lines ${times - 1} times more)`);
    index += times > 2 ? length * times : length;
  }
  return told;
}

/** How many lines from `start` on come several times one after the other, and how often. */
function repetition(shapes: readonly string[], start: number): readonly [length: number, times: number] {
  for (let length = 1; length <= MAX_REPEATED; length++) {
    let times = 1;
    const isSame = (): boolean =>
      shapes.slice(start, start + length).every((shape, index) => shape === shapes[start + times * length + index]);
    while (isSame()) times++;
    if (times > 2) return [length, times];
  }
  return [1, 1];
}

/** A pass with what it wrote. */
const MAX_REPEATED = 5;
/** Of one object. */
const MAX_STEPS = 12;
const MAX_OBJECTS = 3;

const ABOUT_OBJECTS: ReadonlySet<ExplorationProblem["type"]> = new Set(["leak", "end state", "recreated"]);

/** What became of the objects that are not as they should be, in the whole run. */
function lives(run: RunOutcome, problems: readonly ExplorationProblem[], isTold: readonly string[]): readonly string[] {
  const about = problems.filter(({ type }) => ABOUT_OBJECTS.has(type)).flatMap(({ lines }) => lines);
  const ids = about.flatMap((text) => /^(?:[-+] )?(?:after .*?: )?([A-Z]\w* \S*[^\s:*]):?(?= \(| was made |$)/.exec(text)?.slice(1) ?? []);
  return [...new Set(ids)].slice(0, MAX_OBJECTS).flatMap((id) => {
    const [, key = ""] = id.split(" ");
    const steps = run.journal.filter((entry) => entry.type === "fault" || concerns(entry, key));
    if (steps.every((entry) => entry.type === "fault" || isTold.includes(line(entry)))) return [];
    const told = folded(steps.map(line));
    return [
      `what became of ${id}:`,
      ...[...(told.length > MAX_STEPS ? ["..."] : []), ...told.slice(-MAX_STEPS)].map((each) => `  ${each}`),
    ];
  });
}

/** What was going on each time that such an effect happened after the fault, where the lines near it do not show it. */
function deeds({ journal }: RunOutcome, problems: readonly ExplorationProblem[], isTold: readonly string[]): readonly string[] {
  const about = problems.filter(({ type }) => type === "effects").flatMap(({ lines }) => lines);
  const isMeant = (text: string): boolean => about.some((each) => each.includes(text));
  const first = journal.findIndex(({ type }) => type === "fault");
  const at = journal.flatMap((entry, index) => (index > first && entry.type === "effect" && isMeant(entry.text) ? [index] : []));
  const after = isTold.slice(isTold.findIndex((each) => each.startsWith(FAULT)));
  const told = after.filter((each) => each.startsWith(EFFECT) && isMeant(each.slice(EFFECT.length)));
  if (at.length <= told.length) return [];
  const near = journal.flatMap((entry, index) => (at.some((each) => index > each - NEAR && index <= each + 1) ? [{ entry, index }] : []));
  const lines = near.flatMap(({ entry, index }, place) => [...(index === (near[place - 1]?.index ?? -1) + 1 ? [] : ["..."]), line(entry)]);
  return ["when these effects happened:", ...lines.slice(0, MAX_NEAR).map((each) => `  ${each}`)];
}

const FAULT = "FAULT: ";
const EFFECT = "effect: ";
/** Lines that end in an effect. */
const NEAR = 4;
const MAX_NEAR = 20;

function concerns(entry: Entry, key: string): boolean {
  if (entry.type === "write") return textOf(entry.target).endsWith(` ${key}`);
  return entry.type === "event" ? entry.key === key : entry.type === "user" && entry.text.split(/[ ,]/).includes(key);
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
      return `${FAULT}${entry.text}`;
    case "restart":
      return `process ${entry.process} starts`;
    case "pass":
      return `pass of ${entry.key}: ${entry.outcome}`;
    case "effect":
      return `${EFFECT}${entry.text}`;
  }
}
