/** Generic step: says which annotation takes our hands off an object. It does nothing itself; the engine asks by it. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { PAUSED_ANNOTATION } from "../build/names.ts";
import { defineStep } from "../build/step-runtime.ts";
import { anyKind, type AnyStep, type Step } from "../step.ts";

export { PAUSED_ANNOTATION };

/** Options of {@link pause}. */
export interface PauseOptions {
  /** The annotation that pauses an object. @defaultValue "treadle.dev/paused" */
  readonly annotation?: string;
  /** Whether a paused object that is being deleted is left alone, too. @defaultValue false: its cleanup runs */
  readonly deletions?: boolean;
}

/**
 * While the annotation says `"true"` no step runs, posts included: nothing is written but the condition `Paused`, and every
 * other condition keeps what it said. Removing the annotation is an event, which starts the next pass.
 *
 * Every handler can be paused by `treadle.dev/paused`, without this step. With it, wherever it stands, the annotation may
 * be another, deletions may be held, and `Paused` is there always, not only while it is True.
 */
export function pause(options: PauseOptions = {}): Step<KubernetesObject> {
  const { annotation = PAUSED_ANNOTATION, deletions = false } = options;
  return defineStep(anyKind(), {
    name: "pause",
    conditions: [{ type: "Paused", ready: "ignored" }],
    configures: { pause: { annotation, deletions } },
  }) as AnyStep;
}
