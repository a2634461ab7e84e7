import { expect, test } from "vitest";
import { type Report, totals } from "./test-results.ts";

const report = (numPassedTests: number, numFailedTests = 0, rest: Partial<Report> = {}): Report => ({
  numPassedTests,
  numFailedTests,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  ...rest,
});

test.for([
  {
    name: "adds up all workspaces",
    reports: { a: report(2), b: report(3, 1, { numPendingTests: 1, numTodoTests: 1 }) },
    isGreen: false,
    want: { passed: 5, failed: 1, skipped: 2, problems: [] },
  },
  {
    name: "counts a file that cannot be loaded as one failed test",
    reports: { a: report(2, 0, { testResults: [{ name: "x.test.ts", status: "failed", assertionResults: [] }] }) },
    isGreen: false,
    want: { passed: 2, failed: 1, skipped: 0, problems: ["a: x.test.ts could not be run"] },
  },
  {
    name: "does not count the file of a failed test a second time",
    reports: { a: report(0, 1, { testResults: [{ name: "x.test.ts", status: "failed", assertionResults: [{ status: "failed" }] }] }) },
    isGreen: false,
    want: { passed: 0, failed: 1, skipped: 0, problems: [] },
  },
  {
    name: "fails a workspace whose tests never reported",
    reports: { a: report(1), b: undefined },
    isGreen: true,
    want: { passed: 1, failed: 1, skipped: 0, problems: ["b left no test report: its tests did not run to the end"] },
  },
  {
    name: "fails a workspace without any test",
    reports: { a: report(0) },
    isGreen: true,
    want: { passed: 0, failed: 1, skipped: 0, problems: ["a has no tests"] },
  },
  {
    name: "fails a run that ended red with all tests passed, as after an unhandled rejection",
    reports: { a: report(4) },
    isGreen: false,
    want: { passed: 4, failed: 1, skipped: 0, problems: ["a test program failed outside of its tests (see above)"] },
  },
])("$name", ({ reports, isGreen, want }) => {
  expect(totals(new Map(Object.entries(reports)), isGreen)).toEqual(want);
});
