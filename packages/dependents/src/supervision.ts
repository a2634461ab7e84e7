/**
 * Supervision: a composite that reports for dependents decides in each pass how they run, and gives their entries its words. The
 * composite names this extension in its `uses`; its parts need nothing.
 */
import { isConflict, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { defineExtension, type ExtendedHandler, type Extension, isTransientEnd } from "@treadle/reconcile/unstable/engine";
import type { DependentState } from "./core/entries.ts";
import type { Converged, Operation } from "./core/plan.ts";
import type { Absence } from "./entry-condition.ts";

/** What a supervisor decides about the steps that it reports for. Nothing in it may throw, but `courseOf`. */
export interface Supervision {
  /** Decides how a step runs in this pass. Called when the step begins; `req` is that of the step. */
  courseOf(req: unknown, step: string): Course;
  /** Gives a state the words of the supervisor, for the entry in the status. Pure. */
  word(step: string, given: Unworded): DependentState;
  /** Returns the paths of fields that the server does not let change; `undefined`: those that are known of the kind. */
  immutableFields(step: string): readonly string[] | undefined;
}

/** How a step runs in one pass. */
export type Course =
  | Running
  /** The step keeps no object: what exists of ours is removed. */
  | { readonly type: "drop"; readonly why: Absence }
  /** The step does nothing, because of an earlier part. */
  | { readonly type: "skip"; readonly reason: string };

/** A step that keeps its objects. */
export interface Running {
  /** The type of the course. */
  readonly type: "run";
  /** A text that is another one when the functions below may answer otherwise for the same inputs. */
  readonly id: string;
  /** Whether `until` is asked. */
  readonly asksUntil: boolean;
  /** Whether the step waits until its objects are ready. */
  readonly waits: boolean;
  /** Whether an apply is refused when the object has changed since it was read. @defaultValue false */
  readonly isGuarded?: boolean;
  /** Changes the desired state of one object. Pure. @defaultValue it stays */
  readonly adjust?: (desired: object, target: Ref) => object;
  /** Decides whether one object is to exist; `live` is what the pass has read. Pure. @defaultValue it is */
  readonly isWanted?: (live: KubernetesObject | undefined) => boolean;
  /** Why an object is not to exist. */
  readonly why?: Absence;
  /**
   * Returns the value that the number of replicas gets before the desired state stops naming it, e.g. the one before a suspension;
   * `undefined`: it stays as it is. Called for an object whose number of replicas is ours, and is no longer desired.
   * @defaultValue the server resets a number that no writer wants
   */
  readonly replicasOf?: (live: KubernetesObject) => { readonly value: number | undefined };
}

/** The course of a step without a supervisor. */
export const RUN: Running = Object.freeze({ type: "run", id: "", asksUntil: true, waits: true });

/** Why an object has its state, for the words of a supervisor. */
export type Cause =
  /** The object is as desired, and its readiness decides. */
  | "judged"
  /** `until` does not hold. */
  | "held"
  /** Values of `needs` are missing. */
  | "values"
  /** Another writer has not created the object. */
  | "absent"
  /** The object is not ours. */
  | "foreign"
  /** The object cannot be converged now, but later. */
  | "pending"
  /** A step in `dependsOn` is not ready. */
  | "dependency"
  /** An earlier part blocks the step. */
  | "skipped"
  /** A failure that a retry resolves. */
  | "transient"
  | "error"
  /** The pass did not reach the step. */
  | "unreached"
  /** The object is being deleted. */
  | "leaving";

/** A state that has no words of the supervisor yet. */
export interface Unworded {
  /** The state as a step without a supervisor reports it. */
  readonly state: DependentState;
  /** Why the object has the state. */
  readonly cause: Cause;
  /** Whether the object counts as ready. */
  readonly isReady: boolean;
  /** The kind of the object. */
  readonly kind: Kind;
  /** The live object; `undefined` if it does not exist, or the pass has not read it. */
  readonly live: KubernetesObject | undefined;
  /** What the pass did to the object. */
  readonly operation: Operation;
  /** Whether a `readyWhen` or `status` of the author has decided, and not the health of the object. */
  readonly isJudgedByAuthor: boolean;
  /** Returns the reason in the last entry of the object. */
  readonly previous: () => string | undefined;
  /** The course of the pass; `undefined` where the step has none. */
  readonly course: Running | undefined;
}

/** One object of a supervised step, as the pass left it. */
export interface SeenObject {
  /** Name and namespace of the object. */
  readonly target: Ref;
  /** The live object; `undefined` if it does not exist. */
  readonly live: KubernetesObject | undefined;
  /** The state in the words of the supervisor. */
  readonly state: DependentState;
  /** Why the object has the state. */
  readonly cause: Cause;
  /** What the pass did to the object. */
  readonly operation: Operation;
}

/** Names the extension, for composites. */
export const supervision: Extension<Supervision, object, object> = defineExtension<Supervision>({ name: "dependents-supervision" });

/** Returns the supervisor of a step; `undefined` for a step that reports for itself. */
export function supervisorOf(handler: Pick<ExtendedHandler<unknown>, "reporterOf">, step: string): Supervision | undefined {
  const reporter = handler.reporterOf(step);
  return reporter === undefined ? undefined : supervision.dataOf(reporter);
}

/** Returns why a converged object has its state. */
export function causeOf(converged: Converged): Cause {
  if (converged.type !== "not yet" || converged.cause === undefined) return "judged";
  return CAUSES.get(converged.cause) ?? "pending";
}

const CAUSES: ReadonlyMap<string, Cause> = new Map<string, Cause>([
  ["Precondition", "held"],
  ["MissingValue", "values"],
  ["NotFound", "absent"],
  ["NotOurs", "foreign"],
  ["Contested", "error"],
  ["Immutable", "error"],
]);

/** Returns the cause of a failure. */
export function causeOfError(error: unknown): Cause {
  // The server answers it with 500, but no retry makes the object valid.
  if (typeof error === "object" && error !== null && (error as { readonly code?: unknown }).code === "ERR_INVALID_APPLY") return "error";
  return isTransientEnd({ type: "failed", error }) || isConflict(error) ? "transient" : "error";
}
