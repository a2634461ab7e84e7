/** The outcome of a whole pass. */
import { isReconcileError, type PassResult } from "@treadle/reconcile";

/** The outcome of a pass: that of its steps, but `failed` if a post or the save failed after them (`step` is then `(save)`). */
export type PassOutcome = PassResult["outcome"];

/** Returns the outcome of a pass. A pass whose result was not stored has failed, even if its steps succeeded. */
export function outcomeOf({ outcome, error, phases }: PassResult): PassOutcome {
  if (error === undefined || outcome.type === "failed") return outcome;
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const isSave = errors.some((one) => isReconcileError(one) && one.code === "ERR_SAVE_FAILED");
  const post = phases.find(({ phase, result }) => phase === "post" && result === "failed");
  return { type: "failed", step: isSave || post === undefined ? "(save)" : post.step, error };
}
