/**
 * `npm test`: the tests of all workspaces through turbo, and a last line `N passed, N failed` that a CI can read.
 * Of long tests it runs a random part, by a seed that it prints (test-part.ts). `npm run test:long` is this program with `--long`:
 * all long tests, in full, and no others. `--all` runs all tests, the long ones in full: one run instead of two. Further arguments go to turbo (`--filter=NAME`, `--force`), those after a `--` to vitest.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { quietTurbo, run } from "./run.ts";
import { type Report, totals } from "./test-results.ts";
import { root, workspaces } from "./workspaces.ts";

const isLong = process.argv[2] === "--long";
const isAll = process.argv[2] === "--all";
const isPart = !isLong && !isAll;
const args = process.argv.slice(isPart ? 2 : 3);
const givenSeed = process.env["TREADLE_TEST_SEED"] ?? "";
const seed = givenSeed === "" ? String(Math.floor(Math.random() * 2 ** 31)) : givenSeed;
const tested = workspaces().filter(({ manifest }) => manifest.scripts?.["test"] !== undefined);
const untested = workspaces().filter(({ manifest }) => manifest.scripts?.["test"] === undefined);
const reportOf = (dir: string): string => join(root, dir, ".results", "tests.json");

for (const { dir } of tested) rmSync(reportOf(dir), { force: true });
// Two at a time: while one loads, the other computes; vitest itself uses all cores. `always`: one red package hides no other.
const turbo = ["run", "test", "--concurrency=2", "--continue=always", "--log-order=grouped", "--log-prefix=none", "--output-logs=full"];
// turbo does not know the seed, so that unchanged workspaces are replayed; a seed that is given is tried.
if (givenSeed !== "" && isPart) turbo.push("--force");
const { FORCE_COLOR, TREADLE_TEST_LONG: _, ...env } = process.env;
const part = { TREADLE_TEST_SEED: seed, ...(!isPart && { TREADLE_TEST_LONG: isAll ? "all" : "1" }) };
const color = process.stdout.isTTY || FORCE_COLOR !== undefined ? { FORCE_COLOR: FORCE_COLOR ?? "1" } : { NO_COLOR: "1" };
const code = await run("turbo", [...turbo, ...args], { env: { ...env, ...quietTurbo, ...color, ...part } });

const reports = new Map<string, Report | undefined>();
for (const { dir, manifest } of tested) {
  const hasReport = existsSync(reportOf(dir));
  // With arguments of the caller only some workspaces may have been asked for.
  if (hasReport || args.length === 0) reports.set(manifest.name, hasReport ? JSON.parse(readFileSync(reportOf(dir), "utf8")) : undefined);
}
// A workspace may have no long test.
if (isLong) for (const [name, report] of reports) if (report?.testResults.length === 0) reports.delete(name);
const sum = totals(reports, code === 0);
const problems = [...sum.problems, ...untested.map(({ dir }) => `${dir} has no test script`)];
for (const problem of problems) console.error(`problem: ${problem}`);
if (isPart) console.log(`long tests: a part by TREADLE_TEST_SEED=${seed}; all of them by npm run test:long`);
if (sum.skipped > 0) console.log(`${sum.skipped} skipped`);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = code !== 0 || sum.failed > 0 || problems.length > 0 || reports.size === 0 ? 1 : 0;
