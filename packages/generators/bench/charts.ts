/**
 * How long 200 owners of one chart take until all are ready, compared with `helm template` and the applies (two programs at once, as in the
 * operator; goal: 1.3), and beside `helm install`. Then what a restart of the operator costs, in which each owner renders once.
 *
 * Needs Helm in PATH or in TREADLE_HELM (`npm run programs -- --env`). BENCH_OWNERS and BENCH_RESTART set the numbers of owners.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { apps, bare, chart, helmProgram, requireReady, withApps } from "./src/app.ts";
import { each, median, type Run, timed } from "./src/timing.ts";

const OWNERS = Number(process.env["BENCH_OWNERS"] ?? 200);
const RESTARTED = Number(process.env["BENCH_RESTART"] ?? 1_000);
const INSTALLED = 10;
const ROUNDS = 3;
const CONTROLLER = { controller: { concurrency: 5 } };
const SETTLED = { timeoutMs: 1_200_000 };

interface Counted extends Run {
  readonly requests: number;
}

async function operated(): Promise<Counted> {
  await using cluster = await withApps(OWNERS);
  const run = await timed(async () => {
    await cluster.start(apps(), CONTROLLER);
    await cluster.settled(SETTLED);
  });
  await requireReady(cluster);
  return { ...run, requests: Object.values(cluster.requests.summary()).reduce((sum, count) => sum + count, 0) };
}

async function byHand(): Promise<Run> {
  await using cluster = await withApps(OWNERS);
  return await timed(() => bare(cluster, OWNERS));
}

/** `helm install` for some owners, one after the other. */
async function installed(): Promise<Counted> {
  await using cluster = await withApps(0);
  const home = await mkdtemp(join(tmpdir(), "treadle-bench-"));
  let requests = 0;
  try {
    await writeFile(join(home, "kubeconfig"), cluster.kubeconfig, { mode: 0o600 });
    const env = { PATH: process.env["PATH"], HOME: home, KUBECONFIG: join(home, "kubeconfig") };
    const stop = cluster.server.onRequest(() => void requests++);
    const run = await timed(() =>
      each(
        INSTALLED,
        1,
        async (i) => void (await promisify(execFile)(helmProgram, ["install", `app-${i}`, chart, "--namespace", "default"], { env })),
      ),
    );
    stop();
    return { ...run, requests };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The first passes of a new process: nothing has changed. */
async function restarted(): Promise<Counted> {
  await using cluster = await withApps(RESTARTED);
  const first = await cluster.start(apps(), CONTROLLER);
  await cluster.settled(SETTLED);
  await requireReady(cluster);
  await first.stop();
  cluster.requests.clear();
  const run = await timed(async () => {
    await cluster.start(apps(), CONTROLLER);
    await cluster.settled(SETTLED);
  });
  return { ...run, requests: Object.values(cluster.requests.summary()).reduce((sum, count) => sum + count, 0) };
}

const perOwner = (run: Run, count: number): string =>
  `${(run.ms / count).toFixed(0)} ms, processor time ${(run.cpuMs / count).toFixed(1)} ms and ${(run.programsMs / count).toFixed(0)} ms of programs`;

/** Other work on the machine does not change it as it changes the time. */
const work = (run: Run): number => run.cpuMs + run.programsMs;

const ratios: number[] = [];
const works: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const without = await byHand();
  const set = await operated();
  ratios.push(set.ms / without.ms);
  works.push(work(set) / work(without));
  console.log(
    `${OWNERS} owners: ${set.ms.toFixed(0)} ms with sets, ${without.ms.toFixed(0)} ms by helm template and applies; for an owner ${perOwner(set, OWNERS)}, ${(set.requests / OWNERS).toFixed(1)} requests`,
  );
}
console.log(
  `installed in ${median(ratios).toFixed(2)} times the time of helm template and the applies (goal 1.3), processor time ${median(works).toFixed(2)} times`,
);
const install = await installed();
console.log(
  `helm install, one after the other: for a release ${perOwner(install, INSTALLED)}, ${(install.requests / INSTALLED).toFixed(1)} requests`,
);
const restart = await restarted();
console.log(
  `a restart with ${RESTARTED} owners: ${(restart.ms / 1_000).toFixed(1)} s, processor time ${(restart.cpuMs / 1_000).toFixed(1)} s and ${(restart.programsMs / 1_000).toFixed(1)} s of programs, ${restart.requests} requests`,
);
