/** What a set reports of its target: the condition. */
import type { Wait } from "@treadle/reconcile";
import { truncate, waitBecause } from "@treadle/reconcile/unstable/engine";
import type { TargetReport } from "../../targets/pass/target-step.ts";
import { countStoredObjects } from "./count-objects.ts";
import { fillStatus } from "./fill-status.ts";
import { STATUS } from "./report.ts";
import type { Run } from "./run.ts";

/** Sets the condition, keeps the entries of the objects, and ends the pass. What exists stays. */
export function reportTarget(run: Run, { reason, message, needsAction = false, afterMs }: TargetReport): Wait {
  const { definition, req, pass } = run;
  const type = definition.condition as never; // The step declares it.
  const text = truncate(pass.hide(message), 1_000);
  if (STATUS[reason] === "False") void req.conditions.false(type, reason, text);
  else void req.conditions.unknown(type, reason, text);
  countStoredObjects(run);
  fillStatus(run, reason);
  pass.found.entries.set(definition.name, "keep");
  return waitBecause(text, { code: reason, severity: STATUS[reason] === "False" ? "failed" : "unknown", needsAction, afterMs });
}
