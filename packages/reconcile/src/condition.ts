/**
 * Conditions as a step sees them: it declares the types it manages and sets those, no others. What the engine makes of
 * the settings of all steps is in `save/compute-conditions.ts`.
 */
import type { Condition } from "@treadle/apimachinery";
import type { Stop, Wait } from "./result.ts";

/** How a step declares a condition; the short form counts for Ready. */
export type Declared<C extends string> = C | { readonly type: C; readonly ready: "counts" | "ignored" };

/** What a setter returns in `cleanup` and `post`: the exit that repeats the message, so that nothing is said twice. */
export interface CleanupExit {
  /** Waits with this condition as the reason: a pass follows after `afterMs`, by default with the backoff. */
  wait(afterMs?: number): Wait;
}

/** What a setter returns in `gate` and `do`. */
export interface Exit extends CleanupExit {
  /** Stops with this condition as the reason: no pass follows before a change. */
  stop(): Stop;
}

/**
 * The conditions that a step declared. The last setting of a pass wins; the transition time moves only when the status does.
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
  /** Leaves the condition as the last pass left it. */
  keep<const G extends C | Other>(type: G & DeclaredIn<G, C>): void;
  /** The condition as the last pass left it. */
  previous<const G extends C | Other>(type: G & DeclaredIn<G, C>): Condition | undefined;
}

/** Any text, in a form that keeps the completion of the declared ones. */
type Other = string & {};

/** A sentence in place of a type: the compiler prints it for a condition that the step does not declare. */
export interface UndeclaredCondition<M extends string> {
  readonly "treadle: this condition is not declared": M;
}

/** Nothing to add for a declared condition; else what to do. */
export type DeclaredIn<G extends string, C extends string> = [G] extends [C]
  ? unknown
  : UndeclaredCondition<`add ${G} to the conditions of the step`>;
