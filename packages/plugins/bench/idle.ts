/**
 * What idle plugins cost the host, which runs what is built (`npm run check -- build`): the memory of 20 besides the first one (goal: 5 MB), and timers in a
 * minute (goal: none more often than every 10 s), for programs and for sockets. It also reports the memory of the
 * programs themselves. Linux only.
 *
 * BENCH_RUNS sets the number of runs, and BENCH_IDLE_MS the length of the idle time.
 */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { copyFile, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pluginFiles } from "./src/files.ts";
import { median } from "./src/statistics.ts";

const COUNT = 20;
const RUNS = Number(process.env["BENCH_RUNS"] ?? 3);
const IDLE_MS = Number(process.env["BENCH_IDLE_MS"] ?? 61_000);
const GOAL_MB = 5;
const GOAL_MS = 10_000;

const root = new URL("../../..", import.meta.url).pathname;
execFileSync("turbo", ["run", "build", "--filter=@treadle/plugins", "--output-logs=errors-only"], {
  cwd: root,
  stdio: "inherit",
});

const FIRST = "first";
const NAMES = Array.from({ length: COUNT }, (_, i) => `plugin-${i}`);
const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

/** How the plugins of a host are added. */
interface Way {
  readonly title: string;
  add(host: Host, names: readonly string[]): Promise<void>;
}

interface Host extends AsyncDisposable {
  readonly folder: string;
  readonly pid: number;
  ask(message: string): Promise<unknown>;
}

await using files = await pluginFiles([]);
const programs: Way = {
  title: "programs",
  async add({ folder }, names) {
    for (const name of names) {
      // A copy in the folder would be found when it is not complete.
      await copyFile(join(files.folder, ".bundle"), join(files.folder, name));
      await rename(join(files.folder, name), join(folder, name));
    }
  },
};
const servers = fork(new URL("./programs/servers.ts", import.meta.url), [files.folder, FIRST, ...NAMES], {
  execArgv: ["--conditions=@treadle/source"],
});
await once(servers, "message");
const sockets: Way = {
  title: "sockets",
  async add(host, names) {
    for (const name of names) await host.ask(`socket ${join(files.folder, `${name}.sock`)}`);
  },
};

for (const way of [programs, sockets]) await memoryOf(way);
for (const way of [programs, sockets]) await timersOf(way);
servers.disconnect();

async function startHost(mode: "memory" | "timers"): Promise<Host> {
  const folder = await mkdtemp(join(tmpdir(), "treadle-bench-host-"));
  const host = fork(new URL("./programs/host.ts", import.meta.url), [mode, folder], { execArgv: ["--expose-gc"] });
  await once(host, "message");
  const ask = async (message: string): Promise<unknown> => {
    host.send(message);
    const [answer] = (await once(host, "message")) as [unknown];
    return answer;
  };
  return {
    folder,
    pid: host.pid ?? 0,
    ask,
    async [Symbol.asyncDispose]() {
      await ask("stop");
      host.disconnect();
      await once(host, "exit");
      await rm(folder, { recursive: true });
    },
  };
}

async function memoryOf(way: Way): Promise<void> {
  const runs: (readonly [none: Memory, one: Memory, all: Memory])[] = [];
  for (let run = 0; run < RUNS; run++) {
    await using host = await startHost("memory");
    const memory = async (): Promise<Memory> => (await host.ask("memory")) as Memory;
    const none = await memory();
    await way.add(host, [FIRST]);
    await host.ask("wait 1");
    const one = await memory();
    await way.add(host, NAMES);
    await host.ask(`wait ${COUNT + 1}`);
    runs.push([none, one, await memory()]);
    if (way === programs && run === 0) reportPrograms(host.pid);
  }
  const more = (to: 1 | 2, field: keyof Memory): string => mb(median(runs.map((run) => run[to][field] - (run[to - 1]?.[field] ?? 0))));
  const parts = (to: 1 | 2): string => `${more(to, "heapUsed")} heap, ${more(to, "external")} external, ${more(to, "rss")} resident`;
  console.log(`${way.title}: the first plugin costs the host ${parts(1)}`);
  console.log(`${way.title}: ${COUNT} more plugins cost the host ${parts(2)} (goal ${GOAL_MB} MB)`);
}

/** The memory of the processes under a host: a launcher for each plugin, and the plugin. */
function reportPrograms(host: number): void {
  const launchers = childrenOf(host);
  for (const [name, pids] of [
    ["launcher", launchers],
    ["plugin", launchers.flatMap(childrenOf)],
  ] as const) {
    const field = (pid: number, of: string): number =>
      Number(new RegExp(`^${of}: +(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) * 1024;
    const each = (of: string): string => mb(median(pids.map((pid) => field(pid, of))));
    console.log(`${name}: ${pids.length} processes, each ${each("Rss")} resident, of it ${each("Pss")} with shared pages as their part`);
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

interface Idle {
  readonly fired: readonly (readonly [by: string, count: number])[];
  readonly cpuMs: number;
  readonly resources: readonly (readonly [type: string, count: number])[];
}

async function timersOf(way: Way): Promise<void> {
  await using host = await startHost("timers");
  await way.add(host, NAMES);
  await host.ask(`wait ${COUNT}`);
  const { fired, cpuMs, resources } = (await host.ask(`idle ${IDLE_MS}`)) as Idle;
  console.log(`${way.title}: ${COUNT} idle plugins in ${IDLE_MS / 1_000} s: ${cpuMs.toFixed(0)} ms of processor`);
  for (const [by, count] of fired)
    console.log(`  timer of ${by}: ${count} times${count > Math.ceil(IDLE_MS / GOAL_MS) ? ", MORE OFTEN THAN EVERY 10 S" : ""}`);
  console.log(`  what keeps the host alive: ${resources.map(([type, count]) => `${count} ${type}`).join(", ")}`);
}
