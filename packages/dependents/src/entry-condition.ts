/** From the entries of a step to the setting of its conditions. Pure. */
import { isConditionReason } from "@treadle/apimachinery";
import type { Setting } from "@treadle/reconcile/unstable/engine";
import type { NewEntry } from "./core/entries.ts";

/** Why a step keeps no object. */
export interface Absence {
  /** The reason of its conditions: a CamelCase word. */
  readonly reason: string;
  /** The rest of a sentence about the object, such as "is not desired". */
  readonly clause: string;
}

/** What decides besides the entries. */
export interface StepFacts {
  /** Why the step keeps no object. */
  readonly absence: Absence | undefined;
  /** Whether the step continued: an entry with a custom type is then as good as ready. */
  readonly isDone: boolean;
  /** Whether the owner is being deleted. */
  readonly isDeleting: boolean;
}

/**
 * Returns the setting of the conditions of a step: Ready is True, Pending and Failed are False, Unknown is Unknown. Of several
 * entries the worst decides. A step that keeps no object is True, with the reason. `undefined`: the step was not reached, and has no
 * entry.
 */
export function settingOf(entries: readonly NewEntry[], { absence, isDone, isDeleting }: StepFacts): Setting | undefined {
  const [worst] = entries.toSorted((a, b) => rankOf(a, isDone) - rankOf(b, isDone));
  if (worst !== undefined) {
    const { type, reason, message, kind, name } = worst;
    const status = statusOf(worst, isDone);
    const said = message === "" || entries.length === 1 ? message : `${kind} ${name}: ${message}`;
    return { status, reason: [reason, type].find(isConditionReason) ?? (status === "True" ? "Ready" : "NotReady"), message: said };
  }
  if (isDeleting) return { status: "False", reason: "Deleted", message: "it is deleted with its owner" };
  return absence === undefined ? undefined : { status: "True", reason: absence.reason, message: `it ${absence.clause}` };
}

function statusOf({ type }: NewEntry, isDone: boolean): Setting["status"] {
  if (type === "Ready") return "True";
  if (type === "Pending" || type === "Failed") return "False";
  if (type === "Unknown") return "Unknown";
  return isDone ? "True" : "Unknown";
}

/** Failed before Pending, Unknown, and Ready, as in `worstDependent()`. */
function rankOf(entry: NewEntry, isDone: boolean): number {
  if (entry.type === "Failed") return 0;
  if (entry.type === "Pending") return 1;
  return statusOf(entry, isDone) === "True" ? 3 : 2;
}
