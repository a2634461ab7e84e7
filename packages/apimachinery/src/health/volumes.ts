/** PersistentVolumeClaims and PersistentVolumes. */
import { reasonOf } from "./common.ts";
import { textAt } from "./fields.ts";
import { failed, type Health, pending, READY, type Subject } from "./verdict.ts";

export function persistentVolumeClaim({ status }: Subject): Health {
  const phase = textAt(status, "phase");
  if (phase === "Bound") return READY;
  if (phase === "Lost") return failed("Lost", "its volume no longer exists");
  return pending("Unbound", "it is not bound to a volume yet");
}

export function persistentVolume({ status }: Subject): Health {
  const phase = textAt(status, "phase");
  if (phase === "Available" || phase === "Bound") return READY;
  if (phase === "Released") return failed("Released", "its claim was deleted, and the volume is not reclaimed");
  if (phase === "Failed") {
    const message = textAt(status, "message");
    return failed(reasonOf({ reason: textAt(status, "reason") }, "ReclaimFailed"), message === "" ? "it could not be reclaimed" : message);
  }
  return pending("NotAvailable", "it is not available yet");
}
