/** The end of a pass whose renderer has no answer: everything stays as it is. */
import type { StepResult } from "@treadle/reconcile";
import { truncate, waitBecause } from "@treadle/reconcile/unstable/engine";
import type { NoAnswer } from "../render/no-answer.ts";
import { countStoredObjects } from "./count-objects.ts";
import { fillStatus } from "./fill-status.ts";
import { stopClock } from "./report.ts";
import type { Run, SetDoReq } from "./run.ts";

/** Delay of the next pass without a retry, in milliseconds. `req.stop()` would make the owner Stalled. */
const NO_RETRY_MS = 86_400_000;

/** Sets the condition, and keeps the entries of the objects. @throws the error, if its retry has the backoff of failed passes */
export function withoutAnswer(run: Run<SetDoReq>, none: NoAnswer): StepResult<{}> {
  const { definition, req, pass, memory } = run;
  const message = truncate(pass.hide(none.message), 1_000) || none.reason;
  void req.conditions.false(definition.condition as never, none.reason, message); // The step declares it.
  memory.reported = undefined;
  countStoredObjects(run);
  fillStatus(run, "Error");
  stopClock(run);
  const { retry } = none;
  if (retry === "backoff") throw none;
  return waitBecause(message, { code: none.reason, severity: "failed", afterMs: retry === "never" ? NO_RETRY_MS : retry });
}
