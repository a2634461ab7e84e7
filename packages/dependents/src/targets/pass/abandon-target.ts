/** The annotation of an owner that gives up the objects of a step in a target. */
import type { TargetStep } from "./target-step.ts";

/** The events about targets. */
export const TARGET_EVENTS = ["TargetAbandoned", "AbandonTargetIgnored"] as const;

/** The annotation of an owner that gives up the objects of a step in a target: the names of the steps, with commas between them. */
export const ABANDON_TARGET = "treadle.dev/abandon-target";

/** Whether the owner gives up the objects of the step in a target. */
export function isAbandoned({ owner, name, state }: TargetStep): boolean {
  return state.abandoned !== true && isAnnotated(owner.metadata.annotations, name);
}

function isAnnotated(annotations: Readonly<Record<string, string>> = {}, step: string): boolean {
  const value = annotations[ABANDON_TARGET];
  return value !== undefined && value.split(",").some((name) => name.trim() === step);
}

/** Notes that an annotation that was used is removed, so that the next one counts. */
export function noteRemovedAnnotation({ owner, name, state }: TargetStep): void {
  if (state.abandoned === true && !isAnnotated(owner.metadata.annotations, name)) state.abandoned = undefined;
}

/** Records an annotation that is not needed, once. One that was used has no effect until it is removed and set again. */
export function noteAnnotation(step: TargetStep): void {
  const { owner, name, noun, req, state, targets } = step;
  if (!isAnnotated(owner.metadata.annotations, name)) {
    targets.isReported = false;
    return noteRemovedAnnotation(step);
  }
  if (targets.isReported) return;
  targets.isReported = true;
  const why = state.abandoned === true ? "it has given up a target before" : "its target can be reached";
  const message = `the annotation ${ABANDON_TARGET} has no effect on ${noun} "${name}" now: ${why}; remove the annotation`;
  req.event("Warning", "AbandonTargetIgnored", message);
}

/** Records that the objects in a target are given up. */
export function recordAbandoned(step: TargetStep, { title, why }: { readonly title: string; readonly why: string }): void {
  const { name, noun, req } = step;
  const kinds = step.kinds().join(", ");
  const what = `${noun} "${name}": its objects in ${title} are given up (${kinds === "" ? "no kinds are known" : kinds})`;
  req.event("Warning", "TargetAbandoned", `${what}, because the annotation ${ABANDON_TARGET} asks for it: ${why}`);
}
