/** What a pass waits for, as a word of few values: for counters of waits, beside those of errors. */
import type { StepRuntime } from "../build/step-runtime.ts";
import type { Pass } from "../record/pass-state.ts";
import { QuietRequeue } from "../record/writer.ts";

/** Returns what the pass waits for; `undefined` if it ended without a wait, or something failed. */
export function waitReasonOf(pass: Pass): string | undefined {
  const { outcome, over, failures, isAborted, progress } = pass;
  if (failures.length > 0 || isAborted) return undefined;
  // Whatever its steps waited for: nothing of it is stored.
  if (over?.reason instanceof QuietRequeue) return CONFLICT;
  if (outcome?.type !== "wait") return undefined;
  const [step, ended] = [...progress].find(([{ name }]) => name === outcome.step) ?? [];
  if (step === undefined || ended?.type !== "wait") return WAITING;
  if (ended.conflict !== undefined) return CONFLICT;
  return ended.cause?.code ?? reportedBy(pass, step) ?? WAITING;
}

const CONFLICT = "Conflict";
const WAITING = "Waiting";

/** The reason of the first condition of the step that is not True, of those that it set in this pass. */
function reportedBy({ settings }: Pass, { conditions }: StepRuntime): string | undefined {
  for (const { type } of conditions) {
    const set = settings.get(type);
    if (set !== undefined && set !== "keep" && set.status !== "True") return set.reason;
  }
  return undefined;
}
