/** What a dry run does not run: nobody but the step itself could keep it from acting outside of the cluster. */
import type { StepRuntime } from "../build/step-runtime.ts";

/** Ends a step at its write-ahead: what follows is a side effect. */
export class DryRunEnd extends Error {
  constructor({ name }: StepRuntime) {
    super(`dry run: step "${name}" would go on with what it does outside of the cluster`);
  }
}

/** Why a phase is not run in a dry run. */
export function heldInDryRun({ name }: StepRuntime, phase: "do" | "cleanup"): string {
  return `dry run: ${phase} of step "${name}" is not run, since it has a cleanup and may act outside of the cluster: say dryRun: true in the step where it does not`;
}
