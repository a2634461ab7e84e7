/** Pause: what the condition `Paused` reports. Which annotation pauses an object is a setting of the handler. */
import type { Condition } from "@treadle/apimachinery";
import type { Pass } from "../record/pass-state.ts";
import type { Pipeline } from "../build/pipeline.ts";
import type { Setting } from "../record/progress.ts";

/** Sets `Paused`: always with `pause()` in the list, else only while the object is paused. */
export function reportPause(pass: Pass, isPaused: boolean): void {
  const { pause, conditions } = pass.pipeline;
  const declared = conditions?.declared.get(PAUSED);
  if (declared === undefined) {
    if (isPaused && conditions?.keepsObservedGeneration === true) pass.settings.set(PAUSED, pausedBy(pause));
  } else if (declared.step.configures.pause !== undefined) {
    pass.settings.set(PAUSED, isPaused ? pausedBy(pause) : { status: "False", reason: "NotPaused", message: "" });
  }
}

/** The conditions of a pause that has ended. If conditions is not a list-map, only the message shows that they are ours. */
export function leftovers({ pause }: Pick<Pipeline, "pause">, conditions: readonly Condition[] = []): readonly string[] {
  return conditions.filter(({ type, message }) => type === PAUSED && message === pausedBy(pause).message).map(({ type }) => type);
}

const PAUSED = "Paused";

function pausedBy({ annotation }: Pipeline["pause"]): Setting {
  return { status: "True", reason: "Annotation", message: `the annotation ${annotation} pauses this object` };
}
