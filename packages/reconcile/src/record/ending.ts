/** The endings of a pass: one table decides what runs, what the status reports and what is stored. Pure. */
import type { PassType } from "./progress.ts";

/** The facts that decide how a pass ends. The first five are known before it begins. */
export interface EndingFacts {
  /** Cleanups run instead of `do`. */
  readonly isDeleting: boolean;
  /** Our finalizer is removed from an object that is not deleted. */
  readonly isDraining: boolean;
  /** Why cleanups do not run: an annotation skips them, or the drain releases at once. */
  readonly skips: "cleanup" | "drain" | undefined;
  readonly isPaused: boolean;
  /** The function that pauses the object failed. */
  readonly isPauseUndecided: boolean;
  /** The object breaks its schema. */
  readonly isInvalid: boolean;
  /** A gate made the pass wait or stop. */
  readonly isGated: boolean;
  /** The operator shuts down. */
  readonly isAborted: boolean;
  /** The object no longer exists, or its change voids the decisions of the pass. */
  readonly isOver: boolean;
  /** Every step of the chain continued. */
  readonly isDone: boolean;
  /** A step could not release its objects, so that our finalizer stays. */
  readonly isHeld: boolean;
}

/** The ending of a pass. */
export interface Ending {
  readonly type: "skip" | "release" | "held" | "paused" | "undecided" | "invalid" | "over" | "aborted" | "gated" | "cleaned" | "normal";
  /** Whether gates and chain run. */
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
  held: { type: "held", runsSteps: false, runsPosts: false, canReport: false, stores: "nothing" },
  paused: { type: "paused", runsSteps: false, runsPosts: false, canReport: false, stores: "status" },
  // A step must not run for an object that its author may have paused.
  undecided: { type: "undecided", runsSteps: false, runsPosts: false, canReport: true, stores: "status" },
  // The posts of an object that breaks its schema would be called with a value that breaks its type.
  invalid: { type: "invalid", runsSteps: false, runsPosts: false, canReport: true, stores: "status" },
  over: { type: "over", runsSteps: true, runsPosts: true, canReport: true, stores: "nothing" },
  aborted: { type: "aborted", runsSteps: true, runsPosts: true, canReport: false, stores: "status" },
  gated: { type: "gated", runsSteps: true, runsPosts: true, canReport: false, stores: "status" },
  cleaned: { type: "cleaned", runsSteps: true, runsPosts: true, canReport: true, stores: "finalizer" },
  normal: { type: "normal", runsSteps: true, runsPosts: true, canReport: true, stores: "status" },
};

/** Decides the ending of a pass from the facts so far. */
export function endingOf(facts: EndingFacts): Ending {
  const { isDeleting } = facts;
  if (isDeleting && facts.isHeld) return ENDINGS.held;
  if (isDeleting && facts.skips !== undefined) return facts.skips === "cleanup" ? ENDINGS.skip : ENDINGS.release;
  if (facts.isPaused) return ENDINGS.paused;
  if (facts.isPauseUndecided) return ENDINGS.undecided;
  if (facts.isInvalid && !isDeleting) return ENDINGS.invalid;
  if (facts.isOver) return ENDINGS.over;
  if (facts.isAborted) return ENDINGS.aborted;
  if (facts.isGated) return ENDINGS.gated;
  return isDeleting && facts.isDone ? ENDINGS.cleaned : ENDINGS.normal;
}

/** Decides what the conditions report about. A released object gets no report, because no later pass would correct it. */
export function reportsOf({ canReport }: Ending, { isDeleting, isDraining }: Pick<EndingFacts, "isDeleting" | "isDraining">): PassType {
  if (isDraining || !canReport) return "gated";
  return isDeleting ? "deletion" : "full";
}
