/** What a pass reports to whoever ran it. */
import type { Outcome } from "./req.ts";

/** When the key must come back, decided once for the whole pass. */
export type Requeue =
  /** Nothing is scheduled; any event starts a pass. */
  | { readonly type: "none" }
  /** After so many milliseconds (0 = at once), without an error; the error back-off starts anew. */
  | { readonly type: "after"; readonly afterMs: number; readonly reason: string }
  /** On the failure curve, or after the time that the error asked for. */
  | { readonly type: "failure"; readonly afterMs?: number };

/** One phase of one step as it ran; absent phases are not reported. */
export interface PhaseReport {
  /** The name of the step. */
  readonly step: string;
  /** The phase that ran. */
  readonly phase: "gate" | "do" | "cleanup" | "post";
  /** The result of the phase. */
  readonly result: "done" | "wait" | "stop" | "failed";
  /** Why it waits or stopped, or what failed (redacted). */
  readonly reason?: string;
  /** The duration of the phase, in milliseconds. */
  readonly durationMs: number;
}

/** What a pass did, and what it asks of the queue. */
export interface PassResult {
  /** Of the object that the pass worked on; absent when there was none. */
  readonly uid?: string;
  /** How the chain ended; `gone` when there is no such object, `left` when it is deleted and not ours to clean up. */
  readonly outcome: Outcome | { readonly type: "gone" } | { readonly type: "left" };
  /** When the next pass is due. */
  readonly requeue: Requeue;
  /** What failed: the error, or an AggregateError of all. Absent when nothing did. */
  readonly error?: unknown;
  /** The object is paused: no step ran. */
  readonly isPaused?: true;
  /** The failure is one that trying again does not mend. */
  readonly isTerminal: boolean;
  /** The phases that ran, in order. */
  readonly phases: readonly PhaseReport[];
  /** Requests with which the engine wrote the primary. */
  readonly writes: number;
  /** Steps that outlived their deadline, or the signal of the pass, and still run; absent when there are none. */
  readonly strays?: Strays;
}

/** What goes on after the pass, without the right to use its req. */
export interface Strays {
  /** Resolves when the object may have its next pass: all have returned, or the pass limit is over. */
  readonly freed: Promise<void>;
  /** Resolves when all have returned, which may be never. */
  readonly returned: Promise<void>;
}
