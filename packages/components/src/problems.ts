/** The problems of components, for `build()`; each text names the fix. */
import { type ExtendedHandler, leavesOf, runtimeOf, type StepRuntime } from "@treadle/reconcile/unstable/engine";
import type { Definition } from "./definition.ts";

/** Returns the problems of the components of a handler. */
export function problems({ steps, list }: ExtendedHandler<Definition>): readonly string[] {
  const order = leavesOf(list);
  return [
    ...steps.flatMap(({ data, step }) => [...afterProblems(data, step, order), ...dependsOnProblems(data, order)]),
    ...sharedProblems(
      steps.map(({ data }) => data),
      order,
    ),
  ];
}

function afterProblems({ name, after, resources }: Definition, step: StepRuntime, order: readonly StepRuntime[]): readonly string[] {
  const before = order.slice(0, order.indexOf(step));
  return after.flatMap(({ runtime }) => {
    if (runtime.name === name) return [`component "${name}" is in its own after: remove it`];
    if (resources.some((resource) => runtimeOf(resource.step) === runtime))
      return [`component "${name}" comes after "${runtime.name}", which is one of its resources: remove it from after`];
    if (before.includes(runtime)) return [];
    return order.includes(runtime)
      ? [`component "${name}" comes after "${runtime.name}", which is later in the list: place "${runtime.name}" before "${name}"`]
      : [`component "${name}" comes after "${runtime.name}", which is not in the list: add it before "${name}"`];
  });
}

/** A step that is not in the list at all is reported for every handler. */
function dependsOnProblems({ name, resources }: Definition, order: readonly StepRuntime[]): readonly string[] {
  const all = order.map((step) => step.name);
  const own = new Set(resources.map((resource) => resource.name));
  return resources.flatMap((resource) =>
    resource
      .dependsOn()
      .filter((other) => !own.has(other) && all.includes(other))
      .map(
        (other) =>
          `step "${resource.name}" of component "${name}" depends on "${other}", which is not in the component: put both into one component, or use after`,
      ),
  );
}

function sharedProblems(all: readonly Definition[], order: readonly StepRuntime[]): readonly string[] {
  const found = new Map<StepRuntime | undefined, readonly string[]>();
  for (const { name, resources } of all)
    for (const { step } of resources) found.set(runtimeOf(step), [...(found.get(runtimeOf(step)) ?? []), name]);
  return [...found].flatMap(([step, components]) => {
    if (step === undefined) return [];
    const [one, other] = components;
    if (other !== undefined)
      return one === other
        ? [`component "${one}" lists "${step.name}" twice: remove one of them`]
        : [`step "${step.name}" is in the components "${one}" and "${other}": remove it from one of them`];
    if (order.filter((each) => each === step).length < 2) return [];
    return [`step "${step.name}" is in component "${one}", and in the list of the handler: remove it from one of them`];
  });
}
