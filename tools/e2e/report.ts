/** Sums up what vitest reports of a run on a real server: every test ran there, or says by its tag why not. */

/** The part of vitest's report that is read. */
export interface E2eReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly tags?: readonly string[];
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

export interface E2eTotals {
  readonly passed: number;
  readonly failed: number;
  /** Those with the tag "memory". */
  readonly memoryOnly: number;
  /** Those with a tag "since-1.N" that did not run: the server is older. */
  readonly newerOnly: number;
  /** What is wrong, one sentence each: failed tests by name. */
  readonly problems: readonly string[];
}

/**
 * Adds up the reports of workspaces; `undefined` where a workspace left none.
 * @param isOlder whether the server is older than the current Kubernetes, so that tests may be left out for it
 */
export function e2eTotals(reports: ReadonlyMap<string, E2eReport | undefined>, isOlder = false): E2eTotals {
  const problems: string[] = [];
  let [passed, failed, memoryOnly, newerOnly] = [0, 0, 0, 0];
  for (const [workspace, report] of reports) {
    if (report === undefined) {
      problems.push(`${workspace} left no report: its tests did not run to the end`);
      continue;
    }
    for (const { name, status, assertionResults } of report.testResults) {
      const hasFailed = assertionResults.some((test) => test.status === "failed");
      if (status === "failed" && !hasFailed) problems.push(`${workspace}: ${name} could not be run`);
      for (const { fullName, status: result, tags = [], failureMessages = [] } of assertionResults) {
        if (result === "passed") passed++;
        else if (result === "failed") {
          failed++;
          problems.push(`${workspace}: "${fullName}" failed: ${failureMessages[0]?.split("\n")[0] ?? "without a message"}`);
        } else if (tags.includes("memory")) memoryOnly++;
        else if (isOlder && tags.some((tag) => tag.startsWith("since-"))) newerOnly++;
        else problems.push(`${workspace}: "${fullName}" did not run (${result}) and has no tag "memory"`);
      }
    }
  }
  if (passed + failed === 0) problems.push("no test ran on the real server");
  return { passed, failed, memoryOnly, newerOnly, problems };
}
