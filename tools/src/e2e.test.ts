import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { clusterTests, needsSecondCluster } from "../e2e/cluster-tests.ts";
import { differenceProblems, type ExpectedDifference } from "../e2e/expected-differences.ts";
import { type E2eReport, e2eTotals } from "../e2e/report.ts";
import { root } from "./workspaces.ts";

type Result = E2eReport["testResults"][number]["assertionResults"][number];
const report = (...tests: readonly Partial<Result>[]): E2eReport => ({
  testResults: [
    {
      name: "a.test.ts",
      status: tests.some(({ status }) => status === "failed") ? "failed" : "passed",
      assertionResults: tests.map((each) => ({ fullName: "a test", status: "passed", ...each })),
    },
  ],
});
const sum = (...tests: readonly Partial<Result>[]) => e2eTotals(new Map([["w", report(...tests)]]));

describe("the test files for real servers", () => {
  const dir = join(root, "examples/tenants");

  test("are also those that start a cluster by a file that they import", () => {
    expect(clusterTests(dir)).toEqual(["cluster.test.ts", "rbac.test.ts"]);
  });

  test("need a second server only when they start a second cluster", () => {
    expect(needsSecondCluster(join(dir, "cluster.test.ts"))).toBe(true);
    expect(needsSecondCluster(join(dir, "manifests.test.ts"))).toBe(false);
    expect(needsSecondCluster(join(root, "packages/testing/test/faults.test.ts"))).toBe(false);
  });
});

describe("the sum of a run on the real server", () => {
  test("counts what ran there and what is for memory only, and names what failed", () => {
    const failed = { fullName: "lost", status: "failed", failureMessages: ["2 is not 3\n  at a.ts:1"] };
    expect(sum({}, failed, { status: "skipped", tags: ["memory"] })).toEqual({
      passed: 1,
      failed: 1,
      memoryOnly: 1,
      newerOnly: 0,
      problems: ['w: "lost" failed: 2 is not 3'],
    });
  });

  test("takes a test that is skipped without the tag for a problem", () => {
    expect(sum({}, { fullName: "lost", status: "skipped", tags: ["slow"] }).problems).toEqual([
      'w: "lost" did not run (skipped) and has no tag "memory"',
    ]);
  });

  test("counts what an older server is left out of, and only there", () => {
    const reports = new Map([["w", report({}, { fullName: "new", status: "skipped", tags: ["since-1.34"] })]]);
    expect(e2eTotals(reports, true)).toMatchObject({ passed: 1, newerOnly: 1, problems: [] });
    expect(e2eTotals(reports).problems).toEqual(['w: "new" did not run (skipped) and has no tag "memory"']);
  });

  test("is no success where nothing ran, a file could not be loaded, or a workspace left no report", () => {
    expect(sum({ status: "skipped", tags: ["memory"] }).problems).toEqual(["no test ran on the real server"]);
    const broken = { testResults: [{ name: "b.test.ts", status: "failed", assertionResults: [] }] };
    expect(e2eTotals(new Map([["w", broken]])).problems).toContain("w: b.test.ts could not be run");
    expect(e2eTotals(new Map([["w", undefined]])).problems[0]).toMatch(/left no report/);
  });
});

describe("differences of the two servers", () => {
  const found = [{ name: "tables: rows", request: "GET /x", parts: [{ path: "body.columns[0].name" }] }];
  const known: ExpectedDifference = { of: "conformance", name: "tables: rows", path: "body.columns", because: "not served yet" };

  test("that are expected are no problem", () => {
    expect(differenceProblems("conformance", found, [known])).toEqual([]);
  });

  test("that are new, of another request or elsewhere in the answer, are", () => {
    expect(differenceProblems("conformance", found, [])).toEqual(["conformance: tables: rows (GET /x) differs at body.columns[0].name"]);
    expect(differenceProblems("conformance", found, [{ ...known, request: "GET /y" }])[0]).toMatch(/differs at/);
    expect(differenceProblems("conformance", found, [{ ...known, path: "status" }])[0]).toMatch(/differs at/);
  });

  test("may be named by the beginning of their names", () => {
    expect(differenceProblems("conformance", found, [{ ...known, name: "tables: *" }])).toEqual([]);
    expect(differenceProblems("conformance", found, [{ ...known, name: "lists: *" }])).toHaveLength(2);
  });

  test("that are gone must leave the list", () => {
    expect(differenceProblems("conformance", [], [known])[0]).toMatch(/does not differ at body.columns any more/);
    expect(differenceProblems("apply", [], [known])).toEqual([]);
    expect(differenceProblems("conformance", [], [{ ...known, isOccasional: true }])).toEqual([]);
  });
});
