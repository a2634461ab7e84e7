/** The extensions of a handler, and the handler as they see it. */
import type { Kind } from "@treadle/apimachinery";
import type { AnyExtension, ExtendedHandler } from "../extension.ts";
import { type DeclaredMetric, metricsOf } from "../metric.ts";
import { finalizerOf } from "./names.ts";
import type { Predecessors } from "./predecessors.ts";
import type { PartOrder } from "./order.ts";
import { leavesOf, type StepRuntime } from "./step-runtime.ts";

/** The extensions that the steps use, in the order of their first use. */
export function extensionsOf(leaves: readonly StepRuntime[]): readonly AnyExtension[] {
  const found = new Map<string, AnyExtension>();
  // Only defineExtension() makes a use.
  for (const { uses } of leaves) for (const [name, use] of uses) if (!found.has(name)) found.set(name, use.extension as AnyExtension);
  return [...found.values()];
}

/** The metrics of the extensions that the steps use. Two copies of an extension both have theirs in the list. */
export function measuredBy(leaves: readonly StepRuntime[]): readonly DeclaredMetric[] {
  const extensions = new Set(leaves.flatMap(({ uses }) => [...uses.values()].map(({ extension }) => extension as AnyExtension)));
  return [...extensions].flatMap(metricsOf);
}

/** A handler, as far as it is known before it is built. */
interface Described {
  readonly name: string;
  readonly kind: Kind;
  readonly before: Predecessors;
  readonly leaves: readonly StepRuntime[];
  readonly steps: readonly StepRuntime[];
  readonly order: PartOrder;
  readonly reporters: ReadonlyMap<StepRuntime, StepRuntime>;
}

/** The handler as an extension sees it. */
export function handlerOf({ name, before, kind, leaves, steps, order, reporters }: Described, extension: string): ExtendedHandler<unknown> {
  const reporterByName = new Map([...reporters].map(([part, reporter]) => [part.name, reporter]));
  return {
    name,
    names: before.names,
    kind,
    replacedManagers: before.fieldManagers,
    finalizers: [finalizerOf(kind, name), ...before.finalizers],
    steps: leaves.flatMap((step) => {
      const use = step.uses.get(extension);
      return use === undefined ? [] : [{ name: step.name, data: use.data, step }];
    }),
    list: steps,
    reporterOf: (step) => reporterByName.get(step),
    isAfter(step, other) {
      const [place, otherPlace] = [step, other].map((each) => steps.findIndex((entry) => leavesOf([entry]).includes(each))) as [
        number,
        number,
      ];
      return place === otherPlace ? order.usersOf(other).includes(step) : place > otherPlace;
    },
  };
}
