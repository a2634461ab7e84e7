/**
 * `npm run test:e2e`: the same tests on a real control plane. Builds one where there is none yet, starts it, and runs
 *  - `tests`: every test file that starts a test cluster, with TREADLE_TEST_KUBECONFIG; files one after the other;
 *  - `conformance`: the comparison of the in-memory server with the real one;
 *  - `apply`: the same by random sequences of server-side applies, in a short form with a fixed seed;
 *  - `input`: the same by random bad requests;
 *  - `garbage`: the same by random lives of owners and dependents;
 *  - `workloads`: what the real controllers make of the scenarios of `packages/apiserver/test/workloads`, against what was recorded;
 *  - `kubectl`: its sessions on both servers, against what was recorded;
 *  - `failover`: processes of one operator of which the leader is killed and stopped, `--failovers` times each;
 *  - `peers`: client-go's informers and the tests of controller-runtime's client before both (`npm run peers` has more).
 * A difference that `expected-differences.json` does not list fails, and so does one that it lists in vain.
 * Nothing is skipped: without a control plane it ends with 1.
 *
 *     npm run test:e2e -- [--only PART]... [--filter TEXT] [--failovers N] [--kubeconfig FILE]
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { basicControllers, startControlPlane } from "../controlplane/src/control-plane.ts";
import { pinnedVersion } from "../controlplane/src/programs.ts";
import { prepare } from "./cluster.ts";
import { type E2eReport, e2eTotals } from "./report.ts";
import { differenceProblems } from "./expected-differences.ts";
import { run } from "../src/run.ts";
import { root, workspaces } from "../src/workspaces.ts";

const CONFORMANCE = "packages/apiserver/test/conformance/run.ts";
const RANDOM_APPLY = "packages/apiserver/test/conformance/random-apply.ts";
/** Some 20 s on two cores; ten thousand and more are run when the server's apply is changed. */
const OPERATIONS = 1_000;
const RANDOM_INPUT = "packages/apiserver/test/conformance/random-input.ts";
/** Some 20 s on two cores. */
const REQUESTS = 600;
const RANDOM_GARBAGE = "packages/apiserver/test/conformance/random-garbage.ts";
/** Of 25 acts each; all at a time, some 50 s. */
const LIVES = 20;
const WORKLOADS = "packages/apiserver/test/workloads/record.ts";
/** Whole sessions: what they print must not depend on controllers of workloads. */
const SESSIONS = "packages/apiserver/test/kubectl/session.test.ts";
const FAILOVER = "packages/controller/test/leader-election/failover-run.ts";
const PARTS = ["garbage", "tests", "workloads", "conformance", "apply", "input", "kubectl", "failover", "peers"] as const;
type Part = (typeof PARTS)[number];

interface Plane {
  readonly parts: readonly Part[];
  readonly controllers: readonly string[];
  /** Whether pods run. */
  readonly runsPods?: true;
}

/**
 * Parts share a control plane where the controllers in it do not write into what the part compares. `garbage` goes before
 * `tests`: kinds that come and go keep the real collector waiting.
 */
const PLANES: readonly Plane[] = [
  { parts: ["garbage", "tests", "workloads"], controllers: ["*"], runsPods: true },
  { parts: ["conformance", "apply", "input"], controllers: ["namespace-controller"] },
  { parts: ["kubectl", "failover", "peers"], controllers: basicControllers },
];

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    filter: { type: "string" },
    failovers: { type: "string", default: "10" },
    kubeconfig: { type: "string" },
  },
});
const unknown = (values.only ?? []).filter((name) => !PARTS.includes(name as Part));
if (unknown.length > 0) throw new Error(`--only ${unknown.join(", ")}: there are ${PARTS.join(", ")}`);
const wanted = PARTS.filter((part) => values.only === undefined || values.only.includes(part));
const scratch = mkdtempSync(join(tmpdir(), "treadle-e2e-"));
const problems: string[] = [];
const lines: string[] = [];

