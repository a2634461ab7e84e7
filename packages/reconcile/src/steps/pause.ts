/** Generic step: configures which annotation pauses an object. The step itself does nothing. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { PAUSED_ANNOTATION } from "../build/names.ts";
import { defineStep } from "../build/step-runtime.ts";
import { anyKind, type AnyStep, type Step } from "../step.ts";

export { PAUSED_ANNOTATION };

/** These are the options of {@link pause}. */
export interface PauseOptions {
  /** The annotation that pauses an object. @defaultValue "treadle.dev/paused" */
  readonly annotation?: string;
  /** Whether the annotation also pauses the cleanup of an object that is being deleted. @defaultValue false */
  readonly deletions?: boolean;
}

/**
 * Configures the pause of a handler. While the annotation is `"true"`, no step runs, posts included. Only the condition `Paused`
 * is written; other conditions keep their values. Removing the annotation starts the next pass.
 *
 * Every handler can be paused by `treadle.dev/paused`, without this step. The step can choose another annotation and pause
 * deletions, and with it the condition `Paused` always exists. Its place in the list has no meaning.
 */
export function pause(options: PauseOptions = {}): Step<KubernetesObject> {
  const { annotation = PAUSED_ANNOTATION, deletions = false } = options;
  return defineStep(anyKind(), {
    name: "pause",
    conditions: [{ type: "Paused", ready: "ignored" }],
    configures: { pause: { annotation, deletions } },
  }) as AnyStep;
}
