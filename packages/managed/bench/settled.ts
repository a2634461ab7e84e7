/**
 * What managed objects cost: the requests from a create to Ready; the start with 10,000 objects behind a limit of calls; and 10,000
 * settled objects at a poll of one minute, as a part of one core and as memory. The operator and the API server are processes of their
 * own, and the provider answers immediately. Goals: 6 requests; never faster than the limit; 50 % of a core, 300 MB and no request.
 *
 * `OBJECTS`, `SECONDS` and `RATE` in the environment change the numbers.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Namespace } from "@treadle/apimachinery/kinds";
import { connect } from "@treadle/client";
import { Bucket, StoreConfig } from "./programs/kinds.ts";
import type { Report } from "./programs/operator.ts";

const OBJECTS = Number(process.env["OBJECTS"] ?? 10_000);
const SECONDS = Number(process.env["SECONDS"] ?? 60);
const RATE = { perSecond: Number(process.env["RATE"] ?? 400), burst: 100 };
const POLL_MS = 60_000;

const execArgv = ["--conditions=@treadle/source"];
const api = fork(new URL("./programs/server.ts", import.meta.url), { execArgv });
const [server] = (await once(api, "message")) as [string];
const user = await connect({ config: { source: "bench", server, credentials: async () => ({}) }, fieldManager: "user" });
await user.create(Namespace, { metadata: { name: "many" } });
for (const namespace of ["default", "many"]) await user.create(StoreConfig, { metadata: { name: "default", namespace }, spec: {} });

/** The settings of docs/operations.md, "Memory". */
const TUNED = { NODE_OPTIONS: "--max-semi-space-size=4", MALLOC_ARENA_MAX: "2" };

async function startOperator(existing: number, env: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
  const settings = JSON.stringify({ server, rate: RATE, pollMs: POLL_MS, existing });
  const child = fork(new URL("./programs/operator.ts", import.meta.url), [settings], { execArgv, env: { ...process.env, ...env } });
  await once(child, "message");
  return child;
}

async function reportOf(child: ChildProcess): Promise<Report> {
  child.send("report");
  const [report] = (await once(child, "message")) as [Report];
  return report;
}

/** Collects reports until so many objects are Ready. */
async function untilReady(child: ChildProcess, count: number): Promise<{ readonly requests: number; readonly calls: readonly number[] }> {
  const calls: number[] = [];
  let requests = 0;
  for (;;) {
    const report = await reportOf(child);
    calls.push(...report.calls);
    requests += report.requests;
    if (report.ready >= count) return { requests, calls };
    await sleep(500);
  }
}

const first = await startOperator(0);
await sleep(1_000);
await reportOf(first);
await user.create(Bucket, { metadata: { name: "one", namespace: "default" }, spec: { sizeGb: 1 } });
const { requests } = await untilReady(first, 1);
await sleep(500);
console.log(`from create to Ready: ${requests + (await reportOf(first)).requests} requests (goal 6)`);

const startedAt = performance.now();
const queue = Array.from({ length: OBJECTS }, (_, i) => i);
const creating = Array.from({ length: 20 }, async () => {
  for (let i = queue.pop(); i !== undefined; i = queue.pop())
    await user.create(Bucket, { metadata: { name: `b${i}`, namespace: "many" }, spec: { sizeGb: 1 } });
});
await Promise.all(creating);
const { calls } = await untilReady(first, OBJECTS + 1);
console.log(
  `start with ${OBJECTS} objects: Ready after ${((performance.now() - startedAt) / 1_000).toFixed(0)} s with ${calls.length} calls; ` +
    `the worst second had ${(worstSecond(calls) * 100).toFixed(0)} % of what the limit allows`,
);
first.disconnect();

for (const [name, env] of Object.entries({ "a new process": {}, "a new process with the settings of docs/operations.md": TUNED }))
  await settled(name, env);
api.disconnect();
await user.close();

async function settled(name: string, env: Readonly<Record<string, string>>): Promise<void> {
  const second = await startOperator(OBJECTS, env);
  await sleep(POLL_MS + 10_000); // Each object is observed once, and the polls are spread.
  await reportOf(second);
  await sleep(SECONDS * 1_000);
  const { requests: idle, calls: polls, cpuUs, residentBytes } = await reportOf(second);
  console.log(
    `${OBJECTS} settled objects in ${name}: ${(polls.length / ((OBJECTS * SECONDS * 1_000) / POLL_MS)).toFixed(2)} observations for each object and poll, ` +
      `${idle} requests; ${((cpuUs / (SECONDS * 1e6)) * 100).toFixed(1)} % of one core (goal 50), ${(cpuUs / polls.length).toFixed(0)} us for each; ` +
      `${(residentBytes / 2 ** 20).toFixed(0)} MB resident (goal 300)`,
  );
  second.disconnect();
}

/** The most calls of one second, as a part of what the limit allows in a second after a pause. */
function worstSecond(times: readonly number[]): number {
  let worst = 0;
  for (let from = 0, to = 0; from < times.length; from++) {
    while (to < times.length && (times[to] ?? 0) < (times[from] ?? 0) + 1_000) to++;
    worst = Math.max(worst, to - from);
  }
  return worst / (RATE.perSecond + RATE.burst);
}
