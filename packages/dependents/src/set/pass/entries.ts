/** The entries of a set in `status.dependents`. */
import { truncate } from "@treadle/reconcile/unstable/engine";
import { MAX_ENTRIES, type NewEntry, severity, shownEntries } from "../../core/entries.ts";
import { identityOf } from "../../core/marks.ts";
import { policiesNote } from "../policies/policies-note.ts";
import type { Outcome, Phase } from "./outcome.ts";
import type { Run } from "./run.ts";
import { keyOfEntry } from "./stored-entries.ts";
import { problemText, type SetProblem } from "../plan/set-problem.ts";

/** Maximum length of the message of an entry. */
export const MAX_MESSAGE = 200;

/** Returns the entries for outcomes: all, or of more than {@link MAX_ENTRIES} those that are not ready, the worst first. */
export function entriesOf(outcomes: readonly Outcome[], leaving: readonly NewEntry[]): readonly NewEntry[] {
  const isAll = outcomes.length + leaving.length <= MAX_ENTRIES;
  if (isAll) return [...outcomes.map(entryOf), ...leaving];
  const worst = outcomes.filter(({ isReady }) => !isReady).toSorted((a, b) => severity(a.state) - severity(b.state));
  return [...worst.map(entryOf), ...leaving].slice(0, MAX_ENTRIES);
}

/** The attribute of an entry whose state the author decides. */
export const BY_AUTHOR: NonNullable<NewEntry["attributes"]>[number] = Object.freeze({ name: "state", value: "configured" });

function entryOf({ member, phase, state }: Outcome): NewEntry {
  const { kind, ref, policies } = member;
  const note = policiesNote(policies, {});
  const attributes = [
    { name: "phase", value: phase },
    { name: "wave", value: String(policies.apply) },
    ...(note === undefined ? [] : [{ name: "policies", value: note }]),
  ];
  const { type, reason, message } = state;
  // The attributes of the set come first: it reads them.
  if (member.config.state !== undefined) attributes.push(BY_AUTHOR, ...(state.attributes ?? []));
  return { ...identityOf(kind, ref), type, reason, message: truncate(message, MAX_MESSAGE), attributes };
}

/** Returns the entries of a set that is refused: those that are stored, and one for each object with a problem. */
export function entriesOfProblems(run: Run, problems: readonly SetProblem[]): readonly NewEntry[] {
  const entries = new Map<string, NewEntry>(run.stored.list.map((entry) => [keyOfEntry(entry), entry]));
  for (const problem of problems) {
    const { member } = problem;
    const identity = member === undefined ? problem.identity : identityOf(member.kind, member.ref);
    if (identity === undefined) continue;
    const key = keyOfEntry(identity);
    // An object that exists keeps its phase: it says that the object was applied.
    const attributes = entries.get(key)?.attributes ?? [{ name: "phase", value: "Waiting" satisfies Phase }];
    const message = truncate(problemText(problem), MAX_MESSAGE);
    entries.set(key, { ...identity, type: "Failed", reason: "Refused", message, attributes });
  }
  return shownEntries([...entries.values()]);
}
