import { expect, test } from "vitest";
import { distance, nearest } from "./near.ts";

test.for([
  { given: "deplyment", candidates: ["deployment", "daemonset", "pod"], want: ["deployment"] },
  { given: "WEB", candidates: ["web", "wbe", "db"], want: ["web", "wbe"] },
  { given: "dep", candidates: ["deployment", "pod"], want: ["deployment"] },
  { given: "xyzzy", candidates: ["deployment", "pod"], want: [] },
  { given: "", candidates: ["a", "pod"], want: ["a"] },
])("nearest(%o) suggests what a user may have meant", ({ given, candidates, want }) => {
  expect(nearest(given, candidates)).toEqual(want);
});

test("two exchanged neighbours count as one edit", () => {
  expect([distance("deploymnet", "deployment"), distance("ab", "ba"), distance("abc", "abc"), distance("", "abc")]).toEqual([1, 1, 0, 3]);
});
