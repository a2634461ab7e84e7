/** Generic step: lets people take their hands, or ours, off one object. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { anyKind, type Step, step } from "../step.ts";

/** The value `"true"` pauses an object. */
export const PAUSED_ANNOTATION = "treadle.dev/paused";

export interface PauseOptions {
  /** @defaultValue "treadle.dev/paused" */
  readonly annotation?: string;
  /** Whether a paused object that is being deleted is left alone too. @defaultValue false: its cleanup runs */
  readonly deletions?: boolean;
}

/**
 * While the annotation says `"true"` a pass stops at the gate: nothing is written but the condition `Paused`, and every
 * other condition keeps what it said. Removing the annotation is an event, which starts the next pass.
 */
export function pause(options: PauseOptions = {}): Step<KubernetesObject> {
  const { annotation = PAUSED_ANNOTATION, deletions = false } = options;
  return step(anyKind<KubernetesObject>(), {
    name: "pause",
    conditions: [{ type: "Paused", ready: "ignored" }],
    gate(req) {
      const { deletionTimestamp, annotations } = req.object.metadata;
      const isPaused = annotations?.[annotation] === "true" && (deletions || deletionTimestamp === undefined);
      if (!isPaused) {
        req.conditions.false("Paused", "NotPaused", "");
        return;
      }
      req.conditions.true("Paused", "Annotation", `the annotation ${annotation} pauses this object`);
      return req.stop("paused");
    },
  });
}
