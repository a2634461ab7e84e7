/**
 * `npm run test:programs`: all `*.programs.test.ts` of the workspace, with the real programs in TREADLE_HELM, TREADLE_HELM3 and
 * TREADLE_KUSTOMIZE, the charts of charts.json, and the plugins of examples/capabilities in Go and Python. What is missing is built or
 * downloaded. It fails without them, and when no test ran; it never skips. Further arguments choose the files whose path contains one of
 * them.
 */
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { E2eReport } from "../e2e/report.ts";
import { obtainCharts } from "./src/charts.ts";
import { leftOut } from "./src/left-out.ts";
import { obtainPrograms } from "./src/obtain.ts";
import { obtainPlugins } from "./src/plugins.ts";
import { run } from "../src/run.ts";
import { type Report, totals } from "../src/test-results.ts";
import { root, workspaces } from "../src/workspaces.ts";

const wanted = process.argv.slice(2);
const log = (line: string): void => console.error(`programs: ${line}`);
const { variables } = await obtainPrograms({ log });
const env = {
  ...process.env,
  ...variables,
  ...(await obtainCharts({ log })),
  ...(await obtainPlugins({ log })),
  TREADLE_TEST_PROGRAMS: "only",
};
const reports = new Map<string, (Report & E2eReport) | undefined>();
let isGreen = true;
for (const { dir, manifest } of workspaces()) {
  const files = globSync("{*,src/**/*,test/**/*}.programs.test.ts", { cwd: join(root, dir) })
    .filter((file) => wanted.length === 0 || wanted.some((text) => `${dir}/${file}`.includes(text)))
    .toSorted();
  if (files.length === 0) continue;
  const report = join(root, dir, ".results", "programs.json");
  rmSync(report, { force: true });
  const code = await run("vitest", ["run", "--config", join(root, "vitest.config.ts"), ...files], { cwd: join(root, dir), env });
  isGreen &&= code === 0;
  // What vitest wrote.
  reports.set(manifest.name, existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as Report & E2eReport) : undefined);
}
const sum = totals(reports, isGreen);
const problems = [...sum.problems];
if (reports.size === 0)
  problems.push(`no file *.programs.test.ts ${wanted.length === 0 ? "exists" : `has ${wanted.join(" or ")} in its path`}`);
for (const [workspace, report] of reports) if (report !== undefined) problems.push(...leftOut(workspace, report));
for (const problem of problems) console.error(`problem: ${problem}`);
console.log(`${sum.passed} passed, ${sum.failed} failed with ${Object.values(variables).join(", ")}`);
process.exitCode = isGreen && sum.failed === 0 && problems.length === 0 ? 0 : 1;
