/** What of a run differs from the reference and must not. */
import { changes, difference } from "./diff.ts";
import type { PointType } from "./fault-point.ts";
import type { ExplorationProblem } from "./exploration-problem.ts";
import type { End, RunOutcome } from "./run-outcome.ts";

export type EffectRule = (reference: readonly string[], actual: readonly string[]) => readonly string[];

/** All problems of a run: its own, and those by comparison. */
export function problemsOf(reference: RunOutcome, actual: RunOutcome, given?: EffectRule): readonly ExplorationProblem[] {
  const rule = given ?? (actual.point.some(({ type }) => MISSING.has(type)) ? notOftener : asOften);
  if (reference.end === undefined || actual.end === undefined) return actual.problems;
  const compared = [...compare(reference.end, actual.end, { rule, when: "" }), ...madeAgain(reference.end, actual.end)];
  // What is wrong already is wrong after the deletion, too.
  if (compared.length > 0 || reference.end.deleted === undefined || actual.end.deleted === undefined)
    return [...actual.problems, ...compared];
  const after = compare(reference.end.deleted, actual.end.deleted, { rule, when: "after the deletion of all primaries: " });
  return [...actual.problems, ...after];
}

/** Where the operator may learn of nothing while the user goes on: what was taken back meanwhile need not have happened. */
const MISSING: ReadonlySet<PointType> = new Set(["skip", "away"]);

function compare(
  reference: Omit<End, "deleted" | "made">,
  actual: Omit<End, "deleted" | "made">,
  { rule, when }: { readonly rule: EffectRule; readonly when: string },
): readonly ExplorationProblem[] {
  const { missing, leaked, changed } = difference(reference.objects, actual.objects);
  const outside = [...changes(reference.outside, actual.outside, "outside")];
  const end = [...missing.map((id) => `- ${id} (only in the reference)`), ...changed, ...outside];
  const effects = rule(reference.effects, actual.effects);
  const problems: ExplorationProblem[] = [
    { type: "leak", lines: leaked.map((id) => `+ ${when}${id} (not in the reference)`) },
    { type: "end state", lines: end.map((line) => when + line) },
    { type: "effects", lines: effects.map((line) => when + line) },
  ];
  return problems.filter(({ lines }) => lines.length > 0);
}

/**
 * Kinds that hold or do more than their spec says: one that is deleted and made again has lost its data, or runs again. Of
 * others, such as ConfigMaps, only the end counts: whoever acts on an old state may undo and redo them.
 */
const MADE_ONCE: ReadonlySet<string> = new Set(["Job", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Pod"]);

function madeAgain(reference: End, actual: End): readonly ExplorationProblem[] {
  const [expected, happened] = [counts(reference.made), counts(actual.made)];
  const lines = [...happened].flatMap(([id, have]) => {
    const want = expected.get(id) ?? 0;
    const isMeant = have <= want || !MADE_ONCE.has(id.replace(/ .*/, ""));
    return isMeant ? [] : [`${id} was made ${times(have)}, in the reference ${times(want)}`];
  });
  return lines.length === 0 ? [] : [{ type: "recreated", lines }];
}

/** Neither repeated nor missing. */
const asOften: EffectRule = (reference, actual) => differing(reference, actual, (want, have) => want === have);
/** Not repeated. */
const notOftener: EffectRule = (reference, actual) => differing(reference, actual, (want, have) => have <= want);

function differing(
  reference: readonly string[],
  actual: readonly string[],
  isAllowed: (want: number, have: number) => boolean,
): readonly string[] {
  const [expected, happened] = [counts(reference), counts(actual)];
  return [...new Set([...expected.keys(), ...happened.keys()])].flatMap((effect) => {
    const [want = 0, have = 0] = [expected.get(effect), happened.get(effect)];
    return isAllowed(want, have) ? [] : [`"${effect}" happened ${times(have)}, in the reference ${times(want)}`];
  });
}

function counts(effects: readonly string[]): ReadonlyMap<string, number> {
  const map = new Map<string, number>();
  for (const effect of effects) map.set(effect, (map.get(effect) ?? 0) + 1);
  return map;
}

function times(count: number): string {
  return count === 0 ? "never" : count === 1 ? "once" : `${count} times`;
}
