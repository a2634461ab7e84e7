import { expect, test } from "vitest";
import { positionIn } from "./positions.ts";

// Line 1: nothing. Line 2: column 0 is a.ts 1:1, column 4 is b.ts 3:3. Line 3: column 2 is b.ts 4:1.
const map = { sources: ["a.ts", "b.ts"], mappings: ";AAAA,ICEE;EACF" };

test.for([
  { name: "a place before the first mapping has none", line: 1, column: 1, want: undefined },
  { name: "the first column", line: 2, column: 1, want: { file: "a.ts", line: 1, column: 1 } },
  { name: "a column between two mappings is of the first", line: 2, column: 4, want: { file: "a.ts", line: 1, column: 1 } },
  { name: "another source", line: 2, column: 5, want: { file: "b.ts", line: 3, column: 3 } },
  { name: "the column of the bundle is counted in each line", line: 3, column: 3, want: { file: "b.ts", line: 4, column: 1 } },
  { name: "a column before the first mapping of its line has no place", line: 3, column: 1, want: undefined },
  { name: "a line after the last has none", line: 9, column: 1, want: undefined },
])("positionIn: $name", ({ line, column, want }) => {
  expect(positionIn(map, line, column)).toEqual(want);
});

test("positionIn takes a text that is no mapping without an end", () => {
  expect(positionIn({ sources: [], mappings: "\u{1F600};;;" }, 3, 1)).toBeUndefined();
});
