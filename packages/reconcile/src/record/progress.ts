/** How far steps and passes come: the words that conditions, requeue and extensions share. */
import type { ConditionStatus } from "@treadle/apimachinery";
import type { WaitCause } from "../result.ts";

/** A condition's value, before it is known since when. */
export interface Setting {
  /** The status of the condition. */
  readonly status: ConditionStatus;
  /** The reason of the condition. */
  readonly reason: string;
  /** The message of the condition. */
  readonly message: string;
}

/** How far a step came in this pass. */
export type Progress =
  | { readonly type: "unreached" }
  | { readonly type: "done" }
  | { readonly type: "wait"; readonly reason: string; readonly afterMs?: number; readonly cause?: WaitCause }
  | { readonly type: "stop"; readonly reason: string }
  | { readonly type: "failed"; readonly error: unknown };

/**
 * `full`: a pass that ran `do`s. `deletion`: one that ran cleanups. `gated`: one that a gate, or shutdown, ended before it
 * could report about the object, or that releases an object that lives on.
 */
export type PassType = "full" | "deletion" | "gated";

/** A failure of a pass and where it happened: a failed save is the most urgent, then a post, then a step. */
export interface Failure {
  readonly rank: "save" | "post" | "step";
  readonly error: unknown;
}

/** A request for the next pass. */
export interface Asked {
  readonly reason: string;
  /** Absent: on the waiting curve. */
  readonly afterMs?: number | undefined;
}

/** Per key, between passes: how often it has waited for the same thing. */
export interface Waiting {
  reason: string;
  attempts: number;
  /** Passes in a row in which a step asked for the next one at once, and nothing came of it. */
  inVain: number;
}
