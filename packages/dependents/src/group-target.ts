/** The target that a step of dependentApply() gets from its group. */
import type { StepRuntime } from "@treadle/reconcile/unstable/engine";
import { type Dependent, dependentOf } from "./dependent.ts";
import type { AnyOptions } from "./types.ts";

type AnyTarget = NonNullable<AnyOptions["target"]>;

/**
 * The target of one step: that of its options, else that of its group.
 *
 * Guarantees
 * - A step has one target wherever it is used. A use that contradicts another one is an error, in each order of the two.
 * - Once the target has been used, it does not change.
 */
export class StepTarget {
  readonly #options: AnyOptions;
  readonly #groups = new Set<StepRuntime>();
  #dependent: Dependent;
  #given: AnyTarget | undefined;
  #isUsed = false;

  /** @throws TypeError for options that have no meaning with their target */
  constructor(options: AnyOptions) {
    this.#options = options;
    this.#dependent = dependentOf(options);
  }

  /** The step as far as it is known. Its group may still give it a target. */
  get planned(): Dependent {
    return this.#dependent;
  }

  /** The step with its target. No group can give it another one any more. */
  get settled(): Dependent {
    this.#isUsed = true;
    return this.#dependent;
  }

  /** The groups that gave the step its target; without one, the target follows from the options alone. */
  get groups(): ReadonlySet<StepRuntime> {
    return this.#groups;
  }

  /**
   * Gives the step the target of its group, unless its options have one. `undefined`: the group has no target.
   * @throws TypeError if the step is used with another target or without one, and for options that have no meaning with a target
   */
  give(where: string, target: AnyTarget | undefined): void {
    const { name, target: own } = this.#options;
    if (own !== undefined || target === this.#given) return;
    if (this.#given !== undefined || target === undefined)
      throw new TypeError(`${where}: "${name}" has the target of another group: set target on "${name}", or make a step for each group`);
    if (this.#isUsed)
      throw new TypeError(`${where}: "${name}" is used without a target already: make the group first, or set target on "${name}"`);
    this.#dependent = dependentOf({ ...this.#options, target });
    this.#given = target;
  }

  /** Notes the group that gave the target. */
  joined(group: StepRuntime): void {
    if (this.#given !== undefined) this.#groups.add(group);
  }
}

/** `Symbol.for` finds it, so that steps of another copy of this package work too. */
const TARGET: symbol = Symbol.for("treadle.dependents.StepTarget");

/** Returns a copy of `step` with which {@link stepTargetOf} finds `target`. */
export function withStepTarget(step: object, target: StepTarget): object {
  return Object.freeze(Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(step), [TARGET]: { value: target } }));
}

/** Returns the target of a step; `undefined` for a value that dependentApply() did not make. */
export function stepTargetOf(step: unknown): StepTarget | undefined {
  return typeof step === "object" && step !== null ? (step as { [TARGET]?: StepTarget })[TARGET as never] : undefined;
}
