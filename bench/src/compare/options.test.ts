import { expect, test } from "vitest";
import { compareOptions } from "./options.ts";

test("two commits are compared by Widgets and passes, without a limit", () => {
  expect(compareOptions(["v1", "v2"])).toEqual({
    old: "v1",
    new: "v2",
    parts: ["widgets", "passes"],
    rounds: 5,
    widgets: 500,
    isCi: false,
  });
});

test("the form of CI finds the old commit and has a limit of 15 %", () => {
  expect(compareOptions(["--ci"])).toEqual({ parts: ["widgets"], rounds: 5, widgets: 500, limit: 1.15, isCi: true });
});

test.for([
  { args: [], says: "name the old commit" },
  { args: ["a", "b", "c"], says: 'leave out "c"' },
  { args: ["--ci", "a"], says: 'leave out "a"' },
  { args: ["a", "--rounds", "0"], says: "--rounds" },
  { args: ["a", "--widgets", "many"], says: "--widgets" },
  { args: ["a", "--limit", "x"], says: "--limit" },
  { args: ["a", "--only", "plane", "--limit", "1.1"], says: "--only widgets" },
  { args: ["a", "--only", "sets"], says: "widgets, passes, plane" },
])("the arguments $args are refused with a text about $says", ({ args, says }) => {
  expect(() => compareOptions(args)).toThrow(says);
});
