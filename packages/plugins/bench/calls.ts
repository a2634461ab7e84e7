/**
 * What the process of a plugin adds to a plan: an owner of 10 KB with three dependents, through a child process with gRPC and mutual TLS,
 * and by the same capability in this process, in turns. Goals: 1 ms more at p50, 5 ms more at p99.
 *
 * BENCH_CALLS sets the number of calls in each of the five rounds.
 */
import { type KubernetesObject, systemClock, systemRandom } from "@treadle/apimachinery";
import { answerOf } from "../src/author/plan.ts";
import { launchPlugin } from "../src/process/launch.ts";
import type { PlanRequest } from "../src/wire/messages.ts";
import { postgres } from "./programs/plugin.ts";
import { pluginFiles } from "./src/files.ts";
import { median, quantile } from "./src/statistics.ts";

const CALLS = Number(process.env["BENCH_CALLS"] ?? 2_000);
const ROUNDS = 5;
const OWNER_BYTES = 10_240;
const NAME = "bench-plugin";
const log = { debug() {}, info() {}, warn: console.warn, error: console.error };

const typed = { ...postgres, types: [{ ...postgres.types[0], name: NAME }] };
const signal = new AbortController().signal;

await using files = await pluginFiles([NAME]);
const connection = await launchPlugin(
  `${files.folder}/${NAME}`,
  { plugin: NAME, clock: systemClock, random: systemRandom, log, hide: String },
  signal,
);
try {
  const request = await requestOf();
  const remote = (): Promise<object> => connection.plan(request, signal);
  const local = (): Promise<object> => answerOf([typed], request);
  if (JSON.stringify(await remote()) !== JSON.stringify(JSON.parse(JSON.stringify(await local())))) throw new Error("the two plans differ");
  await round(remote, local);
  const more = { p50: [] as number[], p99: [] as number[] };
  for (let i = 0; i < ROUNDS; i++) {
    const times = await round(remote, local);
    for (const [name, at] of [
      ["p50", 0.5],
      ["p99", 0.99],
    ] as const)
      more[name].push(quantile(times.remote, at) - quantile(times.local, at));
    const shown = (of: readonly number[]): string => `${quantile(of, 0.5).toFixed(2)} and ${quantile(of, 0.99).toFixed(2)} ms`;
    console.log(`p50 and p99 of a plan: ${shown(times.remote)} through the process, ${shown(times.local)} in this one`);
  }
  console.log(`a process adds ${median(more.p50).toFixed(2)} ms at p50 (goal 1), and ${median(more.p99).toFixed(2)} ms at p99 (goal 5)`);
} finally {
  await connection.close();
}

/** A request with the live objects of an earlier plan. */
async function requestOf(): Promise<PlanRequest> {
  const metadata = { name: "a", namespace: "default", uid: "1", resourceVersion: "1", annotations: { note: "" } };
  const owner = { apiVersion: "bench.treadle.dev/v1", kind: "Capability", metadata, spec: { type: NAME } };
  metadata.annotations.note = "x".repeat(OWNER_BYTES - JSON.stringify(owner).length);
  const first: PlanRequest = { type: NAME, version: "", owner, parameters: { storageGb: 5 }, live: [] };
  const answer = await connection.plan(first, signal);
  if (answer.type !== "dependents") throw new Error(`no plan: ${JSON.stringify(answer)}`);
  const live = answer.dependents.map(({ id, object }) => ({ id, object: { ...object, metadata } as unknown as KubernetesObject }));
  return { ...first, live: live.map(({ id, object }) => ({ id, object: { ...object, metadata: { ...metadata, annotations: {} } } })) };
}

async function round(
  remote: () => Promise<object>,
  local: () => Promise<object>,
): Promise<{ readonly remote: number[]; readonly local: number[] }> {
  const times = { remote: [] as number[], local: [] as number[] };
  for (let i = 0; i < CALLS; i++) {
    // In turns, and each of them is the first as often as the other.
    for (const name of i % 2 === 0 ? (["remote", "local"] as const) : (["local", "remote"] as const)) {
      const started = performance.now();
      await (name === "remote" ? remote() : local());
      times[name].push(performance.now() - started);
    }
  }
  return times;
}
