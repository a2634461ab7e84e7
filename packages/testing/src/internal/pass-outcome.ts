/** How a whole pass ended, seen by whoever ran it. */
import { isReconcileError, type PassResult } from "@treadle/reconcile";

/** How a pass ended: what the chain came to, but `failed` when something failed after it, in a step's post or in the `(save)`. */
export type PassOutcome = PassResult["outcome"];

/** A chain that came to its end is no success when its result was not stored. */
export function outcomeOf({ outcome, error, phases }: PassResult): PassOutcome {
  if (error === undefined || outcome.type === "failed") return outcome;
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const isSave = errors.some((one) => isReconcileError(one) && one.code === "ERR_SAVE_FAILED");
  const post = phases.find(({ phase, result }) => phase === "post" && result === "failed");
  return { type: "failed", step: isSave || post === undefined ? "(save)" : post.step, error };
}
