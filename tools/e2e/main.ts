/**
 * `npm run test:e2e`: the same tests on a real control plane. Builds one where there is none yet, starts it, and runs
 *  - `tests`: every test file that starts a test cluster, with TREADLE_TEST_KUBECONFIG; files one after the other. For files that start
 *    two clusters it starts a second control plane. With `--kubeconfig`, TREADLE_TEST_KUBECONFIG_2 names the kubeconfig of the second one;
 *  - `conformance`: the comparison of the in-memory server with the real one;
 *  - `versions`: the same for expired versions, on a server that compacts its history every ten seconds. With `--kubeconfig` it
 *    runs only if `--only` names it;
 *  - `apply`: the same by random sequences of server-side applies, in a short form with a fixed seed;
 *  - `input`: the same by random bad requests;
 *  - `garbage`: the same by random lives of owners and dependents;
 *  - `workloads`: what the real controllers make of the scenarios of `packages/apiserver/test/workloads`, against what was recorded;
 *  - `kubectl`: its sessions on both servers, against what was recorded;
 *  - `peers`: client-go's informers and the tests of controller-runtime's client before both (`npm run peers` has more);
 *  - `plugins`: the wire suite with plugins in Go (hashicorp/go-plugin) and Python (grpcio);
 *  - `failover`: processes of one operator of which the leader is killed and stopped, `--failovers` times each;
 *  - `faults`: an operator's process behind every fault, before both servers, and an auditor (`tools/faults`; its long form is there).
 * A difference that `expected-differences.json` does not list fails, and so does one that it lists in vain.
 * Nothing is skipped: without a control plane it ends with 1. On an older Kubernetes only those run that are not held to
 * what the current one does, unless `--only` names others.
 *
 * `--one-of N` runs a random one of N test files, by a seed that is printed and that TREADLE_TEST_SEED overrides.
 *
 *     npm run test:e2e -- [--only PART]... [--filter TEXT] [--one-of N] [--failovers N] [--kubernetes VERSION | --kubeconfig FILE]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { basicControllers, type ControlPlane, startControlPlane } from "../controlplane/src/control-plane.ts";
import { obtainAssets } from "../controlplane/src/assets.ts";
import { kubernetesVersion } from "../controlplane/src/programs.ts";
import { mark, prepare, versionOf } from "./cluster.ts";
import { COMPACTION_SECONDS, type Part, parts } from "./parts.ts";

interface Plane {
  readonly parts: readonly Part[];
  readonly controllers: readonly string[];
  /** Whether pods run. */
  readonly runsPods?: true;
  readonly compactionSeconds?: number;
}

/**
 * Groups of lanes, one group after the other. In a group all lanes run at once, since most of the time each waits for the
 * server or a controller; the planes of a lane run one after the other. Who measures how long a thing takes is alone.
 *
 * Parts share a control plane where the controllers in it do not write into what the part compares: `tests` empties its
 * own again and again.
 */
const GROUPS: readonly (readonly (readonly Plane[])[])[] = [
  [
    [{ parts: ["tests"], controllers: ["*"], runsPods: true }],
    [
      { parts: ["garbage", "workloads"], controllers: ["*"], runsPods: true },
      { parts: ["kubectl", "peers", "plugins"], controllers: basicControllers },
    ],
    [
      { parts: ["conformance", "apply", "input"], controllers: ["namespace-controller"] },
      { parts: ["versions"], controllers: [], compactionSeconds: COMPACTION_SECONDS },
    ],
  ],
  [[{ parts: ["failover"], controllers: basicControllers }]],
  [[{ parts: ["faults"], controllers: [] }]],
];
const PARTS = GROUPS.flat(2).flatMap((plane) => plane.parts);
/** The others compare with what the current Kubernetes does. */
const OF_ANY_VERSION: readonly Part[] = ["tests", "failover", "faults"];
/** They need flags that the server of a kubeconfig rarely has. */
const OF_OWN_PLANE: readonly Part[] = ["versions"];

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    filter: { type: "string", default: "" },
    failovers: { type: "string", default: "10" },
    "one-of": { type: "string", default: "1" },
    kubernetes: { type: "string" },
    kubeconfig: { type: "string" },
  },
});
const unknown = (values.only ?? []).filter((name) => !PARTS.includes(name as Part));
if (unknown.length > 0) throw new Error(`--only ${unknown.join(", ")}: there are ${PARTS.join(", ")}`);
if (values.kubernetes !== undefined && values.kubeconfig !== undefined)
  throw new Error("--kubernetes and --kubeconfig: the cluster of a kubeconfig has a version of its own, give one of them");
