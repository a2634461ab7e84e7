/** The parts of `npm run test:e2e`, each on a control plane that is there. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ControlPlane } from "../controlplane/src/control-plane.ts";
import { memoryServer, realServer } from "../faults/server.ts";
import { runSuite } from "../faults/suite.ts";
import { binaryPath, kubernetesVersion } from "../controlplane/src/programs.ts";
import { obtainPrograms } from "../programs/src/obtain.ts";
import { run } from "../src/run.ts";
import { testPart } from "../src/test-part.ts";
import { root, workspaces } from "../src/workspaces.ts";
import { clusterTests, needsSecondCluster } from "./cluster-tests.ts";
import { differenceProblems } from "./expected-differences.ts";
import { type E2eReport, e2eTotals } from "./report.ts";

const CONFORMANCE = "packages/apiserver/test/conformance/run.ts";
const RANDOM_APPLY = "packages/apiserver/test/conformance/random-apply.ts";
/** Time between two compactions of the server of `versions`. */
export const COMPACTION_SECONDS = 10;
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

export interface Task {
  readonly kubeconfig: string;
  /** Of the server, as it says itself, e.g. `v1.36.3`. */
  readonly version: string;
  /** What serves it, where that is ours. */
  readonly plane?: ControlPlane;
  /** Starts another control plane at the first call, for tests of two clusters; resolves to its kubeconfig. Absent where none is ours. */
  readonly second?: () => Promise<string>;
  /** A folder for files that nobody needs afterwards. */
  readonly scratch: string;
  /** Of the test files only those whose paths contain it. */
  readonly filter: string;
  /** Which of the test files run: one of so many, chosen by `seed`. */
  readonly share: { readonly oneOf: number; readonly seed: number };
  /** How often a leader is killed, and how often it is stopped. */
  readonly failovers: string;
  /** What stands before each line that its programs print. @defaultValue nothing */
  readonly label?: string;
  /** One sentence for the end of the run. */
  readonly tell: (sentence: string) => void;
  /** One sentence for what is wrong. */
  readonly complain: (sentence: string) => void;
}

export const parts = {
  garbage: randomGarbage,
  tests,
  workloads,
  conformance,
  versions,
  apply: randomApply,
  input: randomInput,
  kubectl: sessions,
  failover,
  faults,
  peers,
  plugins,
} satisfies Readonly<Record<string, (task: Task) => Promise<void>>>;

export type Part = keyof typeof parts;

async function tests({ kubeconfig, version, plane, second, filter, share, tell, complain, ...options }: Task): Promise<void> {
  const reports = new Map<string, E2eReport | undefined>();
  const { variables: programs } = await obtainPrograms({ log: console.log });
  const chosen = testPart({ isWhole: share.oneOf === 1, seed: share.seed });
  for (const { dir, manifest } of workspaces()) {
    const files = clusterTests(join(root, dir))
      .map((file) => ({ file, path: `${dir}/${file}` }))
      .filter(({ path }) => path !== SESSIONS && path.includes(filter) && chosen.has(path, share.oneOf))
      .map(({ file }) => file);
    if (files.length === 0) continue;
    const report = join(root, dir, ".results", "e2e.json");
    rmSync(report, { force: true });
    const config = join(root, "vitest.config.ts");
    // The kubectl of the same version; without a plane of ours that of PATH.
    const kubectl = plane === undefined ? {} : { TREADLE_TEST_KUBECTL: binaryPath(plane.assetsDir, "kubectl") };
    const isOfTwo = second !== undefined && files.some((file) => needsSecondCluster(join(root, dir, file)));
    const other = isOfTwo ? { TREADLE_TEST_KUBECONFIG_2: await second() } : {};
    const server = { TREADLE_TEST_KUBECONFIG: kubeconfig, TREADLE_TEST_KUBERNETES: version, ...other, ...kubectl };
    const env = { ...process.env, ...server, ...programs, TREADLE_TEST_PROGRAMS: "too" };
    // The controllers of a real server act by the clock of a busy machine: only what fails again counts.
    const code = await run("vitest", ["run", "--retry=1", "--config", config, ...files], {
      ...options,
      cwd: join(root, dir),
      env,
    });
    const read = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as E2eReport) : undefined; // what vitest wrote
    reports.set(manifest.name, read);
    const isShown = read?.testResults.some(({ status }) => status === "failed") === true;
    if (code !== 0 && !isShown) complain(`${manifest.name}: vitest ended with ${code} outside of its tests (see above)`);
  }
  const totals = e2eTotals(reports, isOlder(version));
  for (const problem of totals.problems) complain(problem);
  const { passed, failed, memoryOnly, newerOnly } = totals;
  const left = newerOnly === 0 ? "" : ` and ${newerOnly} for a newer server`;
  tell(`${passed} tests passed and ${failed} failed on the real server, ${version}; ${memoryOnly} are for memory only${left}`);
}

/** Than the one that is current here. */
function isOlder(version: string): boolean {
  const minor = (text: string): number => Number(text.split(".")[1]);
  return minor(version) < minor(kubernetesVersion());
}

