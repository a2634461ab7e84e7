/** The report of a run for a person: the reference, the faults, what the operator did then, and the problems. */
import { type Entry, textOf } from "./journal.ts";
import { idOf, type PointType } from "./fault-point.ts";
import type { ExplorationProblem } from "./exploration-problem.ts";
import type { RunOutcome } from "./run-outcome.ts";

/** Lines of the journal before and after a fault. */
const BEFORE = 6;
const AFTER = 24;

/** Options of {@link reportOf}. */
export interface ReportOptions {
  readonly seed: number;
  /** Whether the report has the whole journal, not only the parts near faults and problems. */
  readonly isWhole: boolean;
}

/** Describes a run and its problems. */
export function reportOf(
  reference: RunOutcome,
  run: RunOutcome,
  problems: readonly ExplorationProblem[],
  { seed, isWhole }: ReportOptions,
): string {
  const id = idOf(run.point);
  const headline = [...new Set(problems.map(({ type }) => HEADLINES[type]))].join("; ") || "nothing is wrong";
  const shown = run.point.length === 0 ? [] : isWhole ? folded(run.journal.map(line)) : excerpt(run.journal);
  const seen = `${reference.writes.length} writes, ${reference.events.length} events, ${reference.passes} passes`;
  return [
    `${id}: ${headline}`,
    `the reference: ${seen}`,
    ...(run.point.length === 0 ? [] : [...writesAt(reference, run), `the run with ${id}:`, ...shown.map((each) => `  ${each}`)]),
    ...(isWhole ? [] : [...histories(run, problems, shown), ...effectContexts(run, problems, shown)]),
    ...problems.flatMap(({ type, lines }) => [`${HEADLINES[type]}:`, ...lines.map((line) => `  ${line}`)]),
    ...(problems.some(({ type }) => type === "not idle") ? busiest(run) : []),
    ...hints(run.point, problems),
    ...(run.hasHappened ? [] : ["(not every fault happened: the run ended before)"]),
    `replay: explore(operator, scenario, { seed: ${seed}, replay: "${id}" })`,
  ].join("\n");
}

