/** What of a run differs from the reference and must not. */
import { changes, difference } from "./diff.ts";
import type { End, Outcome, Problem } from "./run.ts";

export type EffectRule = (reference: readonly string[], actual: readonly string[]) => readonly string[];

/** All problems of a run: its own, and those by comparison. */
export function judge(reference: Outcome, actual: Outcome, rule: EffectRule = asOften): readonly Problem[] {
  if (reference.end === undefined || actual.end === undefined) return actual.problems;
  const compared = compare(reference.end, actual.end, { rule, when: "" });
  // What is wrong already is wrong after the deletion, too.
  if (compared.length > 0 || reference.end.deleted === undefined || actual.end.deleted === undefined)
    return [...actual.problems, ...compared];
  const after = compare(reference.end.deleted, actual.end.deleted, { rule, when: "after the deletion of all primaries: " });
  return [...actual.problems, ...after];
}

function compare(
  reference: Omit<End, "deleted">,
  actual: Omit<End, "deleted">,
  { rule, when }: { readonly rule: EffectRule; readonly when: string },
): readonly Problem[] {
  const { missing, leaked, changed } = difference(reference.objects, actual.objects);
  const outside = [...changes(reference.outside, actual.outside, "outside")];
  const end = [...missing.map((id) => `- ${id} (only in the reference)`), ...changed, ...outside];
  const effects = rule(reference.effects, actual.effects);
  const problems: Problem[] = [
    { oracle: "leak", lines: leaked.map((id) => `+ ${when}${id} (not in the reference)`) },
    { oracle: "end state", lines: end.map((line) => when + line) },
    { oracle: "effects", lines: effects.map((line) => when + line) },
  ];
  return problems.filter(({ lines }) => lines.length > 0);
}

/** Neither repeated nor missing. */
function asOften(reference: readonly string[], actual: readonly string[]): readonly string[] {
  const [expected, happened] = [counts(reference), counts(actual)];
  return [...new Set([...expected.keys(), ...happened.keys()])].flatMap((effect) => {
    const [want = 0, have = 0] = [expected.get(effect), happened.get(effect)];
    return want === have ? [] : [`"${effect}" happened ${times(have)}, in the reference ${times(want)}`];
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
