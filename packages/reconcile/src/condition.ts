/**
 * Conditions as a step sees them: it declares the types that it manages, and sets only those. `save/compute-conditions.ts`
 * computes the conditions of the object from the settings of all steps.
 */
import type { Condition } from "@treadle/apimachinery";
import type { made, Stop, Wait } from "./result.ts";

/** A step declares a condition by its type, or by an object that says whether Ready counts it. The short form counts. */
export type Declared<C extends string> = C | { readonly type: C; readonly ready: "counts" | "ignored" };

/** A condition setter returns this exit in `cleanup` and `post`. The exit has the message of the condition as its reason. */
export interface CleanupExit {
  /** Waits with the message of the condition as the reason. A pass follows after `afterMs` milliseconds, by default with the backoff. */
  wait(afterMs?: number): Wait;
}

/** A condition setter returns this exit in `gate` and `do`. */
export interface Exit extends CleanupExit {
  /** Stops with the message of the condition as the reason. The next pass starts by an event. */
  stop(): Stop;
}

/**
 * The setters of the conditions that a step declares. The last setting of a pass counts; the transition time changes only with
 * the status.
 *
 * @throws TypeError in every setter when the type was not declared by this step, or the reason breaks Kubernetes' pattern
 * `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$` (CamelCase by convention).
 */
export interface Conditions<C extends string, E> {
  /** Sets the condition to True. @param reason defaults to the condition's type */
  true<const G extends C | Other>(type: G & DeclaredIn<G, C>, reason?: string, message?: string): void;
  /** Sets the condition to False; the exit it returns repeats the message. */
  false<const G extends C | Other>(type: G & DeclaredIn<G, C>, reason: string, message: string): E;
  /** Sets the condition to Unknown; the exit it returns repeats the message. */
  unknown<const G extends C | Other>(type: G & DeclaredIn<G, C>, reason: string, message: string): E;
  /** Keeps the condition as the last pass stored it. */
  keep<const G extends C | Other>(type: G & DeclaredIn<G, C>): void;
  /** Returns the condition as the last pass stored it. */
  previous<const G extends C | Other>(type: G & DeclaredIn<G, C>): Condition | undefined;
  /**
   * Returns a condition of an earlier step of the handler: as this pass has set it so far, else as stored. A step that waited,
   * stopped or failed in this pass sets it, too. `type` may be left out for a step with one condition.
   * @throws TypeError for a step that is not in the handler, and for a condition that the step does not declare
   */
  of<S extends string>(step: StepWithConditions<S>, ...type: ConditionArgument<NoInfer<S>>): Condition | undefined;
}

/** A step with conditions is what {@link Conditions.of} needs to know of a step. */
export interface StepWithConditions<out C extends string> {
  /** Marks a step that `step()` made. */
  readonly [made]: true;
  /** The name of the step. */
  readonly name: string;
  /** For the compiler only: the conditions that the step declares. */
  readonly $c?: () => C;
}

/** This is the argument that names one of the conditions `C` of a step: optional if there is one, required if there are several. */
export type ConditionArgument<C extends string> = [C] extends [never]
  ? [type: UndeclaredCondition<"the step declares no condition">]
  : string extends C
    ? [type?: string]
    : IsUnion<C> extends true
      ? [type: C]
      : [type?: C];

type IsUnion<C, All = C> = C extends unknown ? ([All] extends [C] ? false : true) : never;

/** Any text, in a form that keeps the completion of declared types. */
type Other = string & {};

/** This type is a sentence that the compiler prints for a condition that the step does not declare. */
export interface UndeclaredCondition<M extends string> {
  readonly "treadle: this condition is not declared": M;
}

/** This type accepts a declared condition; for another one it is a sentence with the fix. */
export type DeclaredIn<G extends string, C extends string> = [G] extends [C]
  ? unknown
  : UndeclaredCondition<`add ${G} to the conditions of the step`>;
