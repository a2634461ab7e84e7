import { expect, test } from "vitest";
import { noFindings, type Results } from "./findings.ts";
import { report } from "./report.ts";

function results(measured: Results["measured"]): Results {
  const sizes = { widgets: 2_000, blobs: 50_000, changes: 10_000, changesSeconds: 300, warmUpSeconds: 60, concurrency: 5 };
  return { ...noFindings(), measured, perSecond: 81.4, machine: { processors: 2 }, minutes: 7, sizes };
}

function linesOf(text: string, begin: string): string[] {
  return text.split("\n").filter((line) => line.startsWith(begin));
}

test("a goal is judged by the median: of the ratio, or of our number where the goal is a limit", () => {
  const text = report(
    results({
      treadle: { convergeCpuMs: [1_500, 1_200, 9_000], idleRssMb: [99, 101, 100] },
      "treadle-built": { convergeCpuMs: [1_300], idleRssMb: [81] },
      "controller-runtime": { convergeCpuMs: [1_000, 1_100, 900], idleRssMb: [30] },
    }),
  );
  expect(linesOf(text, "| Widgets from nothing to Ready, processor time")).toEqual([
    "| Widgets from nothing to Ready, processor time, ms | 1.50x | 1.3x: missed | 1.30x | 1.1x: missed |",
  ]);
  expect(linesOf(text, "| resident memory at rest, one Widget")).toEqual([
    "| resident memory at rest, one Widget, MB | 100 | 100: reached | 81.0 | 80: missed |",
    "| resident memory at rest, one Widget, MB | 100 (99.50 to 101) | 30.00 | 3.33 | 100: reached |",
    "| resident memory at rest, one Widget, MB | 81.00 | 30.00 | 2.70 | 80: missed |",
  ]);
});

test("a row that was not measured is shown as such and reaches no goal", () => {
  const text = report(results({ treadle: { latencyP99Ms: [4] } }));
  expect(linesOf(text, "| change to status, p99")).toEqual([
    "| change to status, p99, ms |  | 1x: not measured |  | 1x: not measured |",
    "| change to status, p99, ms | 4.00 |  |  | 1x: not measured |",
    "| change to status, p99, ms |  |  |  | 1x: not measured |",
  ]);
});

test("the page names the rate of the changes and what the run could not measure", () => {
  const text = report({ ...results({}), failures: ["controller-runtime: it could not be built: no Go"] });
  expect(text).toContain("10000 changes at 81 a second, which is half of what the slower operator carries");
  expect(text).toContain("Not measured: controller-runtime: it could not be built: no Go.");
});

test("a low rate makes fewer changes, so that the time is bounded", () => {
  expect(report({ ...results({}), perSecond: 7 })).toContain("2100 changes at 7 a second");
});