/** On the real server, and in memory, where a first `npm test` has no kubectl yet. */
async function sessions({ kubeconfig, complain, ...options }: Task): Promise<void> {
  // Without the reports that are configured: the workspace's other tests may be writing theirs.
  const args = ["run", "--config", join(root, "vitest.config.ts"), "--reporter=default", SESSIONS.replace("packages/apiserver/", "")];
  for (const [where, env] of [
    ["the real server", { ...process.env, TREADLE_TEST_KUBECONFIG: kubeconfig }],
    ["the server in memory", process.env],
  ] as const) {
    const code = await run("vitest", args, { ...options, cwd: join(root, "packages/apiserver"), env });
    if (code !== 0) complain(`kubectl prints something else on ${where} (see above)`);
  }
}

/** They start servers of their own: without controllers. */
async function peers({ complain, ...options }: Task): Promise<void> {
  const args = ["--conditions=@treadle/source", "tools/peers/main.ts", "informer", "controller-runtime", "--package", "client"];
  const code = await run(process.execPath, args, options);
  if (code !== 0) complain(`peers: tools/peers/main.ts ended with ${code} (see above)`);
}

/** The wire of plugins in Go and Python. They need no server; the operators that use them are in `tests`. */
async function plugins({ complain, ...options }: Task): Promise<void> {
  const code = await run(process.execPath, ["tools/programs/test.ts", "packages/plugins", "examples/capabilities"], options);
  if (code !== 0) complain(`plugins: the suite of plugins in Go and Python ended with ${code} (see above)`);
}

async function conformance(task: Task): Promise<void> {
  const found = join(task.scratch, "conformance.json");
  const code = await compare(CONFORMANCE, ["--json", found], task);
  if (!existsSync(found)) {
    task.complain(`conformance: ${CONFORMANCE} ended with ${code} and left no list of differences`);
    return;
  }
  const wrong = differenceProblems("conformance", JSON.parse(readFileSync(found, "utf8")));
  for (const problem of wrong) task.complain(problem);
  task.tell(`conformance: ${wrong.length === 0 ? "no difference that is not expected" : `${wrong.length} problems`}`);
}

/** None is expected. Most of its two minutes it waits. */
async function versions(task: Task): Promise<void> {
  const code = await compare(CONFORMANCE, ["--compaction-seconds", String(COMPACTION_SECONDS)], task);
  if (code !== 0) task.complain(`versions: ${CONFORMANCE} ended with ${code} (see above)`);
  task.tell(`versions: expired versions are answered ${code === 0 ? "without" : "with"} a difference`);
}

/** With TREADLE_RECORD=1 they are recorded anew. */
async function workloads(task: Task): Promise<void> {
  const isRecording = process.env["TREADLE_RECORD"] === "1";
  const code = await compare(WORKLOADS, isRecording ? [] : ["--check"], task);
  if (code !== 0) task.complain(`workloads: ${WORKLOADS} ended with ${code} (see above)`);
  task.tell(`workloads: the real controllers ${code === 0 ? "leave what was recorded" : "leave something else than was recorded"}`);
}

/** None is expected. */
async function randomApply(task: Task): Promise<void> {
  const code = await compare(RANDOM_APPLY, ["--seed", "1", "--count", String(OPERATIONS)], task);
  if (code !== 0) task.complain(`apply: ${RANDOM_APPLY} ended with ${code} (see above)`);
  task.tell(`apply: ${OPERATIONS} random operations and some ${code === 0 ? "without" : "with"} a difference`);
}

/** What is expected is known to the program. */
async function randomInput(task: Task): Promise<void> {
  const code = await compare(RANDOM_INPUT, ["--seed", "5000", "--count", String(REQUESTS)], task);
  if (code !== 0) task.complain(`input: ${RANDOM_INPUT} ended with ${code} (see above)`);
  task.tell(`input: ${REQUESTS} random bad requests ${code === 0 ? "without" : "with"} a difference that is not expected`);
}

/** None is expected. */
async function randomGarbage(task: Task): Promise<void> {
  const code = await compare(RANDOM_GARBAGE, ["--seed", "1", "--lives", String(LIVES)], task);
  if (code !== 0) task.complain(`garbage: ${RANDOM_GARBAGE} ended with ${code} (see above)`);
  task.tell(`garbage: ${LIVES} random lives ${code === 0 ? "without" : "with"} a difference`);
}

async function failover(task: Task): Promise<void> {
  const code = await compare(FAILOVER, ["--rounds", task.failovers], task);
  if (code !== 0) task.complain(`failover: ${FAILOVER} ended with ${code} (see above)`);
  task.tell(`failover: ${task.failovers} kills and as many stops of a leader ${code === 0 ? "without" : "with"} a problem`);
}

/** Both servers at once. That of a kubeconfig is not ours to restart. */
async function faults({ kubeconfig, plane, tell, complain }: Task): Promise<void> {
  await using inMemory = await memoryServer();
  await using real = await realServer(kubeconfig, plane);
  const reports = await Promise.all([inMemory, real].map(async (server) => await runSuite(server, { log: console.log })));
  const problems = reports.flatMap((report) => report.problems);
  for (const problem of problems) complain(`faults: ${problem}`);
  const passed = reports.reduce((sum, report) => sum + report.passed, 0);
  if (passed === 0) complain("faults: no scenario passed");
  tell(`faults: ${passed} scenarios before both servers without a problem, ${problems.length} problems`);
}

async function compare(program: string, args: readonly string[], { kubeconfig, label }: Task): Promise<number> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  return await run(process.execPath, ["--conditions=@treadle/source", program, ...args], {
    env,
    ...(label === undefined ? {} : { label }),
  });
}
