/**
 * `npm run soak -- --hours N`: an operator's process behind random faults while objects change all the time. The auditor
 * compares at each rest; memory, sockets and timers of the operator are watched. Prints a line for each interval and a
 * verdict, and ends with 1 when something was missed, or grows. SIGINT ends it with the verdict so far.
 *
 *     npm run soak -- [--hours N] [--kubeconfig FILE] [--seed N] [--interval SECONDS] [--scripts N]
 *
 * Before that it runs the scripts of managed resources (packages/managed/test/never-twice), 10,000 unless `--scripts` says another
 * number. Without `--hours` it runs them alone.
 *
 * Before the in-memory server, in a process of its own; with `--kubeconfig` before that cluster, which gets a CRD.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { seededRandom } from "@treadle/apimachinery";
import type { FaultProxy, WatchEnd } from "@treadle/testing";
import type { Stats } from "./messages.ts";
import { runScripts } from "./managed-scripts.ts";
import { memoryServer, realServer } from "./server.ts";
import { Session } from "./session.ts";
import { type Sample, showTrend, trendProblems } from "./trend.ts";

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "0" },
    scripts: { type: "string", default: "10000" },
    kubeconfig: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 100_000) },
    interval: { type: "string", default: "60" },
  },
});
const given = [values.hours, values.seed, values.interval, values.scripts].map(Number);
const [hours, seed, intervalSeconds, scripts] = given as [number, number, number, number];
if (!(hours >= 0 && intervalSeconds > 0 && Number.isInteger(seed) && Number.isInteger(scripts) && scripts >= 0))
  throw new Error("--hours N, above 0; --interval in seconds; --seed and --scripts whole numbers");

/** A silent watch is noticed after 90 s, and failures that follow each other double a pause up to a minute. */
const RIGHT_AGAIN_MS = 160_000;
/** How long there is no fault before the auditor compares. */
const CALM_MS = 2_000;
const ENDS: readonly WatchEnd[] = ["reset", "end", "truncate", "gone", "silence"];

const stop = new AbortController();
process.on("SIGINT", () => stop.abort());
process.on("SIGTERM", () => stop.abort());
const random = seededRandom(seed);
let startedAt = performance.now();
const samples: Sample[] = [];
const problems: string[] = [];
let [changes, passes, faults, slowestMs] = [0, 0, 0, 0];

if (scripts > 0 && !(await runScripts({ scripts, seed }))) process.exitCode = 1;
if (hours > 0) await soak();

async function soak(): Promise<void> {
  startedAt = performance.now();
  await using server = values.kubeconfig === undefined ? await memoryServer() : await realServer(values.kubeconfig);
  console.log(`soak: ${hours} h before ${server.name === "memory" ? "the in-memory server" : server.target.server}, seed ${seed}`);
  {
    await using session = await Session.start({ server, namespace: `soak-${process.pid}`, random: seededRandom(seed + 1) });
    while (!stop.signal.aborted && problems.length === 0 && minutes() < hours * 60) await interval(session);
    problems.push(...trendProblems(samples));
    if (problems.length === 0) await session.operator.stop().catch((error: unknown) => problems.push(String(error)));
  }
  console.log(
    `soak: ${minutes().toFixed(1)} min${stop.signal.aborted ? " (ended early)" : ""}, ${changes} changes, ${passes} passes, ${faults} faults, right again within ${(slowestMs / 1000).toFixed(1)} s; ${problems.length} problems`,
  );
  if (problems.length === 0 && !showTrend(samples)) console.log("soak: too short to say whether something grows");
  for (const problem of problems) console.error(`problem: ${problem}`);
  if (problems.length > 0 || changes === 0) process.exitCode = 1;
}

/** Changes and faults for a while, then a rest at which the auditor compares. */
async function interval(session: Session): Promise<void> {
  const { proxy, writer, operator } = session;
  try {
    writer.start();
    const until = Math.min(performance.now() + intervalSeconds * 1000, startedAt + hours * 3_600_000);
    while (performance.now() < until && !stop.signal.aborted) {
      await pause(500 + random.next() * 4_000);
      faults++;
      await strike(proxy);
    }
    session.faultOver();
    await delay(CALM_MS);
    await writer.pause();
    const verdict = await session.verdict(RIGHT_AGAIN_MS);
    const stats = await session.stats();
    problems.push(...verdict.problems.slice(0, 20));
    [changes, passes] = [verdict.changes, verdict.passes];
    slowestMs = Math.max(slowestMs, verdict.recoveryMs);
    samples.push({ ...stats, minutes: minutes() });
    print(stats, verdict.recoveryMs);
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  if (problems.length > 0) problems.push(...operator.lines.slice(-5).map((line) => `operator: ${line.slice(0, 600)}`));
}

/** One fault by chance. */
async function strike({ faults: set, goAway }: FaultProxy): Promise<void> {
  const how = ENDS[Math.floor(random.next() * ENDS.length)];
  const forMs = 200 + random.next() * 3_000;
  switch (Math.floor(random.next() * 4)) {
    case 0:
      set.cutWatches({}, how);
      return;
    case 1:
      goAway();
      return;
    case 2: {
      using _some = set.random({
        seed: faults,
        rate: 0.3,
        faults: ["reset", "lostResponse", "serverError", "conflict", "tooManyRequests"],
      });
      await pause(forMs);
      return;
    }
    default: {
      const kinds = ["duplicateEvents", "reorderEvents", "slowEvents", "frozenWatch", "delay", "serverError"] as const;
      const fault = kinds[Math.floor(random.next() * kinds.length)] ?? "delay";
      using _all = set.add({ fault });
      await pause(forMs);
    }
  }
}

async function pause(ms: number): Promise<void> {
  await delay(ms, undefined, { signal: stop.signal }).catch(() => undefined); // Then it ends.
}

function minutes(): number {
  return (performance.now() - startedAt) / 60_000;
}

function print({ rssMb, heapMb, files, sockets, timers, failures }: Stats, recoveryMs: number): void {
  const figures = `RSS ${rssMb} MB, heap ${heapMb} MB, ${sockets} sockets, ${files ?? "?"} files, ${timers} timers`;
  console.log(
    `${minutes().toFixed(1)} min: ${changes} changes, ${passes} passes (${failures} failed), ${faults} faults, right again after ${Math.round(recoveryMs)} ms; ${figures}`,
  );
}
