/** DaemonSets, as `kubectl rollout status` and kstatus judge them. */
import { judgedWhileUnseen, specOf } from "./common.ts";
import { countAt, fieldsAt, integerAt, textAt } from "./fields.ts";
import { type Health, pending, READY, type Subject } from "./verdict.ts";

export function daemonSet(subject: Subject): Health {
  const unseen = judgedWhileUnseen(subject);
  if (unseen !== undefined) return unseen;
  const strategy = textAt(fieldsAt(specOf(subject), "updateStrategy"), "type");
  const { status } = subject;
  const wanted = integerAt(status, "desiredNumberScheduled");
  if (wanted === undefined) return pending("GenerationNotObserved", "its controller has not counted the nodes yet");
  const scheduled = countAt(status, "currentNumberScheduled");
  const updated = countAt(status, "updatedNumberScheduled");
  const available = countAt(status, "numberAvailable");
  const isReady = countAt(status, "numberReady");
  if (scheduled < wanted) return pending("NotCreated", `${scheduled} of ${wanted} nodes have a pod`);
  // With OnDelete the user decides when a pod is updated.
  if (updated < wanted && strategy !== "OnDelete") return pending("NotUpdated", `${updated} of ${wanted} pods are updated`);
  if (available < wanted) return pending("NotAvailable", `${available} of ${wanted} pods are available`);
  if (isReady < wanted) return pending("NotReady", `${isReady} of ${wanted} pods are ready`);
  return READY;
}