try {
  if (values.kubeconfig === undefined) await onOwnControlPlane();
  else await all(values.kubeconfig, wanted);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
for (const line of lines) console.log(line);
for (const problem of problems) console.error(`problem: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

async function onOwnControlPlane(): Promise<void> {
  const log = (line: string): void => console.log(`controlplane: ${line}`);
  for (const { parts, controllers, runsPods } of PLANES) {
    const these = parts.filter((part) => wanted.includes(part));
    if (these.length === 0) continue;
    const started = performance.now();
    await using plane = await startControlPlane({ controllers, log });
    await using _pods = runsPods === true ? await prepare(plane) : undefined;
    lines.push(`Kubernetes ${pinnedVersion("k8s.io/kubernetes")} for ${these.join(", ")}: ready after ${seconds(started)}`);
    await all(plane.kubeconfigPath, these);
  }
}

async function all(kubeconfig: string, these: readonly Part[]): Promise<void> {
  const parts: Readonly<Record<Part, () => Promise<void>>> = {
    tests: () => tests(kubeconfig),
    conformance: () => conformance(kubeconfig),
    apply: () => randomApply(kubeconfig),
    input: () => randomInput(kubeconfig),
    garbage: () => randomGarbage(kubeconfig),
    workloads: () => workloads(kubeconfig),
    kubectl: () => sessions(kubeconfig),
    failover: () => failover(kubeconfig),
    peers,
  };
  for (const part of these) {
    console.log(`\n--- ${part}`);
    const started = performance.now();
    await parts[part]();
    console.log(`--- ${part}: ${seconds(started)}`);
  }
}

async function tests(kubeconfig: string): Promise<void> {
  const reports = new Map<string, E2eReport | undefined>();
  for (const { dir, manifest } of workspaces()) {
    const files = clusterTests(join(root, dir)).filter((file) => isChosen(`${dir}/${file}`));
    if (files.length === 0) continue;
    const report = join(root, dir, ".results", "e2e.json");
    rmSync(report, { force: true });
    const config = join(root, "vitest.config.ts");
    const env = { ...process.env, TREADLE_TEST_KUBECONFIG: kubeconfig };
    const code = await run("vitest", ["run", "--config", config, ...files], { cwd: join(root, dir), env });
    const read = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as E2eReport) : undefined; // what vitest wrote
    reports.set(manifest.name, read);
    const isShown = read?.testResults.some(({ status }) => status === "failed") === true;
    if (code !== 0 && !isShown) problems.push(`${manifest.name}: vitest ended with ${code} outside of its tests (see above)`);
  }
  const totals = e2eTotals(reports);
  problems.push(...totals.problems);
  lines.push(`${totals.passed} tests passed and ${totals.failed} failed on the real server; ${totals.memoryOnly} are for memory only`);
}

function isChosen(path: string): boolean {
  return path !== SESSIONS && path.includes(values.filter ?? "");
}

/** On the real server, and in memory, where a first `npm test` has no kubectl yet. */
async function sessions(kubeconfig: string): Promise<void> {
  const args = ["run", "--config", join(root, "vitest.config.ts"), SESSIONS.replace("packages/apiserver/", "")];
  for (const [where, env] of [
    ["the real server", { ...process.env, TREADLE_TEST_KUBECONFIG: kubeconfig }],
    ["the server in memory", process.env],
  ] as const) {
    const code = await run("vitest", args, { cwd: join(root, "packages/apiserver"), env });
    if (code !== 0) problems.push(`kubectl prints something else on ${where} (see above)`);
  }
}

/** They start servers of their own: without controllers. */
async function peers(): Promise<void> {
  const args = ["--conditions=@treadle/source", "tools/peers/main.ts", "informer", "controller-runtime", "--package", "client"];
  const code = await run(process.execPath, args);
  if (code !== 0) problems.push(`peers: tools/peers/main.ts ended with ${code} (see above)`);
}

/** Test files that start a cluster, or know of the real one, wherever they lie: none can be forgotten. */
function clusterTests(dir: string): readonly string[] {
  return globSync("{*,src/**/*,test/**/*}.test.ts", { cwd: dir })
    .filter((file) => /startTestCluster|TREADLE_TEST_KUBECONFIG/.test(readFileSync(join(dir, file), "utf8")))
    .toSorted();
}

async function conformance(kubeconfig: string): Promise<void> {
  const found = join(scratch, "conformance.json");
  const code = await compare(CONFORMANCE, ["--json", found], kubeconfig);
  if (!existsSync(found)) {
    problems.push(`conformance: ${CONFORMANCE} ended with ${code} and left no list of differences`);
    return;
  }
  const wrong = differenceProblems("conformance", JSON.parse(readFileSync(found, "utf8")));
  problems.push(...wrong);
  lines.push(`conformance: ${wrong.length === 0 ? "no difference that is not expected" : `${wrong.length} problems`}`);
}

/** With TREADLE_RECORD=1 they are recorded anew. */
async function workloads(kubeconfig: string): Promise<void> {
  const isRecording = process.env["TREADLE_RECORD"] === "1";
  const code = await compare(WORKLOADS, isRecording ? [] : ["--check"], kubeconfig);
  if (code !== 0) problems.push(`workloads: ${WORKLOADS} ended with ${code} (see above)`);
  lines.push(`workloads: the real controllers ${code === 0 ? "leave what was recorded" : "leave something else than was recorded"}`);
}

/** None is expected. */
async function randomApply(kubeconfig: string): Promise<void> {
  const code = await compare(RANDOM_APPLY, ["--seed", "1", "--count", String(OPERATIONS)], kubeconfig);
  if (code !== 0) problems.push(`apply: ${RANDOM_APPLY} ended with ${code} (see above)`);
  lines.push(`apply: ${OPERATIONS} random operations and some ${code === 0 ? "without" : "with"} a difference`);
}

/** What is expected is known to the program. */
async function randomInput(kubeconfig: string): Promise<void> {
  const code = await compare(RANDOM_INPUT, ["--seed", "5000", "--count", String(REQUESTS)], kubeconfig);
  if (code !== 0) problems.push(`input: ${RANDOM_INPUT} ended with ${code} (see above)`);
  lines.push(`input: ${REQUESTS} random bad requests ${code === 0 ? "without" : "with"} a difference that is not expected`);
}

/** None is expected. */
async function randomGarbage(kubeconfig: string): Promise<void> {
  const code = await compare(RANDOM_GARBAGE, ["--seed", "1", "--lives", String(LIVES)], kubeconfig);
  if (code !== 0) problems.push(`garbage: ${RANDOM_GARBAGE} ended with ${code} (see above)`);
  lines.push(`garbage: ${LIVES} random lives ${code === 0 ? "without" : "with"} a difference`);
}

async function failover(kubeconfig: string): Promise<void> {
  const code = await compare(FAILOVER, ["--rounds", values.failovers], kubeconfig);
  if (code !== 0) problems.push(`failover: ${FAILOVER} ended with ${code} (see above)`);
  lines.push(`failover: ${values.failovers} kills and as many stops of a leader ${code === 0 ? "without" : "with"} a problem`);
}

async function compare(program: string, args: readonly string[], kubeconfig: string): Promise<number> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return await run(process.execPath, ["--conditions=@treadle/source", program, ...args], { env });
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
