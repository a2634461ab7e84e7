/** Compares the end of a run with the end of the reference. */
import { changes, difference } from "./diff.ts";
import type { PointType } from "./fault-point.ts";
import type { ExplorationProblem } from "./exploration-problem.ts";
import type { End, RunOutcome } from "./run-outcome.ts";

/** A rule for external effects: returns what is wrong with those of a run. */
export type EffectRule = (reference: readonly string[], actual: readonly string[]) => readonly string[];

/** Returns all problems of a run: its own, and the differences from the reference. */
export function problemsOf(reference: RunOutcome, actual: RunOutcome, given?: EffectRule): readonly ExplorationProblem[] {
  const rule = given ?? (actual.point.some(({ type }) => MISSING.has(type)) ? notOftener : asOften);
  if (reference.end === undefined || actual.end === undefined) return actual.problems;
  const compared = [...compare(reference.end, actual.end, { rule, when: "" }), ...recreated(reference.end, actual.end)];
  // After the deletion the same problems would appear again.
  if (compared.length > 0 || reference.end.deleted === undefined || actual.end.deleted === undefined)
    return [...actual.problems, ...compared];
  const after = compare(reference.end.deleted, actual.end.deleted, { rule, when: "after the deletion of all primaries: " });
  return [...actual.problems, ...after];
}

/** The points at which the operator may miss an action of the user, so that effects of an undone action may be absent. */
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
 * Kinds with more state than their spec: a recreated volume has lost its data, a recreated Job runs again. For other kinds, such
 * as ConfigMaps, only the end counts: an operator with an old state may delete and recreate them.
 */
const MADE_ONCE: ReadonlySet<string> = new Set(["Job", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Pod"]);

function recreated(reference: End, actual: End): readonly ExplorationProblem[] {
  const [expected, happened] = [counts(reference.made), counts(actual.made)];
  const lines = [...happened].flatMap(([id, have]) => {
    const want = expected.get(id) ?? 0;
    const isMeant = have <= want || !MADE_ONCE.has(id.replace(/ .*/, ""));
    return isMeant ? [] : [`${id} was created ${times(have)}, in the reference ${times(want)}`];
  });
  return lines.length === 0 ? [] : [{ type: "recreated", lines }];
}

/** Each effect happened as often as in the reference. */
const asOften: EffectRule = (reference, actual) => differing(reference, actual, (want, have) => want === have);
/** Each effect happened at most as often as in the reference. */
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
