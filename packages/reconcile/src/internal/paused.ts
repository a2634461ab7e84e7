/**
 * Pause: people take our hands off one object. It is asked before everything else of a pass but the annotation that skips
 * the cleanups, and holds for every handler; `pause()` in its list only says which annotation, and for what.
 */
import type { Condition } from "@treadle/apimachinery";
import type { Setting } from "./compute-conditions.ts";
import { PAUSED_ANNOTATION } from "./names.ts";
import type { Pass } from "./pass-state.ts";
import type { Pipeline } from "./pipeline.ts";
import type { StepRuntime } from "./step-runtime.ts";

export interface PauseRules {
  readonly annotation: string;
  /** Whether an object that is being deleted is left alone, too. */
  readonly deletions: boolean;
}

export function pauseRules(leaves: readonly StepRuntime[]): PauseRules {
  return leaves.find(({ pauseOptions }) => pauseOptions !== undefined)?.pauseOptions ?? { annotation: PAUSED_ANNOTATION, deletions: false };
}

/** Whether the pass has to leave the object alone; says so in the condition `Paused`, where the handler keeps conditions. */
export function isPaused(pass: Pass): boolean {
  const { pause, conditions } = pass.pipeline;
  const { annotations } = pass.object.metadata;
  const paused = annotations?.[pause.annotation] === "true" && (pause.deletions || !pass.isDeleting);
  // Of several handlers of a kind one speaks; each may listen to another annotation.
  if (conditions?.declared.has(PAUSED) === true) {
    const isOwn = conditions.declared.get(PAUSED)?.step.pauseOptions !== undefined;
    if (isOwn) pass.settings.set(PAUSED, paused ? pausedBy(pause) : { status: "False", reason: "NotPaused", message: "" });
  } else if (paused && conditions?.keepsObservedGeneration === true) {
    pass.settings.set(PAUSED, pausedBy(pause));
  }
  return paused;
}

/** What a pass said of a pause that is over. Where conditions is no list-map nothing but its words tells that it was ours. */
export function leftovers({ pause }: Pipeline, conditions: readonly Condition[] = []): readonly string[] {
  return conditions.filter(({ type, message }) => type === PAUSED && message === pausedBy(pause).message).map(({ type }) => type);
}

const PAUSED = "Paused";

function pausedBy({ annotation }: PauseRules): Setting {
  return { status: "True", reason: "Annotation", message: `the annotation ${annotation} pauses this object` };
}
