/** Deployments, as `kubectl rollout status` and kstatus judge them. */
import { judgedWhileUnseen, messageOf, reasonOf, specOf } from "./common.ts";
import { conditionAt, countAt, integerAt, trueCondition } from "./fields.ts";
import { failed, type Health, pending, READY, type Subject } from "./verdict.ts";

export function deployment(subject: Subject): Health {
  const spec = specOf(subject);
  const { conditions } = subject;
  const progressing = conditionAt(conditions, "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded") return failed("ProgressDeadlineExceeded", messageOf(progressing));
  const failure = trueCondition(conditions, "ReplicaFailure");
  if (failure !== undefined) return failed(reasonOf(failure, "ReplicaFailure"), messageOf(failure));
  const isPaused = spec["paused"] === true;
  const gap = judgedWhileUnseen(subject) ?? missing(integerAt(spec, "replicas") ?? 1, subject);
  if (gap !== undefined) return isPaused ? pending("Paused", `its rollout is paused: ${gap.message}`) : gap;
  // Without a deadline the controller does not report progress; while the rollout is paused it reports the pause.
  const hasDeadline = (integerAt(spec, "progressDeadlineSeconds") ?? NO_DEADLINE) !== NO_DEADLINE;
  const isRolledOut = progressing?.status === "True" && progressing.reason === "NewReplicaSetAvailable";
  if (hasDeadline && !isRolledOut && !isPaused) return pending("NotAvailable", "its newest ReplicaSet is not reported as available yet");
  if (trueCondition(conditions, "Available") !== undefined) return READY;
  return pending("NotAvailable", "its condition Available is not True yet");
}

/** The value that means "no deadline" (pkg/controller/deployment/util/deployment_util.go, HasProgressDeadline). */
const NO_DEADLINE = 2_147_483_647;

function missing(wanted: number, { status }: Subject): Health | undefined {
  const replicas = countAt(status, "replicas");
  const updated = countAt(status, "updatedReplicas");
  const available = countAt(status, "availableReplicas");
  const isReady = countAt(status, "readyReplicas");
  if (updated < wanted) return pending("NotUpdated", `${updated} of ${wanted} replicas are updated`);
  if (replicas > wanted || replicas > updated)
    return pending("OldReplicas", `old replicas that are not terminated yet: ${replicas - Math.min(wanted, updated)}`);
  if (replicas < wanted) return pending("NotCreated", `${replicas} of ${wanted} replicas exist`);
  if (available < updated) return pending("NotAvailable", `${available} of ${wanted} replicas are available`);
  if (isReady < wanted) return pending("NotReady", `${isReady} of ${wanted} replicas are ready`);
  return undefined;
}
