/** The table of endings: which facts end a pass in which way. */
import { describe, expect, test } from "vitest";
import { type Ending, type EndingFacts, endingOf, reportsOf } from "./ending.ts";
import type { PassType } from "./progress.ts";

const QUIET: EndingFacts = {
  isDeleting: false,
  isDraining: false,
  skips: undefined,
  isPaused: false,
  isPauseUndecided: false,
  isInvalid: false,
  isGated: false,
  isAborted: false,
  isOver: false,
  isDone: false,
  isHeld: false,
};
const deleting = { isDeleting: true };
const draining = { isDeleting: true, isDraining: true };

interface Row {
  readonly facts: Partial<EndingFacts>;
  readonly want: Ending["type"];
  readonly reports: PassType;
  readonly reason: string;
}

const ROWS: readonly Row[] = [
  { facts: {}, want: "normal", reports: "full", reason: "a pass that has not ended yet runs" },
  { facts: { isDone: true }, want: "normal", reports: "full", reason: "the status is stored" },
  { facts: deleting, want: "normal", reports: "deletion", reason: "a cleanup that is not done keeps the finalizer" },
  { facts: { ...deleting, isDone: true }, want: "cleaned", reports: "deletion", reason: "the finalizer is removed" },
  { facts: { ...draining, isDone: true }, want: "cleaned", reports: "gated", reason: "a released object keeps its report" },
  { facts: draining, want: "normal", reports: "gated", reason: "a drain does not report about an object that lives on" },
  { facts: { ...deleting, skips: "cleanup" }, want: "skip", reports: "deletion", reason: "the annotation skips the cleanups" },
  { facts: { ...draining, skips: "drain" }, want: "release", reports: "gated", reason: "a drain releases at once" },
  {
    facts: { ...draining, skips: "drain", isHeld: true },
    want: "held",
    reports: "gated",
    reason: "the finalizer stays until every step has released its objects",
  },
  { facts: { ...deleting, skips: "cleanup", isPaused: true }, want: "skip", reports: "deletion", reason: "skipping comes before a pause" },
  { facts: { skips: "cleanup" }, want: "normal", reports: "full", reason: "an object that is not deleted has no cleanup to skip" },
  { facts: { isPaused: true }, want: "paused", reports: "gated", reason: "a paused object is not reported about" },
  { facts: { isPaused: true, isInvalid: true }, want: "paused", reports: "gated", reason: "a pause comes before the schema" },
  { facts: { isInvalid: true }, want: "invalid", reports: "full", reason: "no step sees an object that breaks its schema" },
  { facts: { ...deleting, isInvalid: true }, want: "normal", reports: "deletion", reason: "an invalid object is cleaned up" },
  { facts: { isGated: true }, want: "gated", reports: "gated", reason: "a gate ends the pass before it can report" },
  { facts: { isAborted: true, isGated: true }, want: "aborted", reports: "gated", reason: "a shutdown is not a gate" },
  { facts: { isOver: true, isAborted: true }, want: "over", reports: "full", reason: "nothing of a pass that is over is stored" },
  {
    facts: { ...deleting, isOver: true, isDone: true },
    want: "over",
    reports: "deletion",
    reason: "not even the removal of the finalizer",
  },
];

describe("the ending of a pass", () => {
  test.for(ROWS)("$want: $reason", ({ facts, want, reports }) => {
    const all = { ...QUIET, ...facts };
    const ending = endingOf(all);
    expect([ending.type, reportsOf(ending, all)]).toEqual([want, reports]);
  });

  test("posts run only where steps could run, and nothing is stored of a pass that is over or held", () => {
    const endings = ROWS.map(({ facts }) => endingOf({ ...QUIET, ...facts }));
    for (const { runsSteps, runsPosts } of endings) expect(runsPosts).toBe(runsSteps);
    for (const { type, stores } of endings) expect(stores === "nothing").toBe(["over", "held"].includes(type));
    for (const { type, stores } of endings) expect(stores === "finalizer").toBe(["skip", "release", "cleaned"].includes(type));
  });
});
