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
  /** Whether the steps could report about the object. */
  readonly canReport: boolean;
  /** What the end of the pass writes. */
  readonly stores: "status" | "finalizer" | "nothing";
}

const ENDINGS: { readonly [Type in Ending["type"]]: Ending } = {
  skip: { type: "skip", runsSteps: false, runsPosts: false, canReport: true, stores: "finalizer" },
  release: { type: "release", runsSteps: false, runsPosts: false, canReport: true, stores: "finalizer" },
  paused: { type: "paused", runsSteps: false, runsPosts: false, canReport: false, stores: "status" },
  // The posts of an object that breaks its schema would be called with a value that breaks its type.
  invalid: { type: "invalid", runsSteps: false, runsPosts: false, canReport: true, stores: "status" },
  over: { type: "over", runsSteps: true, runsPosts: true, canReport: true, stores: "nothing" },
  aborted: { type: "aborted", runsSteps: true, runsPosts: true, canReport: false, stores: "status" },
  gated: { type: "gated", runsSteps: true, runsPosts: true, canReport: false, stores: "status" },
  cleaned: { type: "cleaned", runsSteps: true, runsPosts: true, canReport: true, stores: "finalizer" },
  normal: { type: "normal", runsSteps: true, runsPosts: true, canReport: true, stores: "status" },
};

/** The ending of a pass, as far as it is known. */
export function endingOf(facts: EndingFacts): Ending {
  const { isDeleting } = facts;
  if (isDeleting && facts.skips !== undefined) return facts.skips === "cleanup" ? ENDINGS.skip : ENDINGS.release;
  if (facts.isPaused) return ENDINGS.paused;
  if (facts.isInvalid && !isDeleting) return ENDINGS.invalid;
  if (facts.isOver) return ENDINGS.over;
  if (facts.isAborted) return ENDINGS.aborted;
  if (facts.isGated) return ENDINGS.gated;
  return isDeleting && facts.isDone ? ENDINGS.cleaned : ENDINGS.normal;
}

/** What the conditions report about. A released object keeps no report that no later pass would correct. */
export function reportsOf({ canReport }: Ending, { isDeleting, isDraining }: Pick<EndingFacts, "isDeleting" | "isDraining">): PassType {
  if (isDraining || !canReport) return "gated";
  return isDeleting ? "deletion" : "full";
}
