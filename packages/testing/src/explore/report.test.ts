import { expect, test } from "vitest";
import type { Entry } from "./journal.ts";
import type { ExplorationProblem } from "./exploration-problem.ts";
import type { RunOutcome } from "./run-outcome.ts";
import { reportOf } from "./report.ts";

const EFFECT = "create a bucket for a";
const pass = (number: number): Entry => ({ type: "pass", key: `default/${number}`, outcome: "done" });

/** A run whose effect happens before the fault, and again long after it. */
const run: RunOutcome = {
  point: [{ type: "away", wait: 1 }],
  journal: [
    { type: "effect", text: EFFECT },
    { type: "fault", text: "no process runs" },
    ...Array.from({ length: 60 }, (_, index) => pass(index)),
    { type: "effect", text: EFFECT },
    ...Array.from({ length: 60 }, (_, index) => pass(100 + index)),
  ],
  writes: [],
  events: [],
  passes: 0,
  waits: 1,
  hasHappened: true,
  end: undefined,
  problems: [],
};
const problems: readonly ExplorationProblem[] = [{ type: "effects", lines: [`"${EFFECT}" happened 2 times, in the reference once`] }];

const linesOf = (isWhole: boolean, told = problems): readonly string[] => reportOf(run, run, told, { seed: 1, isWhole }).split("\n");

test("a report shows the context of a repeated effect, however long after the fault", () => {
  const lines = linesOf(false);
  const at = lines.indexOf("when these effects happened:");
  expect(lines.slice(at + 2, at + 7)).toEqual([
    "  pass of default/57: done",
    "  pass of default/58: done",
    "  pass of default/59: done",
    `  effect: ${EFFECT}`,
    "  pass of default/100: done",
  ]);
  expect(lines).toContain("  ... (93 lines more)");
  expect(linesOf(false, []).join("\n")).not.toContain("when these effects happened:");
});

test("a whole report leaves nothing out", () => {
  const lines = linesOf(true);
  expect(lines.filter((each) => each.startsWith("  pass of"))).toHaveLength(120);
  expect(lines.filter((each) => each === `  effect: ${EFFECT}`)).toHaveLength(2);
  expect(lines.join("\n")).not.toContain("...");
});
