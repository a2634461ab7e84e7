/** Pause: what the condition `Paused` reports. Which objects are paused is a setting of the handler. */
import type { Condition } from "@treadle/apimachinery";
import { statusMessage } from "../internal/redact.ts";
import type { Pass } from "../record/pass-state.ts";
import { annotationMessage, stepPrefix } from "../record/pause.ts";
import type { Pipeline } from "../build/pipeline.ts";
import type { Setting } from "../record/progress.ts";

/** Sets `Paused`: always with `pause()` in the list, else only while the object is paused. */
export function reportPause(pass: Pass, isPaused: boolean): void {
  const { conditions } = pass.pipeline;
  const declared = conditions?.declared.get(PAUSED);
  if (declared === undefined) {
    if (isPaused && conditions?.keepsObservedGeneration === true) pass.settings.set(PAUSED, settingOf(pass, isPaused));
  } else if (declared.step.configures.pause !== undefined) {
    pass.settings.set(PAUSED, settingOf(pass, isPaused));
  }
}

/** The conditions of a pause that has ended. If conditions is not a list-map, only the message shows that they are ours. */
export function leftovers({ pause }: Pick<Pipeline, "pause">, conditions: readonly Condition[] = []): readonly string[] {
  const ours = annotationMessage(pause.annotation);
  const prefixes = (pause.steps ?? []).map(({ step }) => stepPrefix(step));
  const isOurs = (message: string): boolean => message === ours || prefixes.some((prefix) => message.startsWith(prefix));
  return conditions.filter(({ type, message }) => type === PAUSED && isOurs(message)).map(({ type }) => type);
}

const PAUSED = "Paused";

function settingOf(pass: Pass, isPaused: boolean): Setting {
  const { pause } = pass;
  if (pause.type === "undecided") return { status: "Unknown", reason: "Undecided", message: pass.hide(statusMessage(pause.error)) };
  if (pause.type === "running" || !isPaused) return { status: "False", reason: "NotPaused", message: "" };
  const message = pass.hide(pause.message);
  return pause.by === "annotation" ? { status: "True", reason: "Annotation", message } : { status: "True", reason: "Requested", message };
}
