/** What is measured of one operator in one round. The operator's process is observed from outside, the same way for all. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@treadle/client";
import { auditEnd, requestsOf } from "./audit.ts";
import { changeAtOnce, changeSteadily, createWidgets, deleteWidgets } from "./load.ts";
import { type Mode, Operator, type Peer } from "./operator.ts";
import type { ProfileFolder } from "./profiles/profiler.ts";
import { percentile } from "./statistics.ts";
import type { Expected, Observation } from "./watcher.ts";

export interface Setup {
  readonly client: Client;
  /** Of the administrator. */
  readonly kubeconfig: string;
  readonly auditLog: string;
  readonly widgets: number;
  readonly blobs: number;
  /** The highest number of changes to Widgets whose latency and processor time are measured. */
  readonly changes: number;
  /** The longest time of these changes, in seconds: at a low rate there are fewer. */
  readonly changesSeconds: number;
  /** The time of changes at the same rate before, in seconds. */
  readonly warmUpSeconds: number;
  readonly concurrency: number;
  readonly restMs: number;
  /** Where profiles are written. @defaultValue there are none */
  readonly profiles?: ProfileFolder;
}

/** Numbers by name; the names are those of the table. */
export type Measured = Record<string, number>;

/** From the start of the process to the status of the only Widget, and memory at rest. */
export async function measureCold(peer: Peer, setup: Setup): Promise<Measured> {
  await createWidgets(setup.client, 1);
  await using observer = await observe(setup.kubeconfig);
  await using operator = new Operator(peer, "reconcile", setup);
  const { at } = await observer.until({ settled: 1, generations: 1 }, operator);
  const { cpuSeconds } = operator.usage();
  await operator.profiler?.cpu("start");
  await sleep(setup.restMs);
  const { rssMb } = operator.usage();
  await operator.profiler?.heap("rest");
  await deleteWidgets(setup.client);
  await observer.until({ settled: 0, generations: 0 }, operator);
  return { coldStartMs: at - operator.startedAt, coldStartCpuMs: cpuSeconds * 1000, idleRssMb: rssMb };
}

/**
 * All Widgets from nothing to Ready, then one change to each as fast as possible, then all deleted. `carriedPerSecond` is the rate that
 * saturates the machine: changes, from the first request to the last status.
 */
export async function measureConverging(peer: Peer, setup: Setup): Promise<{ measured: Measured; requests: Record<string, number> }> {
  const { client, widgets } = setup;
  await createWidgets(client, widgets);
  await using observer = await observe(setup.kubeconfig);
  const since = auditEnd(setup.auditLog);
  await using operator = new Operator(peer, "reconcile", setup);
  const { at } = await observer.until({ settled: widgets, generations: widgets }, operator);
  const converged = operator.usage();
  await operator.profiler?.cpu("converge");
  await operator.profiler?.heap("converge");
  // What the last events still cause belongs to it.
  await sleep(setup.restMs);
  const requests = requestsOf(setup.auditLog, peer.user, since);
  const total = Object.values(requests).reduce((sum, each) => sum + each, 0);
  const changedFrom = Date.now();
  await changeAtOnce(client, { widgets, changes: widgets, first: 0 });
  const { at: changedAt } = await observer.until({ settled: widgets, generations: 2 * widgets }, operator);
  await deleteWidgets(client);
  await observer.until({ settled: 0, generations: 0 }, operator);
  const measured: Measured = {
    convergeMs: at - operator.startedAt,
    convergeCpuMs: converged.cpuSeconds * 1000,
    convergePeakMb: converged.peakMb,
    requestsPerWidget: total / widgets,
    carriedPerSecond: (widgets * 1000) / (changedAt - changedFrom),
  };
  return { measured, requests };
}

/** The number of changes that `changesCpuMs` is about, however many were made. */
export const CHANGES_OF_ROW = 10_000;

/** The number of changes that are measured at a rate. */
export function changesAt({ changes, changesSeconds }: Pick<Setup, "changes" | "changesSeconds">, perSecond: number): number {
  return Math.min(changes, Math.ceil(perSecond * changesSeconds));
}

