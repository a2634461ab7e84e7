/** Finds tests that did not run although the programs are here. */
import type { E2eReport } from "../../e2e/report.ts";

/** Tags of tests that may be left out: a part of the long tests runs, and tests of a real server run in `npm run test:e2e`. */
const MAY_BE_LEFT_OUT = ["long", "real"];

/** Returns one sentence for each test that was skipped. */
export function leftOut(workspace: string, report: E2eReport): readonly string[] {
  return report.testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status, tags = [] }) => status !== "passed" && status !== "failed" && !tags.some((tag) => MAY_BE_LEFT_OUT.includes(tag)))
    .map(({ fullName, status }) => `${workspace}: "${fullName}" did not run (${status}), although the programs are here`);
}
