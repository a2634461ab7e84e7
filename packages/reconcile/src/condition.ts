/**
 * Conditions as a step sees them: it declares the types it manages and sets those, no others. What the engine makes of
 * the settings of all steps is in `internal/compute-conditions.ts`.
 */
import type { Condition } from "@treadle/apimachinery";
import type { Stop, Wait } from "./result.ts";

/** How a step declares a condition; the short form counts for Ready. */
export type Declared<C extends string> = C | { readonly type: C; readonly ready: "counts" | "ignored" };

/** What a setter returns in `cleanup` and `post`: the exit that repeats the message, so that nothing is said twice. */
export interface CleanupExit {
  wait(afterMs?: number): Wait;
}

/** What a setter returns in `gate` and `do`. */
export interface Exit extends CleanupExit {
  stop(): Stop;
}

/**
 * The conditions that a step declared. The last setting of a pass wins; the transition time moves only when the status does.
 *
 * @throws TypeError in every setter when the type was not declared by this step, or the reason breaks Kubernetes' pattern
 * `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$` (CamelCase by convention).
 */
export interface Conditions<C extends string, E> {
  /** @param reason defaults to the condition's type */
  true(type: C, reason?: string, message?: string): void;
  false(type: C, reason: string, message: string): E;
  unknown(type: C, reason: string, message: string): E;
  /** Leaves the condition as the last pass left it. */
  keep(type: C): void;
  /** The condition as the last pass left it. */
  previous(type: C): Condition | undefined;
}
