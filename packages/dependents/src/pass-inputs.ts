/** What the author's functions get besides the owner, in one pass of one step. */
import type { Inputs } from "./core/inputs.ts";
import type { Timing } from "./core/timing.ts";

/** A class: a pass in which nothing has changed makes one for each step, and functions of the time only when they are used. */
export class PassInputs implements Inputs {
  readonly vars: Inputs["vars"];
  readonly reads: Inputs["reads"];
  readonly dependents: Inputs["dependents"];
  readonly #source: { readonly timing: Timing };

  constructor({ vars, reads, dependents }: Inputs, source: { readonly timing: Timing }) {
    this.vars = vars;
    this.reads = reads;
    this.dependents = dependents;
    this.#source = source;
    Object.freeze(this);
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
