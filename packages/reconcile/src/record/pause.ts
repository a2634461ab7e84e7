/** Decides whether an object is paused: by the annotation, or by the function `when` of `pause()`. Pure. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import { isPromiseLike } from "../internal/deadline.ts";
import { misuse } from "../internal/misuse.ts";
import { describe } from "../internal/redact.ts";

/** The pause of a handler. */
export interface PauseRules {
  /** The annotation that pauses an object. */
  readonly annotation: string;
  /** Whether a pause also holds the cleanup of an object that is being deleted. */
  readonly deletions: boolean;
  /** The function of the author that pauses an object, with its answer unchecked. */
  readonly when?: ((object: KubernetesObject) => unknown) | undefined;
}

/** The answer for one object. `undecided`: the function failed, so no step may run. */
export type PauseState =
  | { readonly type: "running" }
  | { readonly type: "paused"; readonly by: "annotation" | "when"; readonly message: string }
  | { readonly type: "undecided"; readonly error: Error };

/** Decides whether the object is paused. An annotation comes before the function. */
export function pauseStateOf({ annotation, when }: PauseRules, object: KubernetesObject): PauseState {
  if (object.metadata.annotations?.[annotation] === "true")
    return { type: "paused", by: "annotation", message: annotationMessage(annotation) };
  if (when === undefined) return RUNNING;
  try {
    const answer = when(object);
    // An object that was stored under an older schema may hold null where its type promises a text.
    if (answer === undefined || answer === null || answer === false || answer === "") return RUNNING;
    return typeof answer === "string" ? { type: "paused", by: "when", message: answer } : { type: "undecided", error: notAReason(answer) };
  } catch (cause) {
    const message = `cannot decide whether the object is paused: when of pause() threw: ${describe(cause)}`;
    return { type: "undecided", error: new ReconcileError("ERR_STEP_FAILED", message, { step: "pause", cause }) };
  }
}

/** The message of the condition of an object that the annotation pauses. */
export function annotationMessage(annotation: string): string {
  return `the annotation ${annotation} pauses this object`;
}

const RUNNING: PauseState = { type: "running" };

function notAReason(answer: unknown): Error {
  const isPromise = isPromiseLike(answer);
  if (isPromise) void answer.then(undefined, () => undefined); // The promise is the mistake, not its error.
  const fix = isPromise ? "decide by the object alone, without async" : "return the reason as a text, or undefined";
  return misuse(
    "ERR_INVALID_STEP",
    `cannot decide whether the object is paused: when of pause() returned ${isPromise ? "a promise" : `a ${typeof answer}`}: ${fix}`,
  );
}
