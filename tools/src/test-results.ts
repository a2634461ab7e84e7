/**
 * Sums up what vitest's JSON reporter left in each workspace (`.results/tests.json`, restored by turbo when it replays a run).
 * A file that could not be loaded has no tests to count: it counts as one failed test.
 */

/** The part of vitest's report that is read. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What is wrong besides failed tests, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Adds the reports up.
 * @param reports by workspace; `undefined` where a workspace left none
 * @param isGreen whether every test program ended with 0: one that did not, with no failed test to show, counts as one failed
 */
export function totals(reports: ReadonlyMap<string, Report | undefined>, isGreen: boolean): Totals {
  const problems: string[] = [];
  let [passed, failed, skipped] = [0, 0, 0];
  for (const [workspace, report] of reports) {
    if (report === undefined) {
      problems.push(`${workspace} left no test report: its tests did not run to the end`);
      failed += 1;
      continue;
    }
    const broken = report.testResults.filter(isBrokenFile);
    for (const file of broken) problems.push(`${workspace}: ${file.name} could not be run`);
    if (report.numPassedTests + report.numFailedTests + broken.length === 0) {
      problems.push(`${workspace} has no tests`);
      failed += 1;
    }
    passed += report.numPassedTests;
    failed += report.numFailedTests + broken.length;
    skipped += report.numPendingTests + report.numTodoTests;
  }
  if (!isGreen && failed === 0) {
    problems.push("a test program failed outside of its tests (see above)");
    failed = 1;
  }
  return { passed, failed, skipped, problems };
}

function isBrokenFile(file: Report["testResults"][number]): boolean {
  return file.status === "failed" && !file.assertionResults.some(({ status }) => status === "failed");
}
