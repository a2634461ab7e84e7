/** Jobs, which are ready only when they are complete, and CronJobs. */
import { messageOf, reasonOf, specOf } from "./common.ts";
import { countAt, integerAt, textAt, trueCondition } from "./fields.ts";
import { failed, type Health, pending, READY, ready, type Subject } from "./verdict.ts";

export function job(subject: Subject): Health {
  const { status, conditions } = subject;
  if (trueCondition(conditions, "Complete") !== undefined) return READY;
  const failure = trueCondition(conditions, "Failed");
  if (failure !== undefined) return failed(reasonOf(failure, "JobFailed"), messageOf(failure));
  const spec = specOf(subject);
  if (spec["suspend"] === true || trueCondition(conditions, "Suspended") !== undefined)
    return pending("Suspended", "it is suspended: it starts no pods");
  if (textAt(status, "startTime") === "") return pending("NotStarted", "it has not started yet");
  const succeeded = countAt(status, "succeeded");
  const wanted = integerAt(spec, "completions");
  const done = wanted === undefined ? `${succeeded} pods succeeded` : `${succeeded} of ${wanted} pods succeeded`;
  const failures = countAt(status, "failed");
  return pending("Running", `${done}, ${countAt(status, "active")} run${failures === 0 ? "" : `, ${failures} failed`}`);
}

export function cronJob({ spec }: Subject): Health {
  return spec?.["suspend"] === true ? ready("Suspended", "it is suspended: it starts no Jobs") : READY;
}
