/** Decides whether an object is paused: by the annotation, by the function `when` of `pause()`, or by functions of other steps. Pure. */
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
  readonly when?: PauseFunction | undefined;
  /** The functions of other steps, in list order: `configures.pausesWhen`. @defaultValue none */
  readonly steps?: readonly StepPause[];
}

/** A pause function returns the reason to pause an object, as a text. Its answer is unchecked. It must be pure. */
export type PauseFunction = (object: KubernetesObject) => unknown;

/** A step pause is the pause function of a step. */
export interface StepPause {
  /** The name of the step. */
  readonly step: string;
  /** The function. */
  readonly when: PauseFunction;
}

/**
 * The answer for one object. `undecided`: the function failed, so no step may run. `message` is that of the condition `Paused`. `step`
 * is the step whose function decided; absent for the annotation and `pause()`.
 */
export type PauseState =
  | { readonly type: "running" }
  | { readonly type: "paused"; readonly by: "annotation" | "when"; readonly message: string; readonly step?: string }
  | { readonly type: "undecided"; readonly error: Error; readonly step?: string };

/** Decides whether the object is paused. The annotation comes first, then `pause()`, then the other steps. The first answer counts. */
export function pauseStateOf({ annotation, when, steps = NO_STEPS }: PauseRules, object: KubernetesObject): PauseState {
  if (object.metadata.annotations?.[annotation] === "true")
    return { type: "paused", by: "annotation", message: annotationMessage(annotation) };
  const state = when === undefined ? RUNNING : answerOf(when, object, { name: "when of pause()", step: "pause" });
  if (state.type !== "running") return state;
  for (const { step, when: asked } of steps) {
    const answer = answerOf(asked, object, { name: `pausesWhen of step "${step}"`, step });
    if (answer.type === "paused") return { ...answer, step, message: `${stepPrefix(step)}${answer.message}` };
    if (answer.type === "undecided") return { ...answer, step };
  }
  return RUNNING;
}

/** The message of the condition of an object that the annotation pauses. */
export function annotationMessage(annotation: string): string {
  return `the annotation ${annotation} pauses this object`;
}

/** The beginning of the message of the condition of an object that the function of a step pauses. */
export function stepPrefix(step: string): string {
  return `step "${step}" pauses this object: `;
}

const RUNNING: PauseState = { type: "running" };
const NO_STEPS: readonly StepPause[] = [];

/** The function that is asked, for errors. */
interface Asked {
  readonly name: string;
  readonly step: string;
}

function answerOf(when: PauseFunction, object: KubernetesObject, { name, step }: Asked): PauseState {
  try {
    const answer = when(object);
    // An object that was stored under an older schema may hold null where its type promises a text.
    if (answer === undefined || answer === null || answer === false || answer === "") return RUNNING;
    if (typeof answer === "string") return { type: "paused", by: "when", message: answer };
    return { type: "undecided", error: notAReason(answer, name) };
  } catch (cause) {
    const message = `cannot decide whether the object is paused: ${name} threw: ${describe(cause)}`;
    return { type: "undecided", error: new ReconcileError("ERR_STEP_FAILED", message, { step, cause }) };
  }
}

function notAReason(answer: unknown, name: string): Error {
  const isPromise = isPromiseLike(answer);
  if (isPromise) void answer.then(undefined, () => undefined); // The promise is the mistake, not its error.
  const fix = isPromise ? "decide by the object alone, without async" : "return the reason as a text, or undefined";
  return misuse(
    "ERR_INVALID_STEP",
    `cannot decide whether the object is paused: ${name} returned ${isPromise ? "a promise" : `a ${typeof answer}`}: ${fix}`,
  );
}