const HEADLINES: Readonly<Record<ExplorationProblem["type"], string>> = {
  "not idle": "the operator does not become idle",
  scenario: "the scenario threw",
  "end state": "the end state differs (- the reference, + this run)",
  leak: "objects are left over",
  recreated: "an existing object was deleted and created again",
  effects: "external effects differ",
  status: "a status breaks an invariant (docs/status-invariants.md)",
  "fixed point": "a further pass of each object changes something",
  deletion: "the deletion does not end",
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

/** The most frequent of the last writes. */
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

/** The meaning of a fault in production, and its remedy. */
const HINTS: Readonly<Record<PointType, string>> = {
  crash:
    "an action between two writes may be lost or repeated: record it before (req.checkpoint), and look for its result before you repeat it",
  "crash-lost": "the result of the last action may exist without a record: look for it under a name that is the same after a restart",
  "crash-stale":
    "the next process may have an older state than the last one: do a guarded write (req.checkpoint) or a live read before an action that cannot be undone",
  deposed: "a paused process may write after another one took over: use fixed names and preconditions, so that a late write is harmless",
  lost: "a write without an answer may be stored: make it repeatable",
  stale: "the cache may be behind: do not expect the last write in it",
  conflict: "another writer may be faster: throw the conflict, and the pass is repeated",
  error: "a failed request must be retried: let it throw",
  reset: "a failed request must be retried: let it throw",
  skip: "an intermediate state may never be seen: act on the current state, not on a change",
  away: "a change while no process runs is never seen: act on the current state, not on a change",
};

function hints(point: RunOutcome["point"], problems: readonly ExplorationProblem[]): readonly string[] {
  const kinds = new Set(point.map(({ type }) => type));
  return problems.length === 0 ? [] : [...kinds].map((kind) => `hint: ${HINTS[kind]}`);
}

/** The journal around the faults. */
function excerpt(journal: readonly Entry[]): readonly string[] {
  const faults = journal.flatMap((entry, index) => (entry.type === "fault" ? [index] : []));
  const first = faults[0];
  if (first === undefined) return folded(journal.slice(-AFTER).map(line));
  const from = Math.max(0, first - BEFORE);
  const after = folded(journal.slice(from).map(line));
  const to = faults.length - 1 + BEFORE + AFTER;
  return [...(from > 0 ? ["..."] : []), ...after.slice(0, to), ...(to < after.length ? [`... (${after.length - to} lines more)`] : [])];
}

/** Shortens repeated lines, whatever their numbers, to one repetition and a count. */
function folded(lines: readonly string[]): readonly string[] {
  const shapes = lines.map((each) => each.replace(/\b(write|event \S+#) ?\d+/, "$1"));
  const shown: string[] = [];
  for (let index = 0; index < lines.length; ) {
    const [length, times] = repetition(shapes, index);
    shown.push(...lines.slice(index, index + length));
    if (times > 2)
      shown.push(length === 1 ? `... (the same ${times - 1} times more)` : `... (these ${length} lines ${times - 1} times more)`);
    index += times > 2 ? length * times : length;
  }
  return shown;
}

/** Returns the length of the block at `start` that is repeated directly after itself, and its number of repetitions. */
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

/** Lines of a pass and its writes. */
const MAX_REPEATED = 5;
/** Lines about one object. */
const MAX_STEPS = 12;
const MAX_OBJECTS = 3;

const ABOUT_OBJECTS: ReadonlySet<ExplorationProblem["type"]> = new Set(["leak", "end state", "recreated"]);

/** The history of each object with a problem, over the whole run. */
function histories(run: RunOutcome, problems: readonly ExplorationProblem[], shownLines: readonly string[]): readonly string[] {
  const about = problems.filter(({ type }) => ABOUT_OBJECTS.has(type)).flatMap(({ lines }) => lines);
  const ids = about.flatMap(
    (text) => /^(?:[-+] )?(?:after .*?: )?([A-Z]\w* \S*[^\s:*]):?(?= \(| was created |$)/.exec(text)?.slice(1) ?? [],
  );
  return [...new Set(ids)].slice(0, MAX_OBJECTS).flatMap((id) => {
    const [, key = ""] = id.split(" ");
    const steps = run.journal.filter((entry) => entry.type === "fault" || concerns(entry, key));
    if (steps.every((entry) => entry.type === "fault" || shownLines.includes(line(entry)))) return [];
    const shown = folded(steps.map(line));
    return [`history of ${id}:`, ...[...(shown.length > MAX_STEPS ? ["..."] : []), ...shown.slice(-MAX_STEPS)].map((each) => `  ${each}`)];
  });
}

/** The journal around each wrong effect after the fault, if the lines near the fault do not show it. */
function effectContexts(
  { journal }: RunOutcome,
  problems: readonly ExplorationProblem[],
  shownLines: readonly string[],
): readonly string[] {
  const about = problems.filter(({ type }) => type === "effects").flatMap(({ lines }) => lines);
  const isMeant = (text: string): boolean => about.some((each) => each.includes(text));
  const first = journal.findIndex(({ type }) => type === "fault");
  const at = journal.flatMap((entry, index) => (index > first && entry.type === "effect" && isMeant(entry.text) ? [index] : []));
  const after = shownLines.slice(shownLines.findIndex((each) => each.startsWith(FAULT)));
  const shown = after.filter((each) => each.startsWith(EFFECT) && isMeant(each.slice(EFFECT.length)));
  if (at.length <= shown.length) return [];
  const near = journal.flatMap((entry, index) => (at.some((each) => index > each - NEAR && index <= each + 1) ? [{ entry, index }] : []));
  const lines = near.flatMap(({ entry, index }, place) => [...(index === (near[place - 1]?.index ?? -1) + 1 ? [] : ["..."]), line(entry)]);
  return ["when these effects happened:", ...lines.slice(0, MAX_NEAR).map((each) => `  ${each}`)];
}

const FAULT = "FAULT: ";
const EFFECT = "effect: ";
/** Lines of context, of which the last is the effect. */
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
