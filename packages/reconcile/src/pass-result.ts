/** The result of a pass, as the caller of `Reconciler.pass` gets it. */
import type { BackoffProfile } from "@treadle/workqueue";
import type { Outcome } from "./req.ts";

/** A requeue says when the next pass of the object starts. It is decided once for the whole pass. */
export type Requeue =
  /** Nothing is scheduled; any event starts a pass. */
  | { readonly type: "none" }
  /** After `afterMs` milliseconds (0 = at once), without an error; the failure backoff starts again. */
  | { readonly type: "after"; readonly afterMs: number; readonly reason: string }
  /**
   * With the failure backoff, or after the delay of the error; after `atMostMs` milliseconds at the latest. `backoffs` are the
   * profiles of the failed steps, each once; the earliest delay decides. `undefined` in the list means the profile of the
   * controller. Absent: only that one.
   */
  | {
      readonly type: "failure";
      readonly afterMs?: number;
      readonly atMostMs?: number;
      readonly backoffs?: readonly (BackoffProfile | undefined)[];
    };

/** A phase report describes one phase of one step that ran. A phase that the step does not have is not reported. */
export interface PhaseReport {
  /** The name of the step. */
  readonly step: string;
  /** The phase that ran. */
  readonly phase: "gate" | "do" | "cleanup" | "post";
  /** The result of the phase. */
  readonly result: "done" | "wait" | "stop" | "failed";
  /** The reason of the wait or stop, or the message of the error, without secrets. */
  readonly reason?: string;
  /** The duration of the phase, in milliseconds. */
  readonly durationMs: number;
}

/** A pass result says what a pass did, and when the next one starts. */
export interface PassResult {
  /** The uid of the object; absent if there was no object. */
  readonly uid?: string;
  /** The end of the chain. `gone`: the object does not exist. `left`: it is being deleted, and this handler has nothing to clean up. */
  readonly outcome: Outcome | { readonly type: "gone" } | { readonly type: "left" };
  /** When the next pass is due. */
  readonly requeue: Requeue;
  /** The error, or an AggregateError of several; absent if nothing failed. */
  readonly error?: unknown;
  /**
   * What the pass waits for, as the reason of a condition: that of the wait, else of the first condition that the waiting step set and
   * that is not True, else `Waiting`. `Conflict`: another writer changed an object. Absent if the pass did not wait, or failed.
   */
  readonly waitReason?: string;
  /** Present if the object is paused, so that no step ran. */
  readonly isPaused?: true;
  /** Whether a retry cannot fix the failure. */
  readonly isTerminal: boolean;
  /** The phases that ran, in order. */
  readonly phases: readonly PhaseReport[];
  /** The number of requests by which the engine wrote the primary. */
  readonly writes: number;
  /** The steps that still run after their deadline or a shutdown; absent if there are none. */
  readonly strays?: Strays;
}

/** Strays are steps that still run after their pass, without the right to use their req. */
export interface Strays {
  /** Resolves when the next pass of the object may start: all steps have returned, or the pass limit is over. */
  readonly freed: Promise<void>;
  /** Resolves when all steps have returned, which may never happen. */
  readonly returned: Promise<void>;
}
