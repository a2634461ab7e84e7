import { describe, expect, test } from "vitest";
import { type Candidate, governing, type Rank, rankOfList } from "./ready-rank.ts";
import type { Setting } from "../record/progress.ts";

function candidate(type: string, status: Setting["status"], reason: string): Candidate {
  return { condition: { type, status, reason, message: "" }, setting: { status, reason, message: type } };
}
const pick = (rank: Rank | undefined, ...candidates: readonly Candidate[]): string | undefined => governing(rank, candidates)?.message;

const down = candidate("A", "False", "Down");
const updating = candidate("B", "Unknown", "Updating");
const failing = candidate("C", "False", "Failing");
const priorities: Readonly<Record<string, number>> = { Down: 19, Failing: 13, Updating: 7, Healthy: 3 };
const byReason: Rank = ({ reason }) => priorities[reason] ?? 0;

describe("Ready speaks of", () => {
  test.for<{
    readonly name: string;
    readonly rank: Rank | undefined;
    readonly of: readonly Candidate[];
    readonly want: string | undefined;
  }>([
    { name: "nothing, if there is nothing", rank: byReason, of: [], want: undefined },
    { name: "False before Unknown without a rank", rank: undefined, of: [updating, down], want: "A" },
    { name: "the first of two that are False without a rank", rank: undefined, of: [failing, down], want: "C" },
    { name: "the highest rank", rank: byReason, of: [updating, failing, down], want: "A" },
    { name: "an Unknown with a higher rank than a False", rank: ({ type }) => (type === "B" ? 1 : 0), of: [down, updating], want: "B" },
    { name: "the first of equal ranks", rank: () => 5, of: [updating, down], want: "B" },
    { name: "an infinite rank", rank: ({ type }) => (type === "C" ? Infinity : 0), of: [down, failing], want: "C" },
    { name: "a negative rank, if it is alone", rank: () => -Infinity, of: [down], want: "A" },
    { name: "the first name of a list, which may be a reason", rank: rankOfList(["Failing", "Down"]), of: [down, failing], want: "C" },
    { name: "the first name of a list, which may be a type", rank: rankOfList(["B", "Down"]), of: [down, updating], want: "B" },
    { name: "the earlier of two names of one condition", rank: rankOfList(["Failing", "Down", "C"]), of: [down, failing], want: "C" },
    { name: "a name of the list before all others", rank: rankOfList(["Updating"]), of: [down, updating], want: "B" },
    { name: "False before Unknown, if the list names neither", rank: rankOfList(["X"]), of: [updating, down], want: "A" },
  ])("$name", ({ rank, of, want }) => {
    expect(pick(rank, ...of)).toBe(want);
  });
});

test.for<{ readonly name: string; readonly rank: unknown; readonly says: string }>([
  {
    name: "throws",
    rank: () => {
      throw new Error("no table");
    },
    says: "no table",
  },
  {
    name: "returns a promise",
    rank: () => Promise.reject(new Error("late")),
    says: "it returned a promise, which is not a number: return a number at once",
  },
  { name: "returns a text", rank: () => "high", says: "it returned high, which is not a number" },
  { name: "returns NaN", rank: () => Number.NaN, says: "it returned NaN, which is not a number" },
  { name: "changes the condition", rank: (condition: { type: string }) => (condition.type = "X").length, says: "read only" },
])("a rank that $name makes Ready False with the step and the condition", ({ rank, says }) => {
  expect(governing(rank as Rank, [down])).toEqual({
    status: "False",
    reason: "RankFailed",
    message: expect.stringMatching(new RegExp(`^step "conditions": rank failed for the condition A: .*${says}`)),
  });
});
