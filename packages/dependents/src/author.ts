/** The functions of the author that judge an object, as the core calls them. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { DependentState } from "./core/entries.ts";
import type { Inputs } from "./core/inputs.ts";
import type { Plan } from "./core/plan.ts";
import { called } from "./core/ask.ts";
import { refined } from "./core/state.ts";
import type { Dependent } from "./dependent.ts";
import type { EachItem } from "./types.ts";

interface Asked {
  readonly inputs: Inputs;
  /** The item of `each`; `undefined` without `each`. */
  readonly item: EachItem | undefined;
}

/** Returns the functions of the author that judge the live object. */
export function authorOf(
  { options, name }: Dependent,
  owner: KubernetesObject,
  { inputs, item }: Asked,
): Pick<Plan, "readyWhen" | "refine"> {
  const { readyWhen, status } = options;
  // The live object is one of the author's kind, and the inputs are what the options declare.
  return {
    readyWhen:
      readyWhen === undefined
        ? undefined
        : (live) => called(`step "${name}": readyWhen`, () => readyWhen(live as never, owner, inputs as never, item)),
    refine:
      status === undefined
        ? undefined
        : (state, live) => called(`step "${name}": status`, () => status(state, live as never, undefined, item)),
  };
}

/** Returns the state of an object that the pass has not seen, as the author refines it. Never throws. */
export function stateWithout(
  { name, options }: Dependent,
  given: { readonly state: DependentState; readonly error: unknown; readonly item: EachItem | undefined },
): DependentState {
  const { state, error, item } = given;
  const { status } = options;
  const refine = status === undefined ? undefined : (before: DependentState) => status(before, undefined, error, item);
  return refined({ unit: name, unitNoun: "step" }, { refine }, { state, live: undefined });
}
