/** Generic step: configures what pauses an object. The step itself does nothing. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { PAUSED_ANNOTATION } from "../build/names.ts";
import { defineStep } from "../build/step-runtime.ts";
import type { PauseFunction } from "../record/pause.ts";
import { anyKind, type AnyStep, type Step } from "../step.ts";

export { PAUSED_ANNOTATION };

/** These are the options of {@link pause}. */
export interface PauseOptions<in T extends KubernetesObject = KubernetesObject> {
  /** The annotation that pauses an object. @defaultValue "treadle.dev/paused" */
  readonly annotation?: string;
  /** Whether a pause also holds the cleanup of an object that is being deleted. @defaultValue false */
  readonly deletions?: boolean;
  /**
   * Pauses an object in addition to the annotation: a text is the reason of the pause, which `Paused` shows. It must be pure, because it is
   * asked before each pass and for each event. If it fails, no step runs, and Ready reports the failure.
   * @defaultValue only the annotation pauses
   */
  readonly when?: (object: T) => string | undefined | false;
}

/**
 * Configures the pause of a handler. While the annotation is `"true"`, or `when` returns a reason, no step runs, posts included.
 * Only the condition `Paused` is written; other conditions keep their values. The end of the pause starts the next pass.
 *
 * Every handler can be paused by `treadle.dev/paused`, without this step. The step can choose another annotation, pause by a
 * function and pause deletions. With it the condition `Paused` always exists. Its place in the list has no meaning.
 *
 * @throws TypeError when `when` is not a function (untyped code).
 */
export function pause<T extends KubernetesObject = KubernetesObject>(options: PauseOptions<T> = {}): Step<T> {
  const { annotation = PAUSED_ANNOTATION, deletions = false, when } = options;
  if (when !== undefined && typeof when !== "function")
    throw new TypeError("pause: when must be a function of the object that returns a reason");
  return defineStep(anyKind(), {
    name: "pause",
    conditions: [{ type: "Paused", ready: "ignored" }],
    // The handler calls it with its own objects, whose type the signature checks.
    configures: { pause: { annotation, deletions, when: when as PauseFunction | undefined } },
  }) as AnyStep;
}
