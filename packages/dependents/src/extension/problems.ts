/** The problems of steps that keep objects, for `build()`. */
import { groupKindOf } from "@treadle/apimachinery";
import { type ExtendedHandler, leavesOf, type StepRuntime } from "@treadle/reconcile/unstable/engine";
import type { DependentData, ExtendedDependent } from "./data.ts";

/** Returns the problems of the steps of a handler; each text names the fix. */
export function problems({ kind, steps, list }: ExtendedHandler<DependentData>, dataOf: DataOf): readonly string[] {
  const shown = steps.find(({ data }) => data.hasEntries);
  const found: string[] = [];
  if (shown !== undefined && kind.resource?.statusParts.includes("dependents") !== true) {
    const fix = kind.resource === undefined ? "set checkedForReadiness: false" : "add dependents: true to its defineResource()";
    found.push(`step "${shown.name}" reports its object in status.dependents, which ${kind.kind} does not have: ${fix}`);
  }
  for (const { name, data } of steps) found.push(...data.problems(kind).map((problem) => `step "${name}" ${problem}`));
  return [...found, ...groupProblems(steps, list), ...sameObjectProblems(steps), ...orderProblems(steps, list, dataOf)];
}

/** Steps that have the target of a group, and are used without it. */
function groupProblems(steps: readonly ExtendedDependent[], list: readonly StepRuntime[]): string[] {
  const nodesOf = (step: StepRuntime): readonly StepRuntime[] => [step, ...(step.parts?.steps ?? []).flatMap(nodesOf)];
  const nodes = new Set(list.flatMap(nodesOf));
  return steps.flatMap(({ name, data: { targetGroups } }) => {
    const [group] = targetGroups;
    if (group === undefined || [...targetGroups].some((each) => nodes.has(each))) return [];
    return [
      `step "${name}" has the target of dependentApplyAll("${group.name}"), which is not in the list: add the group, or set target on "${name}"`,
    ];
  });
}

/** Steps that keep one object: each would undo what the other does. */
function sameObjectProblems(steps: readonly ExtendedDependent[]): string[] {
  const first = new Map<string, ExtendedDependent>();
  return steps.flatMap((step) => {
    const { fixedName } = step.data;
    if (fixedName === undefined) return [];
    const { kind, name, namespace } = fixedName;
    const id = JSON.stringify([groupKindOf(kind), name ?? null, namespace ?? null]);
    const other = first.get(id);
    if (other === undefined) first.set(id, step);
    // A step that is listed twice is another problem.
    if (other === undefined || other.step === step.step) return [];
    const which = name === undefined ? "the one with the name of the owner" : `the one with the name ${JSON.stringify(name)}`;
    const where = namespace === undefined ? "" : ` in the namespace ${JSON.stringify(namespace)}`;
    return [
      `steps "${other.name}" and "${step.name}" keep the same ${kind.kind}, ${which}${where}: set ${name === undefined ? "objectName" : "another objectName"} for at least one of them`,
    ];
  });
}

function orderProblems(steps: readonly ExtendedDependent[], list: readonly StepRuntime[], dataOf: DataOf): string[] {
  const found: string[] = [];
  const before = new Set<StepRuntime>();
  for (const entry of list) {
    const parts = leavesOf([entry]);
    // The engine puts the parts of one group in order.
    for (const part of parts) before.add(part);
    for (const part of parts) {
      const needed = dataOf(part)?.dependsOn() ?? [];
      if (needed.some((each) => dataOf(each)?.dependent === undefined))
        found.push(`step "${part.name}": dependsOn must list steps made by dependentApply()`);
      if (needed.includes(part)) found.push(`step "${part.name}" depends on itself: remove it from its dependsOn`);
      for (const each of needed) {
        if (each === undefined || dataOf(each)?.dependent === undefined || before.has(each)) continue;
        found.push(
          steps.some(({ step }) => step === each)
            ? `step "${part.name}" depends on "${each.name}", which does not run before it: move it to an earlier place, or both into one dependentApplyAll()`
            : `step "${part.name}" depends on "${each.name}", which is not in the list: add it`,
        );
      }
    }
  }
  return found;
}

/** Returns the data of a step; `undefined` for a step that keeps no object, and for a value that is not a step. */
type DataOf = (step: StepRuntime | undefined) => DependentData | undefined;
