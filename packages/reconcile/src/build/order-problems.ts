/** The problems of `needs` and `gives`: what is needed must come before, and a name is given once. */
import { nodesOf, type PartOrder } from "./order.ts";
import type { StepRuntime } from "./step-runtime.ts";

/** Returns the problems of the order. A step may need what is earlier in the list, also in groups, and other parts of its group. */
export function orderProblems(list: readonly StepRuntime[], { circles }: PartOrder): string[] {
  const problems: string[] = [];
  const all = new Set(list.flatMap(nodesOf));
  const before = new Set<StepRuntime>();
  for (const entry of list) {
    const nodes = nodesOf(entry);
    for (const node of nodes) before.add(node);
    for (const step of nodes)
      for (const needed of step.needs) {
        if (nodesOf(needed).includes(step))
          problems.push(`step "${step.name}" needs "${needed.name}", of which it is a part: remove it from needs`);
        else if (!before.has(needed)) problems.push(notBefore(step, needed, all.has(needed)));
      }
  }
  return [...problems, ...circles.map(circleProblem)];
}

function notBefore({ name }: StepRuntime, needed: StepRuntime, isInList: boolean): string {
  return isInList
    ? `step "${name}" needs "${needed.name}", which is after it: place "${needed.name}" before "${name}"`
    : `step "${name}" needs "${needed.name}", which is not in the list: add it before "${name}"`;
}

function circleProblem({ group, members }: PartOrder["circles"][number]): string {
  const path = members.map(({ name }) => `"${name}"`).join(" on ");
  const fix = members.some(({ parts }) => parts !== undefined)
    ? "put the parts of the groups into one group"
    : "remove one of the dependencies";
  return `${group.parts?.maker}("${group.name}"): its parts depend on each other in a circle: ${path}: ${fix}`;
}

/** Returns the problems of steps that give values of the same name. */
export function giverProblems(leaves: readonly StepRuntime[]): string[] {
  const givers = new Map<string, string>();
  return leaves.flatMap(({ name, gives }) =>
    (gives?.names ?? []).flatMap((value) => {
      const other = givers.get(value);
      givers.set(value, other ?? name);
      return other === undefined ? [] : [`vars.${value} is given by "${other}" and by "${name}": rename it in one of them`];
    }),
  );
}
