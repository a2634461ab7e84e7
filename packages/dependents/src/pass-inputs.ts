/** What the author's functions get besides the owner, in one pass of one step. */
import type { Inputs } from "./core/inputs.ts";
import type { Timing } from "./core/timing.ts";

/**
 * A class, because a pass in which nothing has changed makes one for each step: getters cost nothing until they are used, and an
 * author cannot set them.
 */
export class PassInputs implements Inputs {
  readonly #values: Inputs;
  readonly #source: { readonly timing: Timing };
  /** The steps in `dependsOn` whose objects are not known: their step failed before it reported them. */
  readonly unknown: readonly string[];

  constructor(values: Inputs, source: { readonly timing: Timing }, unknown: readonly string[]) {
    this.#values = values;
    this.#source = source;
    this.unknown = unknown;
  }

  /** The vars of the steps in `needs`. */
  get vars(): Inputs["vars"] {
    return this.#values.vars;
  }

  /** The values of the declared reads. */
  get reads(): Inputs["reads"] {
    return this.#values.reads;
  }

  /** The live objects of the steps in `dependsOn`. */
  get dependents(): Inputs["dependents"] {
    return this.#values.dependents;
  }

  /** Returns the time, in milliseconds since 1970. */
  get now(): () => number {
    return this.#source.timing.now;
  }

  /** Asks to be called again after so many milliseconds. */
  get revisit(): (afterMs: number) => void {
    return this.#source.timing.revisit;
  }
}
