/**
 * The program `treadle-apiserver` beside etcd and kube-apiserver as envtest starts them: time until it is ready, and memory of the processes,
 * empty and with 10,000 objects of 1 KB. The real ones are measured when `KUBEBUILDER_ASSETS` names their folder (printed by
 * `npm run controlplane -- build`). Memory is read from /proc, so this works on Linux.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "./load.ts";
import { cpuOf, processesOf, targetOf } from "./real.ts";
import { median, type Row } from "./report.ts";
import { configMaps, createOf } from "./workload.ts";

const root = new URL("../../../../", import.meta.url).pathname;
const OBJECTS = 10_000;
const GOALS = { readyMs: 1000, megabytes: 150 } as const;

interface Measured {
  readonly readyMs: number;
  /** Processor time until then. */
  readonly cpuMs: number;
  /** Resident memory of all processes. */
  readonly emptyMb: number;
  readonly filledMb: number;
}

export async function program(runs: number): Promise<readonly Row[]> {
  execFileSync("turbo", ["run", "build", "--filter=@treadle/apiserver", "--output-logs=errors-only"], {
    cwd: root,
    stdio: "inherit",
  });
  const hasReal = process.env["KUBEBUILDER_ASSETS"] !== undefined;
  const [ours, reals]: [Measured[], Measured[]] = [[], []];
  for (let run = 0; run < runs; run++) {
    ours.push(await inFolder((kubeconfig) => measure(kubeconfig, startOurs)));
    if (hasReal) reals.push(await inFolder((kubeconfig) => measure(kubeconfig, startReal)));
  }
  const of = (all: readonly Measured[], what: keyof Measured): number => median(all.map((each) => each[what]));
  const beside = (what: keyof Measured, unit: string): string => {
    const own = of(ours, what);
    return `${own.toFixed(0)} ${unit}${hasReal ? `, 1 to ${(of(reals, what) / own).toFixed(1)} (${of(reals, what).toFixed(0)} ${unit})` : ""}`;
  };
  const raw = { memory: ours, real: reals };
  const name = "treadle-apiserver beside etcd + kube-apiserver";
  return [
    {
      what: `${name}: ready`,
      goal: `${GOALS.readyMs} ms`,
      measured: beside("readyMs", "ms"),
      isMet: of(ours, "readyMs") < GOALS.readyMs,
      raw,
    },
    { what: `${name}: memory, empty`, goal: "", measured: beside("emptyMb", "MB"), raw: [] },
    {
      what: `${name}: memory, ${OBJECTS} objects of 1 KB`,
      goal: `${GOALS.megabytes} MB`,
      measured: beside("filledMb", "MB"),
      isMet: of(ours, "filledMb") <= GOALS.megabytes,
      raw: [],
    },
  ];
}

async function inFolder<T>(use: (kubeconfig: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "treadle-bench-"));
  try {
    return await use(join(dir, "kubeconfig"));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly readyMs: number;
  readonly pids: () => readonly string[];
}

async function measure(kubeconfig: string, start: (kubeconfig: string) => Promise<Started>): Promise<Measured> {
  const { child, readyMs, pids } = await start(kubeconfig);
  try {
    const cpuMs = pids().reduce((sum, pid) => sum + cpuOf(pid), 0) / 1000;
    const emptyMb = residentMb(pids());
    await load(targetOf(kubeconfig), { count: OBJECTS, connections: 8, requestOf: (i) => createOf(configMaps, i) });
    return { readyMs, cpuMs, emptyMb, filledMb: residentMb(pids()) };
  } finally {
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    await exit;
  }
}

async function startOurs(kubeconfig: string): Promise<Started> {
  const startedAt = performance.now();
  const file = join(root, "packages/apiserver/dist/apiserver-bin.js");
  const child = spawn(process.execPath, [file, "--kubeconfig", kubeconfig], { stdio: ["ignore", "pipe", "inherit"] });
  await said(child, /ready at/);
  return { child, readyMs: performance.now() - startedAt, pids: () => [String(child.pid)] };
}

/** The time is that of envtest's start, without the Node process around it. */
async function startReal(kubeconfig: string): Promise<Started> {
  const args = [
    "--conditions=@treadle/source",
    join(root, "tools/controlplane/main.ts"),
    "up",
    "--controllers",
    "none",
    "--kubeconfig",
    kubeconfig,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [[, ms]] = await Promise.all([said(child, /kube-apiserver is ready at \S+ after (\d+) ms/), said(child, /ready: /)]);
  const { port } = new URL(targetOf(kubeconfig).url);
  return { child, readyMs: Number(ms), pids: () => processesOf(port) };
}

/** Resolves when the program has printed this. @throws Error when it ends before */
function said(child: ChildProcess, text: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        const found = text.exec(output);
        if (found !== null) resolve(found);
      });
    child.once("exit", (code) => reject(new Error(`the program ended with ${code}: ${output}`)));
  });
}

function residentMb(pids: readonly string[]): number {
  const kilobytes = (pid: string): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return pids.reduce((sum, pid) => sum + kilobytes(pid), 0) / 1024;
}
