/** What is measured of an operator that keeps ten objects for each Stack, in one round. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, follow } from "@treadle/client";
import { ConfigMap } from "treadle/kinds";
import { auditEnd, requestsOf } from "./audit.ts";
import { createStacks, deleteStacks } from "./load.ts";
import { type Measured, observe } from "./measures.ts";
import { Operator, type Peer } from "./operator.ts";
import type { Site } from "./server.ts";
import { percentile } from "./statistics.ts";

export interface SetSizes {
  readonly stacks: number;
  readonly concurrency: number;
  /** Time between two parts, so that the end of one does not count in the next. */
  readonly restMs: number;
  /** How many times faster than in reality the hour of steady state passes: a requeue every 10 minutes is one every 10 min / factor. */
  readonly factor: number;
  /** The number of objects that are deleted, and of those that are changed, one after the other. */
  readonly drifts: number;
}

/** Objects of each Stack. */
export const OBJECTS = 10;
const HOUR_MS = 3_600_000;
const REQUEUES_PER_HOUR = 6;
const namespace = "default";

/** Requests by verb and resource. */
export interface SetRequests {
  readonly install: Record<string, number>;
  readonly hour: Record<string, number>;
  readonly removal: Record<string, number>;
}

/** Installs all Stacks, lets an hour of requeues pass, reverts drift, and deletes all. */
export async function measureSets(peer: Peer, site: Site, sizes: SetSizes): Promise<{ measured: Measured; requests: SetRequests }> {
  const { client, auditLog } = site;
  const { stacks, restMs, factor } = sizes;
  const hourMs = HOUR_MS / factor;
  await createStacks(client, stacks);
  await using observer = await observe(site.kubeconfig, "Stack");
  const started = auditEnd(auditLog);
  await using operator = new Operator(peer, "sets", { ...sizes, resyncMs: hourMs / REQUEUES_PER_HOUR });
  const { at } = await observer.until({ settled: stacks, generations: stacks }, operator);
  const { cpuSeconds: installCpu } = operator.usage();
  await sleep(restMs);
  const install = requestsOf(auditLog, peer.user, started);

  const before = await operator.heap();
  const { cpuSeconds: cpuBefore } = operator.usage();
  const hourBegan = auditEnd(auditLog);
  await sleep(hourMs);
  const hour = requestsOf(auditLog, peer.user, hourBegan);
  const { cpuSeconds: cpuAfter, rssMb } = operator.usage();
  const after = await operator.heap();

  const { deletedMs, changedMs } = await drift(client, sizes);
  const removalBegan = auditEnd(auditLog);
  const removalBeganAt = Date.now();
  await deleteStacks(client);
  const { at: removedAt } = await observer.until({ settled: 0, generations: 0 }, operator);
  await sleep(restMs);
  const removal = requestsOf(auditLog, peer.user, removalBegan);
  const measured: Measured = {
    "sets.installMs": at - operator.startedAt,
    "sets.installCpuMs": installCpu * 1000,
    "sets.installRequests": total(install) / stacks,
    "sets.hourPasses": ((after.passes ?? Number.NaN) - (before.passes ?? Number.NaN)) / stacks,
    "sets.hourRequests": total(hour) / stacks,
    "sets.hourCpuMs": (cpuAfter - cpuBefore) * 1000,
    "sets.restRssMb": rssMb,
    "sets.deletedMs": percentile(deletedMs, 0.5),
    "sets.deletedMostMs": percentile(deletedMs, 1),
    "sets.changedMs": percentile(changedMs, 0.5),
    "sets.changedMostMs": percentile(changedMs, 1),
    "sets.removalMs": removedAt - removalBeganAt,
    "sets.removalRequests": total(removal) / stacks,
  };
  return { measured, requests: { install, hour, removal } };
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

/** Deletes and changes objects, and waits for each until it is as before. Times in milliseconds, as an observer sees them. */
async function drift(client: Client, { drifts }: SetSizes): Promise<{ deletedMs: number[]; changedMs: number[] }> {
  const seen = new Map<string, ConfigMapState[]>();
  let look: () => void = () => {};
  const ended = new AbortController();
  const watching = (async () => {
    for await (const event of follow(client, ConfigMap, { namespace, signal: ended.signal })) {
      if (event.type !== "ADDED" && event.type !== "MODIFIED") continue;
      const { metadata, data } = event.object;
      const states = seen.get(metadata.name) ?? [];
      seen.set(metadata.name, [...states, { uid: metadata.uid, text: data?.["text"] }]);
      look();
    }
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  const until = async (reached: () => boolean): Promise<void> => {
    const signal = AbortSignal.timeout(60_000);
    while (!reached()) {
      await new Promise<void>((resolve, reject) => {
        look = resolve;
        signal.addEventListener("abort", () => reject(new Error("a drifted ConfigMap was not reverted within 60 s")));
      });
    }
  };
  const [deletedMs, changedMs]: [number[], number[]] = [[], []];
  try {
    for (let i = 0; i < drifts; i++) {
      const ref = { name: `s${i}-1`, namespace };
      const states = (): readonly ConfigMapState[] => seen.get(ref.name) ?? [];
      await until(() => states().length > 0);
      const { uid, text } = states().at(-1) ?? {};
      let from = performance.now();
      await client.delete(ConfigMap, ref);
      await until(() => states().at(-1)?.uid !== uid);
      deletedMs.push(performance.now() - from);
      const body = { data: { text: "drift" } };
      from = performance.now();
      await client.patch(ConfigMap, ref, { type: "merge", body }, { fieldManager: "other" });
      // Both events may come at once.
      await until(() => states().some((state) => state.text === "drift") && states().at(-1)?.text === text);
      changedMs.push(performance.now() - from);
    }
  } finally {
    ended.abort();
    await watching;
  }
  return { deletedMs, changedMs };
}

interface ConfigMapState {
  readonly uid: string | undefined;
  readonly text: string | undefined;
}
