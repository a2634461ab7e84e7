/** The problems of components, for `build()`; each text names the fix. */
import { type ExtendedHandler, leavesOf, runtimeOf } from "@treadle/reconcile/unstable/engine";
import type { Definition } from "./definition.ts";

/** Returns the problems of the components of a handler. */
export function problems({ steps, list }: ExtendedHandler<Definition>): readonly string[] {
  const order = leavesOf(list);
  return [
    ...steps.flatMap(({ data, step }) => [
      ...afterProblems(
        data,
        order.slice(0, order.indexOf(step)).map(({ name }) => name),
        order.map(({ name }) => name),
      ),
      ...dependsOnProblems(
        data,
        order.map(({ name }) => name),
      ),
    ]),
    ...sharedProblems(steps.map(({ data }) => data)),
  ];
}

function afterProblems({ name, after }: Definition, before: readonly string[], all: readonly string[]): readonly string[] {
  return after.flatMap(({ runtime }) => {
    if (runtime.name === name) return [`component "${name}" is in its own after: remove it`];
    if (before.includes(runtime.name)) return [];
    return all.includes(runtime.name)
      ? [`component "${name}" comes after "${runtime.name}", which is later in the list: place "${runtime.name}" before "${name}"`]
      : [`component "${name}" comes after "${runtime.name}", which is not in the list: add it before "${name}"`];
  });
}

/** A step that is not in the list at all is reported for every handler. */
function dependsOnProblems({ name, resources }: Definition, all: readonly string[]): readonly string[] {
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

function sharedProblems(all: readonly Definition[]): readonly string[] {
  const found = new Map<unknown, string>();
  return all.flatMap(({ name, resources }) =>
    resources.flatMap(({ step, name: resource }) => {
      const other = found.get(runtimeOf(step));
      found.set(runtimeOf(step), other ?? name);
      if (other === undefined) return [];
      return [
        other === name
          ? `component "${name}" lists "${resource}" twice: remove one of them`
          : `step "${resource}" is in the components "${other}" and "${name}": remove it from one of them`,
      ];
    }),
  );
}