const share = {
  oneOf: Number(values["one-of"]),
  seed: Number(process.env["TREADLE_TEST_SEED"] || Math.floor(Math.random() * 2 ** 31)),
};
if (!Number.isInteger(share.oneOf) || share.oneOf < 1) throw new Error(`--one-of ${values["one-of"]}: give a whole number from 1`);
const isCurrent = kubernetesVersion(values.kubernetes) === kubernetesVersion();
const wanted = PARTS.filter((part) => {
  if (values.only !== undefined) return values.only.includes(part);
  return (isCurrent || OF_ANY_VERSION.includes(part)) && !(values.kubeconfig !== undefined && OF_OWN_PLANE.includes(part));
});
const scratch = mkdtempSync(join(tmpdir(), "treadle-e2e-"));
const problems: string[] = [];
const lines: string[] = [];
/** Planes start one after the other: each looks for ports that are free, and takes them a moment later. */
let starts: Promise<void> = Promise.resolve();

try {
  if (values.kubeconfig === undefined) await onOwnControlPlanes();
  else await all({ kubeconfig: values.kubeconfig }, wanted, false);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (share.oneOf > 1) lines.push(`tests: one of ${share.oneOf} files by TREADLE_TEST_SEED=${share.seed}`);
for (const line of lines) console.log(line);
for (const problem of problems) console.error(`problem: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

async function onOwnControlPlanes(): Promise<void> {
  const options = { log, ...(values.kubernetes === undefined ? {} : { kubernetes: values.kubernetes }) };
  await obtainAssets(options);
  for (const group of GROUPS) {
    const lanes = group.map((lane) => lane.map((plane) => only(plane)).filter((plane) => plane.parts.length > 0));
    const busy = lanes.filter((lane) => lane.length > 0);
    await Promise.all(
      busy.map(async (lane) => {
        for (const plane of lane) await on(plane, options, busy.length > 1);
      }),
    );
  }
}

function only(plane: Plane): Plane {
  return { ...plane, parts: plane.parts.filter((part) => wanted.includes(part)) };
}

async function on(
  { parts: these, controllers, runsPods, compactionSeconds }: Plane,
  options: Assets,
  isBesideOthers: boolean,
): Promise<void> {
  const started = performance.now();
  try {
    await using plane = await startNext({
      ...options,
      controllers,
      ...(compactionSeconds === undefined ? {} : { compactionSeconds }),
    });
    await using others = new AsyncDisposableStack();
    await using _pods = runsPods === true ? await prepare(plane) : undefined;
    lines.push(`control plane for ${these.join(", ")}: ready after ${seconds(started)}`);
    let kubeconfig: Promise<string> | undefined;
    const second = (): Promise<string> => (kubeconfig ??= secondOf(options, others));
    await all({ kubeconfig: plane.kubeconfigPath, plane, second }, these, isBesideOthers);
  } catch (error) {
    // The other lanes go on.
    problems.push(`${these.join(", ")}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Starts a control plane when the ones before are ready. */
async function startNext(options: Parameters<typeof startControlPlane>[0]): Promise<ControlPlane> {
  const start = starts.then(() => startControlPlane(options));
  starts = start.then(ignore, ignore);
  return await start;
}

/** Starts the second control plane of a part, which runs no pods; ends with `others`. */
async function secondOf(options: Assets, others: AsyncDisposableStack): Promise<string> {
  const started = performance.now();
  const plane = others.use(await startNext({ ...options, controllers: basicControllers }));
  await mark(plane);
  lines.push(`second control plane: ready after ${seconds(started)}`);
  return plane.kubeconfigPath;
}

type Assets = Pick<NonNullable<Parameters<typeof startControlPlane>[0]>, "log" | "kubernetes">;

interface Where {
  readonly kubeconfig: string;
  readonly plane?: ControlPlane;
  readonly second?: () => Promise<string>;
}

async function all(where: Where, these: readonly Part[], isBesideOthers: boolean): Promise<void> {
  const { filter, failovers } = values;
  const task = {
    ...where,
    version: await versionOf(where.kubeconfig),
    scratch,
    filter,
    failovers,
    share,
    tell: (line: string) => void lines.push(line),
    complain: (problem: string) => void problems.push(problem),
  };
  for (const part of these) {
    console.log(`\n--- ${part}`);
    const started = performance.now();
    await parts[part]({ ...task, ...(isBesideOthers ? { label: part } : {}) });
    console.log(`--- ${part}: ${seconds(started)}`);
  }
}

function ignore(): void {}

function log(line: string): void {
  console.log(`controlplane: ${line}`);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
