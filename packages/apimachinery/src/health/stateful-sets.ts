/** StatefulSets, as `kubectl rollout status` and kstatus judge them. */
import { judgedWhileUnseen, specOf } from "./common.ts";
import { countAt, fieldsAt, integerAt, textAt } from "./fields.ts";
import { type Fields, type Health, pending, READY, type Subject } from "./verdict.ts";

export function statefulSet(subject: Subject): Health {
  const unseen = judgedWhileUnseen(subject);
  if (unseen !== undefined) return unseen;
  const spec = specOf(subject);
  const { status } = subject;
  const wanted = integerAt(spec, "replicas") ?? 1;
  const replicas = countAt(status, "replicas");
  const isReady = countAt(status, "readyReplicas");
  if (replicas < wanted) return pending("NotCreated", `${replicas} of ${wanted} replicas exist`);
  if (isReady < wanted) return pending("NotReady", `${isReady} of ${wanted} replicas are ready`);
  if (replicas > wanted) return pending("ExtraReplicas", `replicas that are not terminated yet: ${replicas - wanted}`);
  return revisions(fieldsAt(spec, "updateStrategy"), wanted, status);
}

function revisions(strategy: Fields | undefined, wanted: number, status: Fields): Health {
  // With OnDelete the user decides when a pod gets the new revision.
  if (textAt(strategy, "type") === "OnDelete") return READY;
  const updated = countAt(status, "updatedReplicas");
  const partition = integerAt(fieldsAt(strategy, "rollingUpdate"), "partition");
  if (partition !== undefined) {
    const toUpdate = Math.max(0, wanted - partition);
    return updated < toUpdate ? pending("NotUpdated", `${updated} of ${toUpdate} replicas are updated`) : READY;
  }
  const current = countAt(status, "currentReplicas");
  if (current < wanted) return pending("NotUpdated", `${current} of ${wanted} replicas have the current revision`);
  if (textAt(status, "currentRevision") !== textAt(status, "updateRevision"))
    return pending("NotUpdated", `${updated} of ${wanted} replicas are updated`);
  return READY;
}
