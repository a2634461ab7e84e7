/**
 * `Reconciling` and `Stalled`, the conditions by which kstatus (`kubectl wait`, Flux, Argo CD) sees progress. As kstatus asks, they
 * are in the status only while they are True, and never both.
 */
import { isTerminal } from "../pass/requeue.ts";
import type { Progress, Setting } from "../record/progress.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** The types that `conditions({ kstatus: true })` keeps. */
export const KSTATUS_TYPES: readonly string[] = ["Reconciling", "Stalled"];

interface Facts {
  /** Ready after the pass. */
  readonly ready: Omit<Setting, "status"> & { readonly status: string };
  readonly trouble: Setting | undefined;
  readonly leaves: readonly StepRuntime[];
  readonly progress: ReadonlyMap<StepRuntime, Progress>;
  /** What Ready reports of a step that did not continue. */
  endOf(step: StepRuntime): Setting | undefined;
}

/** Returns the condition that is True after the pass; `undefined` if the object is ready. */
export function kstatusOf(facts: Facts): { readonly type: string; readonly setting: Setting } | undefined {
  const { ready, trouble, leaves, progress } = facts;
  if (ready.status === "True") return undefined;
  if (trouble?.reason === "InvalidObject") return { type: "Stalled", setting: { ...trouble, status: "True" } };
  const stalled = leaves.find((step) => needsPerson(progress.get(step)));
  const end = stalled && facts.endOf(stalled);
  if (end !== undefined) return { type: "Stalled", setting: { ...end, status: "True" } };
  return { type: "Reconciling", setting: { status: "True", reason: ready.reason, message: ready.message } };
}

/** Whether no retry helps: the step stopped, failed for good, or waits for a person. */
function needsPerson(progress: Progress | undefined): boolean {
  switch (progress?.type) {
    case "stop":
      return true;
    case "failed":
      return isTerminal(progress.error);
    case "wait":
      return progress.cause?.needsAction === true;
    default:
      return false;
  }
}