/** Changes at a steady rate, to an operator that is warm: it has seen changes at the same rate for a while. */
export async function measureChanges(peer: Peer, setup: Setup, perSecond: number): Promise<Measured> {
  const { client, widgets } = setup;
  const changes = changesAt(setup, perSecond);
  await createWidgets(client, widgets);
  await using observer = await observe(setup.kubeconfig);
  await using operator = new Operator(peer, "reconcile", setup);
  await observer.until({ settled: widgets, generations: widgets }, operator);
  const warmUp = Math.ceil(setup.warmUpSeconds * perSecond);
  await changeSteadily(client, { widgets, changes: warmUp, first: 0, perSecond });
  await observer.until({ settled: widgets, generations: widgets + warmUp }, operator);
  await operator.profiler?.cpu();
  const before = operator.usage().cpuSeconds;
  await changeSteadily(client, { widgets, changes, first: warmUp, perSecond });
  const { latenciesMs } = await observer.until({ settled: widgets, generations: widgets + warmUp + changes }, operator);
  const after = operator.usage().cpuSeconds;
  await operator.profiler?.cpu("changes");
  await deleteWidgets(client);
  await observer.until({ settled: 0, generations: 0 }, operator);
  return {
    latencyP50Ms: percentile(latenciesMs, 0.5),
    latencyP99Ms: percentile(latenciesMs, 0.99),
    latencySamples: latenciesMs.length,
    changesCpuMs: ((after - before) * 1000 * CHANGES_OF_ROW) / changes,
  };
}

/** Live heap and resident memory with caches that are empty. */
export interface Empty {
  readonly heap: number;
  readonly rssMb: number;
}

export async function measureEmpty(peer: Peer, mode: Mode, setup: Setup): Promise<Empty> {
  await using operator = new Operator(peer, mode, setup);
  await operator.reported("started");
  await sleep(setup.restMs);
  const { rssMb } = operator.usage();
  return { heap: (await operator.heap()).bytes ?? Number.NaN, rssMb };
}

/** All Blobs from nothing to one pass for each, that does nothing. */
export async function measureSync(peer: Peer, mode: Mode, setup: Setup, empty: Empty): Promise<Measured> {
  await using operator = new Operator(peer, mode, { ...setup, expect: setup.blobs });
  const passed = await operator.reported("passed");
  const { peakMb, cpuSeconds } = operator.usage();
  await operator.profiler?.cpu(`blobs-${mode}`);
  await sleep(setup.restMs);
  const { rssMb } = operator.usage();
  const { bytes = Number.NaN } = await operator.heap();
  await operator.profiler?.heap(`blobs-${mode}`);
  return {
    [`${mode}.firstPassesMs`]: passed.at - operator.startedAt,
    [`${mode}.syncCpuMs`]: cpuSeconds * 1000,
    [`${mode}.syncPeakMb`]: peakMb,
    [`${mode}.heapPerObjectKb`]: (bytes - empty.heap) / setup.blobs / 1024,
    [`${mode}.rssPerObjectKb`]: ((rssMb - empty.rssMb) * 1024) / setup.blobs,
    [`${mode}.peakPerObjectKb`]: ((peakMb - empty.rssMb) * 1024) / setup.blobs,
  };
}

/** The same once more, looking at nothing but the turns of the event loop. Only an operator that has one tells of it. */
export async function measureSlices(peer: Peer, setup: Setup): Promise<Measured> {
  await using operator = new Operator(peer, "cache", { ...setup, expect: setup.blobs, slices: true });
  await operator.reported("passed");
  const { longestSliceMs, longestTurnMs, longestCollectionMs } = await operator.heap();
  if (longestSliceMs === undefined || longestTurnMs === undefined || longestCollectionMs === undefined)
    throw operator.failure("without a word on its turns");
  return { longestSliceMs, longestTurnMs, longestCollectionMs };
}

export interface Observer extends AsyncDisposable {
  /** @throws when the operator ends before */
  until(expected: Expected, operator: Operator): Promise<Observation>;
}

export async function observe(kubeconfig: string, kind: "Widget" | "Stack" = "Widget"): Promise<Observer> {
  const env = { PATH: process.env["PATH"], KUBECONFIG: kubeconfig, BENCH_KIND: kind };
  const child = fork(new URL("./watcher.ts", import.meta.url), { execArgv: ["--conditions=@treadle/source"], env });
  const ended = once(child, "exit").then((): never => {
    throw new Error("the observer of the benchmark ended; its error is above");
  });
  ended.catch(() => undefined); // At the end of a measurement it ends as it should.
  await Promise.race([once(child, "message"), ended]);
  return {
    async until(expected, operator) {
      const given = new AbortController();
      const signal = AbortSignal.any([given.signal, AbortSignal.timeout(600_000)]);
      const answer = once(child, "message", { signal }) as Promise<[Observation]>;
      child.send(expected);
      void operator.ended.then(() => given.abort(new Error(`the operator ended before ${expected.settled} ${kind}s were settled`)));
      try {
        return (await Promise.race([answer, ended]))[0];
      } catch (error) {
        throw operator.failure(`before ${expected.settled} ${kind}s were settled`, error);
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended.catch(() => undefined);
    },
  };
}
