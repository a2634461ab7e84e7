/** How a pass ends: one table, from which follows what runs, what the status reports and what is stored. Pure. */
import type { PassType } from "./progress.ts";

/** What decides how a pass ends. The first five are known before it begins. */
export interface EndingFacts {
  /** Cleanups run, and not `do`s. */
  readonly isDeleting: boolean;
  /** Our finalizer is removed from an object that lives on. */
  readonly isDraining: boolean;
  /** The cleanups are not to run: an annotation says so, or the drain releases at once. */
  readonly skips: "cleanup" | "drain" | undefined;
  readonly isPaused: boolean;
  /** The object breaks its schema. */
  readonly isInvalid: boolean;
  /** A gate made the pass wait or stop. */
  readonly isGated: boolean;
  /** The operator shuts down. */
  readonly isAborted: boolean;
  /** The object no longer exists, or changed so that nothing that the pass decided counts. */
  readonly isOver: boolean;
  /** Every step of the chain went on. */
  readonly isDone: boolean;
}

/** How a pass ends. */
export interface Ending {
  readonly type: "skip" | "release" | "paused" | "invalid" | "over" | "aborted" | "gated" | "cleaned" | "normal";
  /** Whether gates, and then the chain, run. */
  readonly runsSteps: boolean;
  readonly runsPosts: boolean;
  /** What the conditions report about. */
  readonly reports: PassType;
  /** What the end of the pass writes. */
  readonly stores: "status" | "finalizer" | "nothing";
}

/** The ending of a pass, as far as it is known. */
export function endingOf(facts: EndingFacts): Ending {
  const { isDeleting, isDraining } = facts;
  // A released object keeps no report that no later pass would correct.
  const reports: PassType = isDraining ? "gated" : isDeleting ? "deletion" : "full";
  if (isDeleting && facts.skips !== undefined) {
    const type = facts.skips === "cleanup" ? "skip" : "release";
    return { type, runsSteps: false, runsPosts: false, reports, stores: "finalizer" };
  }
  if (facts.isPaused) return { type: "paused", runsSteps: false, runsPosts: false, reports: "gated", stores: "status" };
  // The posts of an object that breaks its schema would be called with a value that breaks its type.
  if (facts.isInvalid && !isDeleting) return { type: "invalid", runsSteps: false, runsPosts: false, reports, stores: "status" };
  const ran = { runsSteps: true, runsPosts: true } as const;
  if (facts.isOver) return { type: "over", ...ran, reports, stores: "nothing" };
  if (facts.isAborted) return { type: "aborted", ...ran, reports: "gated", stores: "status" };
  if (facts.isGated) return { type: "gated", ...ran, reports: "gated", stores: "status" };
  if (isDeleting && facts.isDone) return { type: "cleaned", ...ran, reports, stores: "finalizer" };
  return { type: "normal", ...ran, reports, stores: "status" };
}
