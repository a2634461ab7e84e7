/**
 * Start and memory of one operator: from the installed packages, and as `treadle-build` makes it. From the start of the process to the first
 * status, over TLS against the in-memory server, with an in-cluster configuration. In turns; `RUNS` in the environment changes the number.
 * Processor time is that of the whole process, and depends less on what else the machine does. Linux.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { buildOperator } from "../src/index.ts";
import { Widget } from "./programs/kind.ts";

const RUNS = Number(process.env["RUNS"] ?? 9);
/** After the manager has collected what the start left behind. */
const REST_MS = 6_000;

interface Took {
  readonly ms: number;
  readonly cpuMs: number;
  readonly restMb: number;
  readonly peakMb: number;
}

const dir = mkdtempSync(join(tmpdir(), "treadle-bench-"));
const source = join(import.meta.dirname, "programs", "operator.ts");
const { program } = await buildOperator({ entry: source, out: join(dir, "built") });
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  "the sources of the packages": ["--conditions=@treadle/source", source],
  built: [program],
  "built, with a size of the heap": ["--max-old-space-size=400", program],
  "built, without kept code": ["--no-flush-bytecode", program],
};
const found = new Map(Object.keys(VARIANTS).map((name) => [name, [] as Took[]]));
for (let run = 0; run <= RUNS; run++)
  for (const [name, args] of run % 2 === 0 ? Object.entries(VARIANTS) : Object.entries(VARIANTS).toReversed()) {
    const took = await measure(args);
    // The first run reads the files from the disk.
    if (run > 0) found.get(name)?.push(took);
  }
rmSync(dir, { recursive: true });

console.log(
  `medians of ${RUNS} runs (in parentheses the least): start to the first status, processor time, resident at rest and at its highest`,
);
for (const [name, all] of found) {
  const [ms, cpuMs, restMb, peakMb] = (["ms", "cpuMs", "restMb", "peakMb"] as const).map((part) => shown(all.map((took) => took[part])));
  console.log(`${name}: ${ms} ms, ${cpuMs} ms of processor, ${restMb} MB, ${peakMb} MB`);
}
process.exit();

/** Starts the operator once, with a new API server. */
async function measure(args: readonly string[]): Promise<Took> {
  const server = createApiServer({ resources: [Widget] });
  const front = await serveHttps(server, { auth: { token: "bench-token" } });
  const user = createClient({ transport: server.transport(), fieldManager: "user" });
  await user.create(Widget, { metadata: { name: "a", namespace: "default" }, spec: { size: 1, text: "x" } });
  writeFileSync(join(dir, "token"), "bench-token");
  writeFileSync(join(dir, "ca.crt"), front.caPem);
  const { hostname, port } = new URL(front.url);
  const env = { HOME: dir, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT: dir };
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  try {
    while ((await user.get(Widget, { name: "a", namespace: "default" }))?.status?.conditions === undefined) {
      if (child.exitCode !== null) throw new Error("the operator has ended: see its error above");
      await sleep(2);
    }
    const ms = performance.now() - startedMs;
    const cpuMs = cpuMsOf(child);
    await sleep(REST_MS);
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    const megabytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
    return { ms, cpuMs, restMb: megabytes("VmRSS"), peakMb: megabytes("VmHWM") };
  } finally {
    child.kill("SIGKILL");
    await ended;
    await front.close();
    await server.close();
  }
}

/** Of all threads, in nanoseconds in the file. */
function cpuMsOf({ pid }: ChildProcess): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]), 0) / 1e6;
}

function shown(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return `${sorted[Math.floor(sorted.length / 2)]?.toFixed(0)} (${sorted[0]?.toFixed(0)})`;
}
