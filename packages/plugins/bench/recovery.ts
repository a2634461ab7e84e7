/**
 * How long an owner is not Ready after its plugin was killed with SIGKILL, with a real process and the server in memory, and which parts
 * take the time. Goal: 2 s.
 *
 * BENCH_KILLS sets the number of times.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defineResource } from "@treadle/apimachinery";
import { Secret, Service, StatefulSet } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { z } from "zod";
import type { PluginSource } from "../src/connection.ts";
import { CapabilityInfo, folder, pluginHost } from "../src/index.ts";
import { pluginFiles } from "./src/files.ts";
import { median } from "./src/statistics.ts";

const KILLS = Number(process.env["BENCH_KILLS"] ?? 7);
const GOAL_MS = 2_000;
const POLL_MS = 2;
const LIMIT_MS = 20_000;
const NAME = "bench-plugin";

const Capability = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Capability",
  plural: "capabilities",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ category: z.string(), type: z.string() }),
});

const OWNER = {
  apiVersion: "bench.treadle.dev/v1",
  kind: "Capability",
  metadata: { name: "a" },
  spec: { category: "database", type: NAME },
};

/** The times of one recovery, as `performance.now()`. */
type Mark = "killed" | "noticed" | "reported" | "restarted" | "connected" | "ready";

let marks = new Map<Mark, number>();

function mark(name: Mark): void {
  if (!marks.has(name)) marks.set(name, performance.now());
}

/** The source of the plugins, with the times of each start. */
function watched(source: PluginSource): PluginSource {
  return {
    title: source.title,
    start: (env, signal) =>
      source.start(
        {
          ...env,
          offer: (origin) =>
            env.offer({
              ...origin,
              async connect(...given) {
                mark("restarted");
                const connection = await origin.connect(...given);
                mark("connected");
                void connection.ended.then(() => mark("noticed"));
                return connection;
              },
            }),
        },
        signal,
      ),
  };
}

/** The process of the plugin: the one of its program whose parent is not this process, but the launcher. */
function pluginProcess(file: string): number {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const [, ...rest] = readText(`/proc/${pid}/stat`).split(") ");
    const parent = Number(rest.join(") ").split(" ")[1]);
    if (readText(`/proc/${pid}/cmdline`).includes(file) && parent !== process.pid) return Number(pid);
  }
  throw new Error("the plugin does not run");
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Waits until the plugin of the owner is ready, or is not. */
async function until(cluster: TestCluster, status: "True" | "False"): Promise<void> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  for (;;) {
    const live = await cluster.client.get(Capability, { name: "a", namespace: "default" });
    const found = live?.status?.conditions?.find(({ type }) => type === "PluginReady");
    if (found?.status === status) return;
    if (limit.aborted) throw new Error(`PluginReady is not ${status} after ${LIMIT_MS} ms, but ${JSON.stringify(found)}`);
    await sleep(POLL_MS);
  }
}

/** Kills the plugin of a new operator. A second kill would have a longer backoff. */
async function recovered(file: string): Promise<Readonly<Record<string, number>>> {
  marks = new Map();
  await using cluster = await startTestCluster({ time: "real", checkStatus: false, kinds: [CapabilityInfo, Capability], objects: [OWNER] });
  const plugins = pluginHost({ from: [watched(folder(dirname(file)))], kinds: { [NAME]: [Secret, Service, StatefulSet] } });
  const capabilities = handler(Capability).step(conditions()).step(plugins.step(Capability)).build();
  await cluster.start(capabilities, { runnables: [plugins], controller: { sources: [plugins.source] } });
  await until(cluster, "True");
  marks = new Map();
  process.kill(pluginProcess(file), "SIGKILL");
  mark("killed");
  await until(cluster, "False");
  mark("reported");
  await until(cluster, "True");
  mark("ready");
  const between = (from: Mark, to: Mark): number => (marks.get(to) ?? Number.NaN) - (marks.get(from) ?? Number.NaN);
  return {
    "the end is noticed after": between("killed", "noticed"),
    "the owner is not Ready after": between("killed", "reported"),
    "wait until the restart": between("noticed", "restarted"),
    "certificate, start, handshake, health": between("restarted", "connected"),
    "description, passes, status": between("connected", "ready"),
    "from the kill until Ready": between("killed", "ready"),
  };
}

await using files = await pluginFiles([NAME]);
const found = new Map<string, number[]>();
for (let i = 0; i < KILLS; i++)
  for (const [part, ms] of Object.entries(await recovered(join(files.folder, NAME)))) found.set(part, [...(found.get(part) ?? []), ms]);
for (const [part, all] of found)
  console.log(`${part}: ${median(all).toFixed(0)} ms (${Math.min(...all).toFixed(0)} to ${Math.max(...all).toFixed(0)})`);
console.log(`goal: Ready again within ${GOAL_MS} ms`);
