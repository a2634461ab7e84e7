/** HorizontalPodAutoscalers, PodDisruptionBudgets and Namespaces. */
import { messageOf, reasonOf } from "./common.ts";
import { conditionAt, textAt } from "./fields.ts";
import { failed, type Health, pending, READY, ready, type Subject } from "./verdict.ts";

/** Objects of `autoscaling/v1` have no conditions: they are ready when they exist. */
export function autoscaler({ conditions, version }: Subject): Health {
  if (version === "v1") return READY;
  const able = conditionAt(conditions, "AbleToScale");
  if (able?.status === "False") return failed(reasonOf(able, "UnableToScale"), messageOf(able));
  const active = conditionAt(conditions, "ScalingActive");
  if (active?.status === "True") return READY;
  if (active?.status !== "False") return pending("NotActive", "its controller has not computed a scale yet");
  // The target has 0 replicas: a user, or an operator, has switched it off.
  if (active.reason === "ScalingDisabled") return ready("ScalingDisabled", messageOf(active));
  return failed(reasonOf(active, "ScalingInactive"), messageOf(active));
}

/** A budget that allows no disruption now is ready: it does its work. */
export function disruptionBudget({ conditions }: Subject): Health {
  const allowed = conditionAt(conditions, "DisruptionAllowed");
  return allowed?.status === "False" && allowed.reason === "SyncFailed" ? failed("SyncFailed", messageOf(allowed)) : READY;
}

export function namespace({ status }: Subject): Health {
  return textAt(status, "phase") === "Terminating" ? pending("Deleting", "it is being deleted") : READY;
}
