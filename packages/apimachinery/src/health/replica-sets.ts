/** ReplicaSets and ReplicationControllers, as kstatus judges ReplicaSets. */
import { judgedWhileUnseen, messageOf, reasonOf, specOf } from "./common.ts";
import { countAt, integerAt, trueCondition } from "./fields.ts";
import { failed, type Health, pending, READY, type Subject } from "./verdict.ts";

export function replicaSet(subject: Subject): Health {
  const { status, conditions } = subject;
  const failure = trueCondition(conditions, "ReplicaFailure");
  if (failure !== undefined) return failed(reasonOf(failure, "ReplicaFailure"), messageOf(failure));
  const unseen = judgedWhileUnseen(subject);
  if (unseen !== undefined) return unseen;
  const wanted = integerAt(specOf(subject), "replicas") ?? 1;
  const replicas = countAt(status, "replicas");
  const labelled = countAt(status, "fullyLabeledReplicas");
  const available = countAt(status, "availableReplicas");
  const isReady = countAt(status, "readyReplicas");
  if (labelled < wanted) return pending("NotCreated", `${labelled} of ${wanted} replicas exist with all labels`);
  if (available < wanted) return pending("NotAvailable", `${available} of ${wanted} replicas are available`);
  if (isReady < wanted) return pending("NotReady", `${isReady} of ${wanted} replicas are ready`);
  if (replicas > wanted) return pending("ExtraReplicas", `replicas that are not terminated yet: ${replicas - wanted}`);
  return READY;
}
