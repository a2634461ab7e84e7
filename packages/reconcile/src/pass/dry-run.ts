/** What a dry run does not run: steps that may act outside of the cluster, since only the step can prevent that. */
import type { StepRuntime } from "../build/step-runtime.ts";

/** Ends a step at its checkpoint, because a side effect follows. */
export class DryRunEnd extends Error {
  constructor({ name }: StepRuntime) {
    super(`dry run: step "${name}" would go on with what it does outside of the cluster`);
  }
}

/** Returns the reason why a dry run skips a phase. */
export function heldInDryRun({ name }: StepRuntime, phase: "do" | "cleanup"): string {
  return `dry run: ${phase} of step "${name}" is not run, since it has a cleanup and may act outside of the cluster: say dryRun: true in the step where it does not`;
}
