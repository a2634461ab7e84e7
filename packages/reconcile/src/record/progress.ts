/** The progress of steps and passes: types that conditions, requeue and extensions share. */
import type { ConditionStatus } from "@treadle/apimachinery";
import type { BackoffProfile } from "@treadle/workqueue";
import type { WaitCause } from "../result.ts";

/** A setting is the value of a condition, without its transition time. */
export interface Setting {
  /** The status of the condition. */
  readonly status: ConditionStatus;
  /** The reason of the condition. */
  readonly reason: string;
  /** The message of the condition. */
  readonly message: string;
}

/** The progress says how far a step came in a pass. */
export type Progress =
  | { readonly type: "unreached" }
  | { readonly type: "done" }
  | {
      readonly type: "wait";
      readonly reason: string;
      readonly afterMs?: number;
      readonly cause?: WaitCause;
      /** The conflict that ended the step. */
      readonly conflict?: unknown;
    }
  | { readonly type: "stop"; readonly reason: string }
  | { readonly type: "failed"; readonly error: unknown };

/**
 * The type of a pass. `full` ran `do`, `deletion` ran cleanups. `gated` could not report about the object: a gate or a shutdown
 * ended it, or it releases an object that is not deleted.
 */
export type PassType = "full" | "deletion" | "gated";

/** A failure of a pass, with its rank: a failed save decides before a post, and a post before a step. */
export interface Failure {
  readonly rank: "save" | "post" | "step";
  readonly error: unknown;
  /** The delays that the failed step asks for; absent for a failure of the engine, and for a step without a profile. */
  readonly backoff?: BackoffProfile | undefined;
}

/** A request for the next pass. */
export interface Asked {
  readonly reason: string;
  /** The delay in milliseconds; absent for the waiting backoff. */
  readonly afterMs?: number | undefined;
}

/** The waiting backoff of an object between passes. */
export interface Waiting {
  reason: string;
  attempts: number;
  /** The number of passes in a row that requested the next one at once and made no progress. */
  inVain: number;
}

/** The vars of one step in a pass. */
export interface Handed {
  readonly vars: Readonly<Record<string, unknown>>;
  /** A clause with the reason why the others are missing. */
  readonly missing: string | undefined;
}

/** The values that a step with `gives` hands over. */
export interface HandOver {
  /** The values by name; one that is `undefined` is missing. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** A clause with the reason why the other values are missing, such as `it is not desired`. @defaultValue none */
  readonly missing?: string | undefined;
}
